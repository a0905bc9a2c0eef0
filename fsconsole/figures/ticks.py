"""Ticks, ranges and places for names: the arithmetic of a figure. No Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

MINUS = "\N{MINUS SIGN}"
_TIME_STEPS_S = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600)
_CLOCK_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200)
_DAY_S = 86_400
# Less usual steps are used if the range ends at a whole step.
_ENDING_STEPS_S = sorted((*_TIME_STEPS_S, 50, 100, 200, 400, 500))
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Ticks:
    """Positions and labels of an axis's ticks."""

    values: tuple[float, ...]
    labels: tuple[str, ...]


def nice_step(span: float, count: int) -> float:
    """Return the step of 1, 2 or 5 times a power of ten that divides a span into about `count` parts."""
    rough = span / max(count, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next((factor * power for factor in (1.0, 2.0, 5.0) if factor * power >= rough * 0.999), 10 * power)


def nice_top(value: float) -> float:
    """Return the end of an axis from 0 that covers a value in whole steps; 1 for the value 0."""
    if not value > 0 or not math.isfinite(value):
        return 1.0
    step = nice_step(value, 4)
    return math.ceil(value / step - 1e-9) * step


def linear_ticks(low: float, high: float, count: int) -> Ticks:
    """Return ticks at whole steps inside a range; percentages get quarters (0, 25, 50, 75, 100)."""
    step = 25.0 if (low, high) == (0.0, 100.0) and count >= 3 else nice_step(high - low, count)
    return _stepped(low, high, step)


def time_ticks(low: float, high: float, count: int) -> Ticks:
    """Return ticks at whole seconds, minutes or hours of a range in s, if possible with one at its end."""
    rough = (high - low) / max(count, 1)
    if rough < 1:
        return linear_ticks(low, high, count)
    if rough > _TIME_STEPS_S[-1]:
        return _stepped(low, high, 3600.0 * nice_step((high - low) / 3600, count))
    ending = [step for step in _ENDING_STEPS_S if low % step == high % step == 0 and _are_near(step, rough)]
    step = min(ending or _TIME_STEPS_S, key=lambda step: abs(math.log(step / rough)))
    return _stepped(low, high, float(step))


def clock_ticks(low: float, high: float, count: int, offset_s: float = 0.0) -> tuple[float, ...]:
    """Return times of ticks at whole seconds, minutes, hours or days of a clock.

    `offset_s` is the clock's time at time 0.
    """
    rough = (high - low) / max(count, 1)
    if rough > _CLOCK_STEPS_S[-1] * 1.5:
        step = _DAY_S * max(1.0, nice_step((high - low) / _DAY_S, count))
    else:
        step = float(min(_CLOCK_STEPS_S, key=lambda step: abs(math.log(step / max(rough, 1e-9)))))
    first = math.ceil((low + offset_s) / step - 1e-6)
    last = math.floor((high + offset_s) / step + 1e-6)
    return tuple(step * number - offset_s for number in range(first, last + 1))


def _are_near(step: float, rough: float) -> bool:
    """Return True if a step is 2/3 to 2 times a rough one, so that ticks are neither crowded nor sparse."""
    return 2 / 3 <= step / rough <= 2


def _stepped(low: float, high: float, step: float) -> Ticks:
    first = math.ceil(low / step - 1e-6)
    last = math.floor(high / step + 1e-6)
    values = tuple(step * index for index in range(first, last + 1))
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    labels = tuple(f"{value + 0.0:.{digits}f}".replace("-", MINUS) for value in values)
    return Ticks(values, labels)


def power_of_thousand(largest: float) -> int:
    """Return the exponent (a multiple of 3) for an axis title; 0 if plain numbers are readable."""
    if not largest > 0 or not math.isfinite(largest) or 0.01 <= largest < 100_000:
        return 0
    return 3 * math.floor(math.log10(largest) / 3)


def unit_with_power(unit: str, exponent: int) -> str:
    """Return a unit with a power of ten: `10⁶ cost units`."""
    if exponent == 0:
        return unit
    return f"10{str(exponent).translate(_SUPERSCRIPT)} {unit}".rstrip()


def spread(wanted: Sequence[float], height: float, low: float, high: float) -> list[float]:
    """Return places as near as possible to the wanted ones, in their order and `height` apart.

    All are between `low` and `high`. Neighbours that would overlap form a block around the mean of their
    wanted places; equal ones keep the given order. If there is not enough room they are packed evenly.
    """
    if not wanted:
        return []
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    gap = min(height, (high - low) / max(len(wanted) - 1, 1))
    blocks: list[list[float]] = []  # A block has the mean place of its first member, then its members.
    for index in order:
        blocks.append([min(max(wanted[index], low), high), 1])
        while len(blocks) > 1 and blocks[-2][0] + gap * blocks[-2][1] > blocks[-1][0]:
            start, count = blocks.pop()
            below, below_count = blocks[-1]
            total = below_count + count
            mean = (below * below_count + (start - gap * below_count) * count) / total
            # A block pushed back from the end may meet the next one, so this is in the loop.
            blocks[-1] = [min(max(mean, low), high - gap * (total - 1)), total]
    places = [start + gap * step for start, count in blocks for step in range(int(count))]
    result = [0.0] * len(wanted)
    for index, place in zip(order, places, strict=True):
        result[index] = place
    return result
