"""Numbers as the console writes them.

Arguments are in SI units or fractions; functions return display text. None and NaN are unknown and give an en
dash, infinities give `inf`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

UNKNOWN = "\N{EN DASH}"
INFINITE = "inf"
MINUS = "\N{MINUS SIGN}"
NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"  # It stands between thousands.
PERCENT = "\N{NO-BREAK SPACE}%"

PERCENT_LIVE_DIGITS = 1
PERCENT_OF_GROUP_DIGITS = 2
PERCENT_OF_MACHINE_DIGITS = 3

_THOUSANDS = re.compile(f"(?<=[0-9]){NARROW_SPACE}(?=[0-9]{{3}})")
_GROUPING = re.compile("[\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}\N{NO-BREAK SPACE}]")
_SI_FROM = 1e6
_SI_STEPS = ((1e6, "M"), (1e9, "G"), (1e12, "T"), (1e15, "P"), (1e18, "E"))
_SIGNIFICANT = 4


def fixed(value: float | None, digits: int = 0) -> str:
    """Return a number with fixed decimals and narrow no-break spaces between thousands."""
    if value is None or not math.isfinite(value):
        return not_finite(value)
    return _minus(f"{_unsigned_zero(value, digits):,.{digits}f}".replace(",", NARROW_SPACE))


def thousands(value: float | None) -> str:
    """Return a whole number with narrow no-break spaces between thousands: 22 920."""
    return fixed(value, 0)


def significant(value: float, digits: int) -> str:
    """Return a number with at most `digits` significant digits and without trailing zeros: `1 234.5`."""
    return _minus(f"{value:,.{digits}g}".replace(",", NARROW_SPACE))


def ungrouped(text: str) -> str:
    """Return a typed or pasted number without the spaces between its thousands; other blanks stay."""
    return _GROUPING.sub("", text)


def on_terminal(text: str) -> str:
    """Return a text for terminals and documents: `28,481`, and a plain space before a percent sign."""
    return plain_percent(_THOUSANDS.sub(",", text))


def plain_percent(text: str) -> str:
    """Return a text for files that are searched and compared: a plain space before a percent sign."""
    return text.replace(PERCENT, " %")


def percent(fraction: float | None, digits: int = PERCENT_LIVE_DIGITS, *, unit: bool = True) -> str:
    """Return a fraction (1.0 = all) as percent: 0.19125 with 3 digits is `19.125 %`."""
    text = fixed(None if fraction is None else 100 * fraction, digits)
    return f"{text}{PERCENT}" if unit and _is_finite(fraction) else text


def short_percent(fraction: float | None) -> str:
    """Return a fraction as percent with up to three decimals and without trailing zeros: `12.5 %`."""
    text = percent(fraction, PERCENT_OF_MACHINE_DIGITS, unit=False)
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text}{PERCENT}" if _is_finite(fraction) else text


def fine_percent(fraction: float | None) -> str:
    """Return a fraction as percent with two decimals, or two significant digits below 0.1 %: `0.0031 %`."""
    digits = 2
    if fraction is not None and 0 < abs(fraction) < 0.001 and math.isfinite(fraction):
        digits = 1 - math.floor(math.log10(100 * abs(fraction)))
    return percent(fraction, digits)


def rough_percent(fraction: float) -> str:
    """Return a fraction as percent with two significant digits: `0.0031 %`."""
    return f"{100 * fraction:.2g}{PERCENT}"


def signed(value: float | None, digits: int = 0) -> str:
    """Return a difference with its sign, a true minus; without a sign if it rounds to zero."""
    text = fixed(value, digits)
    if value is None or math.isnan(value) or value <= 0 or _unsigned_zero(value, digits) == 0:
        return text
    return f"+{text}"


def signed_range(low: float | None, high: float | None, digits: int = 0) -> str:
    """Return the ends of an interval of differences: `−0.72 to +0.36`; `0` where both round to nothing."""
    return _range(low, high, digits, signed)


def plain_signed(value: float, digits: int) -> str:
    """Return a difference as `signed` does, but in ASCII and without spaces, for terminals."""
    return f"{value:+.{digits}f}" if _unsigned_zero(value, digits) else f"{0:.{digits}f}"


def plain_signed_range(low: float | None, high: float | None, digits: int) -> str:
    """Return an interval as `signed_range` does, but in ASCII; `-` if it is unknown."""
    return _range(low, high, digits, plain_signed).replace(UNKNOWN, "-")


def _range(low: float | None, high: float | None, digits: int, form: Callable[[float, int], str]) -> str:
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return UNKNOWN
    if _unsigned_zero(low, digits) == 0 and _unsigned_zero(high, digits) == 0:
        return "0"
    return f"{form(low, digits)} to {form(high, digits)}"


def points(
    difference_fraction: float | None, digits: int = PERCENT_OF_GROUP_DIGITS, *, unit: bool = False
) -> str:
    """Return a difference of two fractions in points: -0.0255 is `−2.55`, or `−2.55 points` with `unit`."""
    text = signed(None if difference_fraction is None else 100 * difference_fraction, digits)
    return f"{text} points" if unit and _is_finite(difference_fraction) else text


def si(value: float | None, unit: str = "") -> str:
    """Return a number for a live cell: four significant digits, SI letters from 10^6 on (`104.2 M`).

    Integers below 10^6 are written whole. The unit, if any, follows the letter: `104.2 MW`.
    """
    if value is None or not math.isfinite(value):
        return not_finite(value)
    text, letter = _si_parts(value)
    return f"{text} {letter}{unit}".rstrip()


def full(value: float | None) -> str:
    """Return a number with all its digits, in ASCII and without grouping, for tooltips and the clipboard."""
    if value is None or not math.isfinite(value):
        return not_finite(value).replace(MINUS, "-")
    return str(value) if isinstance(value, int) else f"{value:.15g}"


def spoken_percent(what: str, fraction: float | None, digits: int) -> str:
    """Return a sentence for screen readers about a bar: `share of machine 19.125 percent`."""
    text = percent(fraction, digits, unit=False)
    return f"{what} unknown" if text == UNKNOWN else f"{what} {text} percent"


def not_finite(value: float | None) -> str:
    """Return an en dash for an unknown number, or `inf` with its sign."""
    if value is None or math.isnan(value):
        return UNKNOWN
    return INFINITE if value > 0 else f"{MINUS}{INFINITE}"


def _si_parts(value: float) -> tuple[str, str]:
    magnitude = abs(value)
    if isinstance(value, int) and magnitude < _SI_FROM:
        return thousands(value), ""
    if float(f"{magnitude:.{_SIGNIFICANT - 1}e}") < _SI_FROM:
        return fixed(value, _digits(magnitude)), ""
    step, letter = _SI_STEPS[0]
    for larger, its_letter in _SI_STEPS[1:]:
        if float(f"{magnitude:.{_SIGNIFICANT - 1}e}") >= larger:
            step, letter = larger, its_letter
    scaled = value / step
    return fixed(scaled, _digits(abs(scaled))), letter


def _digits(magnitude: float) -> int:
    """Return the number of decimals that gives four significant digits, at most three."""
    if magnitude == 0:
        return 0
    rounded = float(f"{magnitude:.{_SIGNIFICANT - 1}e}")
    return min(max(_SIGNIFICANT - 1 - math.floor(math.log10(rounded)), 0), _SIGNIFICANT - 1)


def _is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _unsigned_zero(value: float, digits: int) -> float:
    """Return a value rounded half to even at its last digit; never a negative zero."""
    return value if float(f"{value:.{digits}f}") != 0 else 0


def _minus(text: str) -> str:
    return text.replace("-", MINUS)
