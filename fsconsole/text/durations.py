"""Lengths of time in seconds: read with units, written in words, as h:mm:ss and as Slurm has them.

What is written leaves out the rest that is less than the last unit. None and NaN are unknown and give an en
dash, infinities give `inf`, unless a function says otherwise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from fsconsole.text.numbers import MINUS, fixed, not_finite

UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
PATTERN = r"^-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)? *(ms|s|min|h|d)$"
_DURATION = re.compile(r"(-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?) *([a-z]*)")
_CLOCK = re.compile(r"(?:([0-9]+):)?([0-9]{1,2}):([0-5]?[0-9](?:\.[0-9]+)?)")
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?) *(min|d|h|s)")
_PARTS = re.compile(rf"(?:{_PART.pattern} *){{2,}}")
LONGEST_S = 1e10  # some 300 years: far beyond any run, and still exact in ticks
_LONG_ENOUGH = {"d": 1, "h": 1, "min": 5}
_IN_WORDS = ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s"))
_LONG_AXIS_S = 4 * 86_400.0
_JUST_GONE_S = 1e-6  # what rounding may take from a second that is over


def seconds(text: str) -> float:
    """Return seconds of `120`, `120 s`, `2 min`, `8h` or `1 d`; ValueError for anything else."""
    match = _DURATION.fullmatch(text.strip())
    unit = match[2] or "s" if match else ""
    if match is None or unit not in UNITS:
        msg = f"{text!r} is not a time. Write seconds, or a number with ms, s, min, h or d, such as 8 h"
        raise ValueError(msg)
    if unit == "ms":
        return float(match[1]) / 1000  # a division rounds once, so that 100 ms is exactly 0.1
    return float(match[1]) * UNITS[unit]


def typed_seconds(text: str) -> float:
    """Return seconds of what a person types: as `seconds` reads it, or as windows show it.

    `9:20` is min:s as at a plot's axis, `1:09:20` h:min:s as on the clock, `1 d 12 h` as sentences have it.
    ValueError for anything else.
    """
    clock, parts = _CLOCK.fullmatch(text.strip()), _PARTS.fullmatch(text.strip())
    if clock:
        hours, minutes, rest = (float(part or 0) for part in clock.groups())
        return 3600 * hours + 60 * minutes + rest
    if parts:
        found = _PART.findall(text)
        if [unit for _, unit in found] == sorted({unit for _, unit in found}, key=UNITS.__getitem__)[::-1]:
            return sum(float(number) * UNITS[unit] for number, unit in found)
    return seconds(text)


def in_words(time_s: float) -> str:
    """Return a time as `seconds` reads it back exactly, in the largest unit that it is a whole number of."""
    for unit, least in _LONG_ENOUGH.items():
        count = time_s / UNITS[unit]
        if abs(count) >= least and count == int(count) and abs(time_s) < 1e12:
            return f"{int(count)} {unit}"
    whole = abs(time_s) < 1e15 and time_s == int(time_s)
    return f"{int(time_s) if whole else repr(time_s)} s"


def length_words(time_s: float) -> str:
    """Return a length of time in words: `45 s`, `3 min 20 s`, `3 h 12 min`, `2 d 5 h`; `forever` without
    end.
    """
    if math.isinf(time_s):
        return "forever"
    whole = _gone(max(time_s, 0))
    for size, unit, part, part_unit in _IN_WORDS:
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {unit} {rest} {part_unit}" if rest else f"{whole // size} {unit}"
    return f"{whole} s"


def duration(time_s: float | None, digits: int = 0) -> str:
    """Return a length of time in a table, h:mm:ss, with tenths and so on when digits are asked for."""
    text = _written(time_s, _hours)
    if digits and time_s is not None and math.isfinite(time_s):
        rest = math.floor((abs(time_s) - _gone(time_s) + _JUST_GONE_S) * 10**digits)
        text += f".{rest:0{digits}d}"
    return text


def short_duration(time_s: float | None) -> str:
    """Return a length of time in a table, as m:ss, from an hour on as h:mm:ss."""
    return _written(time_s, _short)


def day_duration(time_s: float | None) -> str:
    """Return a length of time as h:mm:ss, from a day on with its days as Slurm writes them: `7-00:00:00`."""
    if time_s is None or not 86400 <= abs(time_s) < math.inf:
        return duration(time_s)
    return _written(time_s, slurm_limit)


def hours_minutes(time_s: float | None) -> str:
    """Return a length of time in a table or a field, as h:mm."""
    return _written(time_s, lambda whole: _hours(whole).removesuffix(":00"), unit_s=60)


def slurm_limit(time_s: float | None) -> str:
    """Return a time limit as Slurm writes it: `30:00`, `1-02:00:00`, `UNLIMITED`; `not said` for None."""
    if time_s is None:
        return "not said"
    if math.isinf(time_s):
        return "UNLIMITED"
    days, rest = divmod(int(time_s), 86400)
    return f"{days}-{_hours(rest, 2)}" if days else _short(rest)


def clock(time_s: float | None) -> str:
    """Return simulated clock hh:mm:ss; the hours go on beyond 24."""
    return _written(time_s, lambda whole: _hours(whole, 2))


def minutes(time_s: float | None) -> str:
    """Return the time of a short plot, mm:ss; the minutes go on beyond 60."""
    return _written(time_s, lambda whole: f"{whole // 60:02d}:{whole % 60:02d}")


def plot_time(time_s: float | None, last_s: float) -> str:
    """Return the time at a plot's axis that ends at last_s: mm:ss within an hour, else hh:mm:ss as on the
    clock.
    """
    return minutes(time_s) if last_s <= 3600 else clock(time_s)


def is_of_days(span_s: float) -> bool:
    """Return whether an axis is so long that days are counted on it."""
    return span_s >= _LONG_AXIS_S


def axis_time(time_s: float, first_s: float, last_s: float) -> str:
    """Return the time at a tick of an axis: `5 d` or `1 d 12 h` on one of days, else as
    `plot_time` has it.
    """
    if is_of_days(last_s - first_s) and time_s >= 0:
        return length_words(time_s) if time_s else "0"
    return plot_time(time_s, last_s)


def cursor_time(time_s: float, last_s: float) -> str:
    """Tag at the plot cursor: clock and seconds, `10:10, 610 s`."""
    return f"{plot_time(time_s, last_s)}, {fixed(time_s)} s"


def _written(time_s: float | None, words: Callable[[int], str], unit_s: int = 1) -> str:
    """Return the whole seconds gone by in words, with a sign where anything but nothing is written."""
    if time_s is None or not math.isfinite(time_s):
        return not_finite(time_s)
    whole = _gone(time_s) // unit_s * unit_s
    return f"{MINUS if time_s < 0 and whole else ''}{words(whole)}"


def _hours(whole: int, width: int = 1) -> str:
    return f"{whole // 3600:0{width}d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _short(whole: int) -> str:
    return _hours(whole) if whole >= 3600 else f"{whole // 60}:{whole % 60:02d}"


def _gone(time_s: float) -> int:
    """Return whole seconds gone by, of either sign; a clock never shows a second that has not passed."""
    return math.floor(abs(time_s) + _JUST_GONE_S)
