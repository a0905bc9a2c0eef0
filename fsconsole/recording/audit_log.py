"""The audit log on disk: a line of JSON for every action with its result. Lines are only ever appended."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from fsconsole.recording.audit import AuditRow
from fsconsole.shares.files import append_lines, make_private_folder
from fsconsole.shares.input_files import parsed_json, read_limited
from fsconsole.text.numbers import plain_percent

# These keys identify an action that a resumed run repeats.
_IDENTITY = ("tick", "who", "action", "on", "before", "after", "result", "text", "why")


class AuditLog:
    """An audit log that lines are appended to.

    Attributes:
        path: the file; the first line creates it and its folder.
    """

    def __init__(self, path: Path, hz: int, start: datetime, *, private: bool = False) -> None:
        """Open the log of a machine with `hz` ticks a second, whose clock showed `start` at tick 0.

        Only its user can read a private log and its folder.
        """
        self._is_private = private
        self.path = path
        self._hz, self._start = hz, start
        self._known: Counter[str] = Counter()

    def know(self, since_tick: int) -> None:
        """Skip actions from a tick on that the file already has, when a resumed run repeats them."""
        self._known = Counter(_identity(line) for line in lines_of(self.path) if line["tick"] >= since_tick)

    def write(self, rows: Iterable[AuditRow]) -> None:
        """Append rows and flush them to the disk.

        Raises:
            OSError: the file cannot be written.
        """
        wall = datetime.now(UTC).isoformat(timespec="seconds")
        fresh = [line for line in (self._line(row, wall) for row in rows) if not self._is_known(line)]
        if fresh:
            if self._is_private:
                make_private_folder(self.path.parent)
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            append_lines(self.path, [json.dumps(line) for line in fresh], private=self._is_private)

    def _is_known(self, line: dict[str, Any]) -> bool:
        identity = _identity(line)
        is_known = self._known[identity] > 0
        if is_known:
            self._known[identity] -= 1
        return is_known

    def _line(self, row: AuditRow, wall: str) -> dict[str, Any]:
        data = row.to_json()
        time_s = row.tick / self._hz
        clock = (self._start + timedelta(seconds=time_s)).isoformat(timespec="seconds")
        texts = {name: plain_percent(value) for name, value in data.items() if isinstance(value, str)}
        return {"wall": wall, "clock": clock, "time_s": round(time_s, 3), **data, **texts}


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return all complete lines of a log, oldest first; an empty list if the file does not exist.

    A line that a kill cut off is left out.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        text = read_limited(path).decode("utf-8", errors="replace")
    except FileNotFoundError:
        return []
    found = (_parsed(line) for line in text.split("\n"))
    return [line for line in found if line is not None]


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        data = parsed_json(line)
    except ValueError:
        return None
    return data if isinstance(data, dict) and isinstance(data.get("tick"), int) else None


def _identity(line: dict[str, Any]) -> str:
    return json.dumps([line.get(name) for name in _IDENTITY])


def file_name(machine: str) -> str:
    """Return the file name of a machine's log: its name with forbidden characters replaced."""
    kept = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in machine)
    return f"{kept.strip('.-')[:80] or 'machine'}.jsonl"
