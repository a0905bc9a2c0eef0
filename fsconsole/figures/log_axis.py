"""Axes in powers of ten: places of values, 0 among them, and ticks. No Qt."""

from __future__ import annotations

import math

import numpy as np

from fsconsole.figures.spec import Floats
from fsconsole.figures.ticks import Ticks, unit_with_power
from fsconsole.text import numbers

STRIP = 0.15  # This fraction of the axis is for 0 and the break above it.
MOST_DECADES = 6
_STEPS = (1.0, 2.0, 5.0)
_LETTERS = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"))
_MOST_DIGITS = 6
_MOST_STEPS_LABELLED = 3
_WRITTEN_OUT = 1e-3  # Smaller values are written as powers of ten.


def letter_of(top: float) -> tuple[float, str]:
    """Return divisor and SI letter for the numbers of a plot with that top; (1, "") below 10^6."""
    return next(((step, letter) for step, letter in _LETTERS if top >= step), (1.0, ""))


def digits_of(value: float) -> int:
    """Return the number of decimals that a number needs, six at most."""
    return next(
        (digits for digits in range(_MOST_DIGITS) if abs(value - round(value, digits)) < 1e-9), _MOST_DIGITS
    )


def log_ticks(floor: float, top: float, scale: float) -> list[tuple[float, str]]:
    """Return values with labels for an axis of powers of ten: decades, or 1, 2, 5 within few decades."""
    shift = math.log10(scale)
    first, last = math.ceil(floor + shift - 1e-9), math.floor(top + shift + 1e-9)
    if last - first >= 1:
        every = -(-(last - first) // _MOST_STEPS_LABELLED)
        shown = [10.0**power for power in range(last, first - 1, -every)][::-1]
    else:
        powers = range(math.floor(floor + shift), last + 1)
        shown = [step * 10.0**power for power in powers for step in _STEPS]
        shown = [value for value in shown if floor <= math.log10(value) - shift <= top]
    return [(value / scale, _log_words(value)) for value in shown]


def _log_words(value: float) -> str:
    if value < _WRITTEN_OUT:
        power = math.floor(math.log10(value) + 1e-9)
        leading = numbers.fixed(value / 10.0**power, 0)
        return f"{'' if leading == '1' else f'{leading}·'}{unit_with_power('', power)}"
    divisor, letter = letter_of(value)
    return f"{numbers.fixed(value / divisor, digits_of(value / divisor))} {letter}".rstrip()


def places_on_log(values: Floats, floor: float, zero: float) -> Floats:
    """Return powers of ten of values, [...]; places for 0 and for values below the lowest power.

    NaN for values below 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = np.log10(values)
    powers = np.where(powers < floor, (floor + zero) / 2, powers)
    powers = np.where(values == 0, zero, powers)
    return np.where(values < 0, np.nan, powers)


def strip_of(floor: float, top: float) -> float:
    """Return the length of the strip for 0 below the lowest power, in powers of ten."""
    return STRIP / (1 - STRIP) * (top - floor)


def powers_for(smallest: float, largest: float) -> tuple[float, float]:
    """Return whole powers of ten around values above 0: at least one decade, and a limited number."""
    top = float(math.ceil(math.log10(largest) - 1e-9)) if 0 < largest < math.inf else 0.0
    low = float(math.floor(math.log10(smallest) + 1e-9)) if 0 < smallest < math.inf else top - 1
    return min(max(low, top - MOST_DECADES), top - 1), top


def figure_ticks(floor: float, top: float) -> Ticks:
    """Return the ticks of a figure in coordinates of the axis; the first one is 0."""
    marks = log_ticks(floor, top, 1.0)
    values = (floor - strip_of(floor, top), *(math.log10(value) for value, _ in marks))
    return Ticks(values, ("0", *(words for _, words in marks)))
