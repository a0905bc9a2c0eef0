"""Numbers and times as a person types them here.

Every function raises ValueError with a sentence that says what would be right.
"""

from __future__ import annotations

import math
import re

from fsconsole.text.numbers import thousands

HOUR_S, DAY_S, WEEK_S = 3600.0, 86400.0, 7 * 86400.0
MOST_CORES = 1e9
MOST_HOURS = 1e12
_SMALLEST = 1e-9
MOST_WEEKS = 520.0
NO_HALF_LIFE = "none"
_MOST_DAYS = 10_000
_UNITS_S = {"d": DAY_S, "h": HOUR_S, "min": 60.0}
_LENGTH = re.compile(r"(.*?)\s*(d|h|min)?")
_BLANKS = re.compile(r"\s")  # A blank may separate thousands.
_MOST_DIGITS = 12


def number(text: str, low: float, high: float, example: str, *, above: bool = False) -> float:
    """Return a number from `low` (or `above` it) to `high`, with a point or a comma.

    Numbers nearer to 0 than `_SMALLEST` are refused: quotients of them are not finite.

    Raises:
        ValueError: the text is not such a number; the message gives `example`.
    """
    plain = _BLANKS.sub("", text).replace(",", ".")
    try:
        found = float(plain)
    except ValueError:
        found = math.nan
    is_low = found <= low if above else found < low
    if not math.isfinite(found) or is_low or found > high:
        least = f"above {_shown(low)} and at most" if above else f"from {_shown(low)} to"
        msg = f"'{text.strip()}' is not a number {least} {_shown(high)}. Example: {example}"
        raise ValueError(msg)
    if 0 < abs(found) < _SMALLEST:
        msg = f"'{text.strip()}' is too small. Write at least {_SMALLEST:g}. Example: {example}"
        raise ValueError(msg)
    return found


def optional(text: str, low: float, high: float, example: str) -> float | None:
    """Return a number above `low`, or nothing."""
    return number(text, low, high, example, above=True) if text.strip() else None


def days(text: str) -> float:
    """Return a length in days, at least a minute: a plain number, or one with d, h or min.

    Raises:
        ValueError: the text is not such a length; the message quotes it with its unit.
    """
    found = _LENGTH.fullmatch(text.strip())
    unit = found[2] if found is not None else ""
    per_day = DAY_S / _UNITS_S[unit or "d"]
    try:
        return number(found[1] if found else text, per_day / 1440, _MOST_DAYS * per_day, "") / per_day
    except ValueError:
        limits = f"from 1 min to {thousands(_MOST_DAYS)} d"
        msg = f"'{text.strip()}' is not a time {limits}. Example: 7 d, 12 h or 30 min"
        raise ValueError(msg) from None


def half_life_days(text: str) -> float:
    """Return a half-life in days as `days`, infinite for `none`.

    Raises:
        ValueError: as in `days`.
    """
    return math.inf if text.strip().lower() == NO_HALF_LIFE else days(text)


def length_text(time_s: float) -> str:
    """Return a length as `half_life_days` reads it back, in the largest unit that needs few digits."""
    if math.isinf(time_s):
        return NO_HALF_LIFE
    for unit, unit_s in _UNITS_S.items():
        if time_s >= unit_s and (time_s / unit_s * 100).is_integer():
            return f"{plain(time_s / unit_s)} {unit}"
    return f"{plain(time_s / 60)} min"


def _shown(value: float) -> str:
    """Return a limit as messages write it."""
    return thousands(value) if value == int(value) else f"{value:.2g}"


def plain(value: float | None) -> str:
    """Return a number as `number` reads it back, without needless digits; nothing as `optional` does."""
    if value is None:
        return ""
    return f"{value:.{_MOST_DIGITS}g}" if value != int(value) else str(int(value))
