"""How far a plot's y axis reaches: percent are fixed, all else grows in steps of 1-2-5. No Qt."""

from __future__ import annotations

import math

from fsconsole.text import numbers

_STEPS = (1.0, 2.0, 5.0, 10.0)
_LETTERS = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"))


def top_for(largest: float) -> float:
    """The smallest of 1, 2, 5, 10 ... that holds a value; 1 where there is nothing to hold."""
    if not largest > 0 or not math.isfinite(largest):
        return 1.0
    power: float = 10.0 ** math.floor(math.log10(largest))
    return next((step * power for step in _STEPS if largest <= step * power * (1 + 1e-9)), 10 * power)


def next_top(before: float, largest: float, *, running: bool) -> float:
    """The top after new values came: it never shrinks while the machine runs."""
    wanted = top_for(largest)
    return max(before, wanted) if running else wanted


def letter_of(top: float) -> tuple[float, str]:
    """(divisor, SI letter) for all numbers of a plot with that top; (1, "") below 10^6."""
    return next(((step, letter) for step, letter in _LETTERS if top >= step), (1.0, ""))


def ticks(low: float, high: float, scale: float) -> list[tuple[float, str]]:
    """Places with their words; `scale` turns values into what is read.

    Bottom, middle and top where the top is 1, 2 or 5 times a power of ten; else whole steps of such.
    """
    places = (low, (low + high) / 2, high) if top_for(high) == high else _stepped(low, high, scale)
    divisor, letter = letter_of(max(abs(low), abs(high)) * scale)
    shown = [place * scale / divisor for place in places]
    digits = max(_digits(value) for value in shown)
    return [
        (place, f"{numbers.fixed(value, digits if value else 0)} {letter if value else ''}".rstrip())
        for place, value in zip(places, shown, strict=True)
    ]


def _stepped(low: float, high: float, scale: float) -> tuple[float, ...]:
    """Multiples, as they are read, of the largest step of 1-2-5 that fits twice."""
    span = (high - low) * scale
    power = 10.0 ** math.floor(math.log10(span / 2))
    step = max(factor * power for factor in _STEPS if factor * power <= span / 2 * (1 + 1e-9))
    return tuple(low + number * step / scale for number in range(int(span / step + 1e-9) + 1))


def _digits(value: float) -> int:
    return next((digits for digits in range(4) if abs(value - round(value, digits)) < 1e-9), 3)
