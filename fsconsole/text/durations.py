"""Times in files and on the command line: a number of seconds, or text with a unit such as `8 h`."""

from __future__ import annotations

import re

UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
PATTERN = r"^-?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)? *(ms|s|min|h|d)$"
_DURATION = re.compile(r"(-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?) *([a-z]*)")
LONGEST_S = 1e10  # some 300 years: far beyond any run, and still exact in ticks
_LONG_ENOUGH = {"d": 1, "h": 1, "min": 5}


def seconds(text: str) -> float:
    """Seconds of `120`, `120 s`, `2 min`, `8h` or `1 d`; ValueError for anything else."""
    match = _DURATION.fullmatch(text.strip())
    unit = match[2] or "s" if match else ""
    if match is None or unit not in UNITS:
        msg = f"{text!r} is not a time. Write seconds, or a number with ms, s, min, h or d, such as 8 h"
        raise ValueError(msg)
    if unit == "ms":
        return float(match[1]) / 1000  # a division rounds once, so that 100 ms is exactly 0.1
    return float(match[1]) * UNITS[unit]


def in_words(time_s: float) -> str:
    """A time as `seconds` reads it back exactly, in the largest unit that it is a whole number of."""
    for unit, least in _LONG_ENOUGH.items():
        count = time_s / UNITS[unit]
        if abs(count) >= least and count == int(count) and abs(time_s) < 1e12:
            return f"{int(count)} {unit}"
    whole = abs(time_s) < 1e15 and time_s == int(time_s)
    return f"{int(time_s) if whole else repr(time_s)} s"
