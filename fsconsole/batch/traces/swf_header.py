"""The header of a trace in the Standard Workload Format: lines `; Label: text`."""

from __future__ import annotations

from dataclasses import dataclass, field

from fsconsole.batch.policy import HOUR_S
from fsconsole.batch.traces.raw import LARGEST

_OFFSET_ZONE = "Etc/GMT{:+d}"  # POSIX signs: east of Greenwich is negative


@dataclass(slots=True)
class SwfHeader:
    """Labels of the standard that matter here, and one of our own.

    Attributes:
        fields: text of each label; where a label stands more than once, of the first.
        users: names of user numbers, from lines `; UserName: NUMBER NAME`, which only this program writes.
    """

    fields: dict[str, str] = field(default_factory=dict)
    users: dict[int, str] = field(default_factory=dict)

    def hear(self, line: str) -> None:
        """Take in a line that begins with `;`."""
        label, colon, text = line.lstrip("; \t").partition(":")
        if not colon:
            return
        label, text = label.strip(), text.strip()
        if label == "UserName":
            number, _, name = text.partition(" ")
            if number.isdecimal() and name.strip():
                self.users[int(number)] = name.strip()
            return
        self.fields.setdefault(label, text)

    @property
    def cluster_nodes(self) -> int | None:
        """Processors of the machine (MaxProcs, else MaxNodes); None where it is not said."""
        return _above_0(self._whole("MaxProcs")) or _above_0(self._whole("MaxNodes"))

    @property
    def unix_start_s(self) -> int | None:
        """Second 0 of the trace in seconds since 1970; None where it is not said (the standard's -1 or 0)."""
        return _above_0(self._whole("UnixStartTime"))

    @property
    def max_records(self) -> int | None:
        """How many lines the file is said to have."""
        return _above_0(self._whole("MaxRecords") or self._whole("MaxJobs"))

    @property
    def time_zone(self) -> str:
        """The machine's zone: TimeZoneString, else the whole hours of TimeZone; empty where neither says."""
        named = self.fields.get("TimeZoneString", "")
        if named:
            return named
        offset = self._whole("TimeZone")
        if not offset or offset % HOUR_S or abs(offset) > 12 * HOUR_S:
            return ""
        return _OFFSET_ZONE.format(-offset // HOUR_S)

    def _whole(self, label: str) -> int | None:
        """The whole number that a label begins with; None for one that no machine has."""
        words = self.fields.get(label, "").split()
        try:
            value = int(words[0]) if words else None
        except ValueError:
            return None
        return value if value is not None and abs(value) <= LARGEST else None


def _above_0(value: int | None) -> int | None:
    return value if value is not None and value > 0 else None
