"""Where a value axis of a live plot has ticks, and what stands there. No Qt."""

from __future__ import annotations

import math

from fsconsole.figures.ticks import unit_with_power
from fsconsole.text import numbers

_STEPS = (1.0, 2.0, 5.0, 10.0)
_LETTERS = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"))
_MOST_DIGITS = 6
_MOST_LABELS = 3  # steps between labels of powers
_WRITTEN_OUT = 1e-3  # from here on without a power


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


def y_ticks(low: float, high: float, scale: float) -> list[tuple[float, str]]:
    """Places with their words; `scale` turns values into what is read.

    Bottom, middle and top where the top is 1, 2 or 5 times a power of ten; else whole steps of such.
    """
    is_whole = low == 0 and top_for(high) == high
    places = (low, (low + high) / 2, high) if is_whole else _stepped(low, high, scale)
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
    first, last = math.ceil(low * scale / step - 1e-9), math.floor(high * scale / step + 1e-9)
    return tuple(number * step / scale for number in range(first, last + 1))


def _digits(value: float) -> int:
    return next(
        (digits for digits in range(_MOST_DIGITS) if abs(value - round(value, digits)) < 1e-9), _MOST_DIGITS
    )


def log_ticks(floor: float, top: float, scale: float) -> list[tuple[float, str]]:
    """Values with their words on an axis of powers of ten: decades, or 1, 2, 5 within few."""
    shift = math.log10(scale)
    first, last = math.ceil(floor + shift - 1e-9), math.floor(top + shift + 1e-9)
    if last - first >= 1:
        every = -(-(last - first) // _MOST_LABELS)
        shown = [10.0**power for power in range(last, first - 1, -every)][::-1]
    else:
        powers = range(math.floor(floor + shift), last + 1)
        shown = [step * 10.0**power for power in powers for step in _STEPS[:3]]
        shown = [value for value in shown if floor <= math.log10(value) - shift <= top]
    return [(value / scale, _log_words(value)) for value in shown]


def _log_words(value: float) -> str:
    if value < _WRITTEN_OUT:
        power = math.floor(math.log10(value) + 1e-9)
        leading = numbers.fixed(value / 10.0**power, 0)
        return f"{'' if leading == '1' else f'{leading}·'}{unit_with_power('', power)}"
    divisor, letter = letter_of(value)
    return f"{numbers.fixed(value / divisor, _digits(value / divisor))} {letter}".rstrip()
