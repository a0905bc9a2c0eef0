"""Lengths of time in seconds: read with units, written in words, as h:mm:ss and as Slurm has them.

Written times are cut, not rounded, at their last unit. None and NaN are unknown and give an en dash,
infinities give `inf`, unless a function says otherwise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from fsconsole.text.numbers import MINUS, fixed, not_finite
from fsconsole.text.words import shortened

UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
PATTERN = r"^-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)? *(ms|s|min|h|d)$"
_DURATION = re.compile(r"(-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?) *([a-z]*)")
_CLOCK = re.compile(r"(?:([0-9]+):)?([0-9]{1,2}):([0-5]?[0-9](?:\.[0-9]+)?)")
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?) *(min|d|h|s)")
_SHORT_MINUTES = re.compile(r"(?<=[0-9 ])m(?![a-z])")
_PARTS = re.compile(rf"(?:{_PART.pattern} *){{2,}}")
LONGEST_S = 1e10  # It is about 300 years: far beyond any run, and still exact in ticks.
_LONG_ENOUGH = {"d": 1, "h": 1, "min": 5}
_IN_WORDS = ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s"))
_LONG_AXIS_S = 4 * 86_400.0
_JUST_GONE_S = 1e-6  # Rounding may take this much from a second that has passed.


def seconds(text: str) -> float:
    """Return the seconds of `120`, `120 s`, `2 min`, `8h` or `1 d`.

    Raises:
        ValueError: the text is not such a time.
    """
    match = _DURATION.fullmatch(text.strip())
    unit = match[2] or "s" if match else ""
    if match is None or unit not in UNITS:
        shown = shortened(text)
        msg = f"{shown!r} is not a time. Write seconds, or a number with ms, s, min, h or d, such as 8 h"
        raise ValueError(msg)
    if unit == "ms":
        return float(match[1]) / 1000  # Dividing rounds only once, so that 100 ms is exactly 0.1.
    return float(match[1]) * UNITS[unit]


def typed_seconds(text: str) -> float:
    """Return the seconds of a time that a user types, in the form of `seconds` or as windows show it.

    `9:20` is min:s as on a plot's axis, `1:09:20` h:min:s as on a clock, `1 d 12 h` as in sentences, and
    `30m` is 30 min. No time is longer than `LONGEST_S`.

    Raises:
        ValueError: the text is not such a time, or the time is too long.
    """
    found = _typed(text)
    if abs(found) > LONGEST_S:
        msg = f"{shortened(text)!r} is too long. Write a time of at most {LONGEST_S:g} s"
        raise ValueError(msg)
    return found


def _typed(text: str) -> float:
    text = _SHORT_MINUTES.sub("min", text)
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
    """Return a time in the largest unit that divides it, so that `seconds` reads it back exactly."""
    for unit, least in _LONG_ENOUGH.items():
        count = time_s / UNITS[unit]
        if abs(count) >= least and count == int(count) and abs(time_s) < 1e12:
            return f"{int(count)} {unit}"
    whole = abs(time_s) < 1e15 and time_s == int(time_s)
    return f"{int(time_s) if whole else repr(time_s)} s"


def length_words(time_s: float) -> str:
    """Return a length of time as `45 s`, `3 min 20 s`, `3 h 12 min`, `2 d 5 h`; `forever` for infinity."""
    if math.isinf(time_s):
        return "forever"
    whole = _gone(max(time_s, 0))
    for size, unit, part, part_unit in _IN_WORDS:
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {unit} {rest} {part_unit}" if rest else f"{whole // size} {unit}"
    return f"{whole} s"


def duration(time_s: float | None, digits: int = 0) -> str:
    """Return a length of time for a table as h:mm:ss, with decimals of seconds if digits are asked for."""
    text = _written(time_s, _hours)
    if digits and time_s is not None and math.isfinite(time_s):
        rest = math.floor((abs(time_s) - _gone(time_s) + _JUST_GONE_S) * 10**digits)
        text += f".{rest:0{digits}d}"
    return text


def short_duration(time_s: float | None) -> str:
    """Return a length of time for a table as m:ss, or as h:mm:ss from one hour on."""
    return _written(time_s, _short)


def day_duration(time_s: float | None) -> str:
    """Return a length of time as h:mm:ss, from one day on with the days in Slurm's form: `7-00:00:00`."""
    if time_s is None or not 86400 <= abs(time_s) < math.inf:
        return duration(time_s)
    return _written(time_s, slurm_limit)


def hours_minutes(time_s: float | None) -> str:
    """Return a length of time for a table or a field as h:mm."""
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
    """Return a simulated time as hh:mm:ss; the hours continue beyond 24."""
    return _written(time_s, lambda whole: _hours(whole, 2))


def minutes(time_s: float | None) -> str:
    """Return a time of a short plot as mm:ss; the minutes continue beyond 60."""
    return _written(time_s, lambda whole: f"{whole // 60:02d}:{whole % 60:02d}")


def plot_time(time_s: float | None, last_s: float) -> str:
    """Return a time on a plot's axis that ends at `last_s`: mm:ss within an hour, otherwise hh:mm:ss."""
    return minutes(time_s) if last_s <= 3600 else clock(time_s)


def is_of_days(span_s: float) -> bool:
    """Return True if an axis is long enough to be counted in days."""
    return span_s >= _LONG_AXIS_S


def axis_time(time_s: float, first_s: float, last_s: float) -> str:
    """Return a tick's time: `5 d` or `1 d 12 h` on an axis of days, otherwise as `plot_time` does."""
    if is_of_days(last_s - first_s) and time_s >= 0:
        return length_words(time_s) if time_s else "0"
    return plot_time(time_s, last_s)


def cursor_time(time_s: float, last_s: float) -> str:
    """Return the label of the plot cursor, clock and seconds: `10:10, 610 s`."""
    return f"{plot_time(time_s, last_s)}, {fixed(time_s)} s"


def _written(time_s: float | None, words: Callable[[int], str], unit_s: int = 1) -> str:
    """Return a time, cut to whole units, in words; a minus is written unless it is cut to 0."""
    if time_s is None or not math.isfinite(time_s):
        return not_finite(time_s)
    whole = _gone(time_s) // unit_s * unit_s
    return f"{MINUS if time_s < 0 and whole else ''}{words(whole)}"


def _hours(whole: int, width: int = 1) -> str:
    return f"{whole // 3600:0{width}d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _short(whole: int) -> str:
    return _hours(whole) if whole >= 3600 else f"{whole // 60}:{whole % 60:02d}"


def _gone(time_s: float) -> int:
    """Return the size of a time in whole seconds that have passed; a clock shows no unfinished second."""
    return math.floor(abs(time_s) + _JUST_GONE_S)
