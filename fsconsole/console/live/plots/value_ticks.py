"""The ticks of a live plot's value axis, and their labels. No Qt."""

from __future__ import annotations

import math

from fsconsole.figures.log_axis import digits_of, letter_of
from fsconsole.text import numbers

_STEPS = (1.0, 2.0, 5.0, 10.0)
_LEAST_PARTS = 2
_PART_PX = 70.0  # Pixels of the axis for a tick, including room for one smaller step.


def top_for(largest: float) -> float:
    """Return the smallest of 1, 2, 5, 10 ... that holds a value; 1 where there is nothing to hold."""
    if not largest > 0 or not math.isfinite(largest):
        return 1.0
    power: float = 10.0 ** math.floor(math.log10(largest))
    return next((step * power for step in _STEPS if largest <= step * power * (1 + 1e-9)), 10 * power)


def next_top(before: float, largest: float, *, running: bool) -> float:
    """Return the top after new values came: it never shrinks while the machine runs."""
    wanted = top_for(largest)
    return max(before, wanted) if running else wanted


def y_ticks(low: float, high: float, scale: float, height_px: float = 0.0) -> list[tuple[float, str]]:
    """Return places with their words; `scale` turns values into the displayed unit.

    Bottom, middle and top where the top is 1, 2 or 5 times a power of ten; else whole steps of such. A high
    plot has more.
    """
    parts = max(_LEAST_PARTS, int(height_px / _PART_PX))
    is_whole = low == 0 and top_for(high) == high and parts == _LEAST_PARTS
    places = (low, (low + high) / 2, high) if is_whole else _stepped(low, high, scale, parts)
    divisor, letter = letter_of(max(abs(low), abs(high)) * scale)
    shown = [place * scale / divisor for place in places]
    digits = max(digits_of(value) for value in shown)
    return [
        (place, f"{numbers.fixed(value, digits if value else 0)} {letter if value else ''}".rstrip())
        for place, value in zip(places, shown, strict=True)
    ]


def _stepped(low: float, high: float, scale: float, parts: int) -> tuple[float, ...]:
    """Return multiples of the largest step of 1-2-5 that fits so many times."""
    most = (high - low) * scale / parts
    power = 10.0 ** math.floor(math.log10(most))
    step = max(factor * power for factor in _STEPS if factor * power <= most * (1 + 1e-9))
    first, last = math.ceil(low * scale / step - 1e-9), math.floor(high * scale / step + 1e-9)
    return tuple(number * step / scale for number in range(first, last + 1))
