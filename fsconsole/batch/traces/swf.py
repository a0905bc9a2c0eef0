"""Traces in the Standard Workload Format: a job a line, 18 numbers each.

Source: S. Chapin, W. Cirne, D. Feitelson et al., "Benchmarks and standards for the evaluation of parallel job
schedulers", 1999, and the field list of the Parallel Workloads Archive (version 2.2).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO

import numpy as np
import polars as pl

from fsconsole.batch.job_table import Bools, Floats, Ints, Labels
from fsconsole.batch.policy import HOUR_S
from fsconsole.batch.traces.malformed_lines import FIELDS, OPTIONAL_FIELDS, USED_FIELDS, OddLines
from fsconsole.batch.traces.raw import LARGEST, RawJobs, RawTrace
from fsconsole.batch.traces.report import Finding, TraceError
from fsconsole.text.numbers import thousands

_USED = [place - 1 for place in (*USED_FIELDS, *OPTIONAL_FIELDS)]  # The standard counts fields from 1.
_WHOLE = [column for column, (_, may_be_part) in enumerate(USED_FIELDS.values()) if not may_be_part]
_SUBMIT_AMONG_USED, _RUNTIME_AMONG_USED = 1, 3


def parse_swf(data: bytes, name: str) -> RawTrace:
    """Read the text of a trace.

    Raises:
        TraceError: no line could be a job.
    """
    header, numbers, lines = _split(data)
    if not lines:
        msg = f"{name}: no jobs. The Standard Workload Format has a line of 18 numbers for each job"
        raise TraceError(msg)
    is_plain, columns = _plain_columns(lines)
    odd = OddLines()
    for row in np.flatnonzero(~is_plain).tolist():
        odd.add(int(numbers[row]), lines[row])
    places = np.append(numbers[is_plain], odd.lines)
    if not len(places):
        msg = f"{name}: not a trace. None of its {thousands(len(lines))} lines is a job: {odd.dropped[0]}"
        raise TraceError(msg)
    order = np.argsort(places)
    values, places = np.vstack([columns, odd.columns])[order], places[order]
    return RawTrace(
        _raw(values, places, header),
        "processor",
        len(lines),
        odd.dropped,
        odd.repaired + _cut(values, places),
        _notes(header, len(lines)),
        header.names["UserName"],
        header.unix_start_s,
        header.cluster_nodes,
        header.time_zone,
    )


def _split(data: bytes) -> tuple[SwfHeader, Ints, list[bytes]]:
    """Return the header, numbers of the lines with jobs, and these lines with single spaces."""
    header = SwfHeader()
    text = data.replace(b"\t", b" ")
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    numbers: list[int] = []
    lines: list[bytes] = []
    for number, line in enumerate(BytesIO(text), 1):
        bare = line.strip()
        if bare.startswith(b";"):
            header.add(bare.decode("utf-8", "replace"))
        elif bare:
            numbers.append(number)
            lines.append(bare)
    return header, np.array(numbers, dtype=np.int64), lines


def _plain_columns(lines: list[bytes]) -> tuple[Bools, Floats]:
    """Return a mask of the lines with exactly 18 numbers, and the used ones of these, [plain lines, used]."""
    is_plain = np.fromiter((line.count(b" ") == FIELDS - 1 for line in lines), np.bool_, len(lines))
    full = [line for line, is_one in zip(lines, is_plain.tolist(), strict=True) if is_one]
    if not full:
        return is_plain, np.zeros((0, len(_USED)))
    frame = _read_numbers(b"\n".join(full))
    if len(frame) != len(full):  # Polars takes a character for a line end; then all lines are odd.
        return np.zeros(len(lines), dtype=np.bool_), np.zeros((0, len(_USED)))
    values = frame.select(str(column) for column in _USED).to_numpy()
    finite = pl.all_horizontal(pl.all().is_finite().fill_null(value=False))
    good = frame.select(finite).to_series().to_numpy() & (np.abs(values) <= LARGEST).all(axis=1)
    good[good] = (values[good][:, _WHOLE] % 1 == 0).all(axis=1)
    is_plain[is_plain] = good
    return is_plain, values[good]


def _read_numbers(text: bytes) -> pl.DataFrame:
    """Return lines of 18 words as numbers; null for words that are not numbers."""
    schema = {str(column): pl.Float64 for column in range(FIELDS)}
    return pl.read_csv(
        text, has_header=False, separator=" ", schema=schema, ignore_errors=True, quote_char=None
    )


def _raw(values: Floats, places: Ints, header: SwfHeader) -> RawJobs:
    used, optional = np.split(values.astype(np.int64).T.copy(), [len(USED_FIELDS)])
    job, submit, wait, runtime, got, asked, user = used
    limit, memory, queue, partition = optional
    submit = np.where(values[:, _SUBMIT_AMONG_USED] < 0, -1, submit)  # A value of -0.5 is unknown, not 0.
    labels = _labels(partition, header.names["PartitionName"]), _labels(queue, header.names["QueueName"])
    left_out = {"time limits": (limit > 0) & (limit != runtime), "memory": memory > 0}
    return RawJobs(places, job, submit, wait, runtime, got, asked, user, *labels, left_out=left_out)


def _labels(numbers: Ints, names: dict[int, str]) -> Labels | None:
    """Return labels from numbers, below 0 if unknown; None if all are equal."""
    found, number = np.unique(np.maximum(numbers, -1), return_inverse=True)
    if len(found) < 2:
        return None
    return Labels(
        number.astype(np.int64), tuple("" if one < 0 else names.get(one, str(one)) for one in found.tolist())
    )


def _cut(values: Floats, places: Ints) -> list[Finding]:
    """Return repairs of jobs whose submit time or runtime had parts of a second."""
    rows = np.flatnonzero(
        (values[:, [_SUBMIT_AMONG_USED, _RUNTIME_AMONG_USED]] % 1 != 0).any(axis=1)
    ).tolist()
    return [
        Finding(
            int(values[row, 0]), int(places[row]), "fractions of a second cut off", _cut_words(values[row])
        )
        for row in rows
    ]


def _cut_words(row: Floats) -> str:
    times = f"submitted at {row[_SUBMIT_AMONG_USED]:.15g} s, it ran {row[_RUNTIME_AMONG_USED]:.15g} s"
    return f"{times}. Times are whole seconds; fractions are cut off"


def _notes(header: SwfHeader, found: int) -> list[str]:
    declared = header.max_records
    if declared is None or declared == found:
        return []
    return [f"the header counts {thousands(declared)} jobs, but the file has {thousands(found)}"]


_OFFSET_ZONE = "Etc/GMT{:+d}"  # POSIX has other signs: east of Greenwich is negative.


_NAMED = ("UserName", "QueueName", "PartitionName")


@dataclass(slots=True)
class SwfHeader:
    """The standard's labels that are used here, and three of our own.

    Attributes:
        fields: text of each label; the first one if a label is repeated.
        names: names of numbers, from lines such as `; UserName: NUMBER NAME`, which only this program writes.
    """

    fields: dict[str, str] = field(default_factory=dict)
    names: dict[str, dict[int, str]] = field(default_factory=lambda: {label: {} for label in _NAMED})

    def add(self, line: str) -> None:
        """Add a line that begins with `;`."""
        label, colon, text = line.lstrip("; \t").partition(":")
        if not colon:
            return
        label, text = label.strip(), text.strip()
        if label in self.names:
            number, _, name = text.partition(" ")
            if number.isdecimal() and name.strip():
                self.names[label][int(number)] = name.strip()
            return
        self.fields.setdefault(label, text)

    @property
    def cluster_nodes(self) -> int | None:
        """Processors of the machine (MaxProcs, else MaxNodes); None if unknown."""
        return _above_0(self._whole("MaxProcs")) or _above_0(self._whole("MaxNodes"))

    @property
    def unix_start_s(self) -> int | None:
        """Second 0 of the trace in seconds since 1970; None if unknown (the standard's -1 or 0)."""
        return _above_0(self._whole("UnixStartTime"))

    @property
    def max_records(self) -> int | None:
        """Number of lines by the header."""
        return _above_0(self._whole("MaxRecords") or self._whole("MaxJobs"))

    @property
    def time_zone(self) -> str:
        """Zone of the machine: TimeZoneString, else the whole hours of TimeZone; empty if unknown."""
        named = self.fields.get("TimeZoneString", "")
        if named:
            return named
        offset = self._whole("TimeZone")
        if not offset or offset % HOUR_S or abs(offset) > 12 * HOUR_S:
            return ""
        return _OFFSET_ZONE.format(-offset // HOUR_S)

    def _whole(self, label: str) -> int | None:
        """Return the whole number at the start of a label's text; None for an impossible one."""
        words = self.fields.get(label, "").split()
        try:
            value = int(words[0]) if words else None
        except ValueError:
            return None
        return value if value is not None and abs(value) <= LARGEST else None


def _above_0(value: int | None) -> int | None:
    return value if value is not None and value > 0 else None
