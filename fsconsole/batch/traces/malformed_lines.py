"""Lines of a trace that are not 18 whole numbers, and their repair."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from fsconsole.batch.job_table import Floats, Ints
from fsconsole.batch.traces.raw import LARGEST
from fsconsole.batch.traces.report import Finding
from fsconsole.text.words import count_words

FIELDS = 18

# These fields are read, counted from 1 as in the standard. The values are whether they may have parts of a
# second.
USED_FIELDS = {
    1: ("job number", False),
    2: ("submit time", True),
    3: ("wait time", True),
    4: ("runtime", True),
    5: ("allocated processors", False),
    8: ("requested processors", False),
    12: ("user", False),
}
# Requested time and memory, queue and partition are unknown if they are not whole numbers.
OPTIONAL_FIELDS = (9, 10, 15, 16)
_UNKNOWN = -1.0
_SHOWN = 20


class _NoJobError(ValueError):
    """A line is not a job; the arguments are the kind of reason, and the reason."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


@dataclass(slots=True)
class OddLines:
    """Collects odd lines one by one; keeps those that are jobs anyway, and reports on all others."""

    lines_kept: list[int] = field(default_factory=list)
    rows: list[list[float]] = field(default_factory=list)
    dropped: list[Finding] = field(default_factory=list)
    repaired: list[Finding] = field(default_factory=list)

    def add(self, number: int, line: bytes) -> None:
        """Add a line of the file, numbered from 1."""
        words = line.decode("utf-8", "replace").split()
        job_id = _whole_or_none(words[0]) if words else None
        try:
            row = _row(words)
        except _NoJobError as error:
            self.dropped.append(Finding(job_id, number, error.kind, str(error)))
            return
        self.lines_kept.append(number)
        self.rows.append(row)
        if len(words) > FIELDS:
            reason = f"it has {len(words)} fields, but a job has {FIELDS}. The fields after these are ignored"
            self.repaired.append(Finding(job_id, number, f"more than {FIELDS} fields", reason))
        unread = [place for place in range(1, FIELDS + 1) if place not in USED_FIELDS]
        wrong = [place for place in unread if _number(words[place - 1]) is None]
        if wrong:
            reason = f"field {wrong[0]} is {_quoted(words[wrong[0] - 1])}, not a number. It is not needed"
            self.repaired.append(
                Finding(job_id, number, "not a number in a field that is not needed", reason)
            )

    @property
    def columns(self) -> Floats:
        """Used and optional fields of the kept lines, float64 [lines, used + optional]."""
        return np.array(self.rows, dtype=np.float64).reshape(
            len(self.rows), len(USED_FIELDS) + len(OPTIONAL_FIELDS)
        )

    @property
    def lines(self) -> Ints:
        """Numbers of these lines, from 1, int64 [lines]."""
        return np.array(self.lines_kept, dtype=np.int64)


def _row(words: list[str]) -> list[float]:
    if len(words) < FIELDS:
        msg = f"the line has {count_words(len(words), 'field')}, but a job has {FIELDS}"
        raise _NoJobError(f"fewer than {FIELDS} fields", msg)
    optional = (_whole_or_none(words[place - 1]) for place in OPTIONAL_FIELDS)
    known = [_UNKNOWN if one is None or abs(one) > LARGEST else float(one) for one in optional]
    return [_value(place, words[place - 1]) for place in USED_FIELDS] + known


def _value(place: int, word: str) -> float:
    """Return the number in a field.

    Raises:
        _NoJobError: it cannot be used.
    """
    called, may_be_part = USED_FIELDS[place]
    value = _number(word)
    if value is None:
        msg = f"field {place} ({called}) is {_quoted(word)}, not a number"
        raise _NoJobError(f"not a number as {called}", msg)
    if abs(value) > LARGEST:
        msg = f"field {place} ({called}) is {_quoted(word)}, beyond {LARGEST:.0e}"
        raise _NoJobError(f"{called} out of range", msg)
    if not may_be_part and value != int(value):
        msg = f"field {place} ({called}) is {_quoted(word)}, not a whole number"
        raise _NoJobError(f"not a whole number as {called}", msg)
    return value


def _number(word: str) -> float | None:
    if not word.isascii() or "_" in word:  # Python would also accept 1_0 as 10, and digits of other scripts.
        return None
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _whole_or_none(word: str) -> int | None:
    value = _number(word)
    return int(value) if value is not None and value == int(value) else None


def _quoted(word: str) -> str:
    return repr(word if len(word) <= _SHOWN else f"{word[:_SHOWN]}…")
