"""Skewed numbers with a given count, median, maximum and total."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from fsconsole.batch.job_table import Floats, Ints

_HALVINGS = 60
_LEAST_POWER, _MOST_POWER = 1e-4, 1e4


@dataclass(frozen=True, slots=True)
class TargetDistribution:
    """The target of numbers: count, median, maximum and total, and the least possible value."""

    count: int
    median: float
    largest: float
    total: float
    least: float


def spread_reals(aim: TargetDistribution, rng: Generator, fixed: Sequence[float] = ()) -> Floats:
    """Return numbers for the target, rising, [count], without the `fixed` ones, which count among them.

    Below the median they are spread evenly by their logarithm. Above it they crowd towards the median by a
    power that gives the total. (Ours.)

    Raises:
        ValueError: no numbers of that count, median and maximum have the total.
    """
    above, below, pinned = _halves(aim, fixed)
    lower = aim.least * (aim.median / aim.least) ** rng.random(below)
    at = rng.random(above)
    wanted = aim.total - sum(fixed) - float(lower.sum()) - sum(pinned)
    upper = _solved(lambda power: _above(aim, at, power), wanted)
    return np.sort(np.concatenate([lower, upper, pinned]))


def spread_integers(aim: TargetDistribution, rng: Generator, fixed: Sequence[int] = ()) -> Ints:
    """Return whole numbers with exactly the total, rising, [count]; a median may end in a half.

    The `fixed` ones count among them and are left out. They are spread as by `spread_reals`.

    Raises:
        ValueError: no numbers of that count, median and maximum have the total.
    """
    above, below, pinned = _halves(aim, fixed)
    middle = (int(np.floor(aim.median)), int(np.ceil(aim.median)))
    pinned = [aim.largest, *middle] if aim.count % 2 == 0 else [aim.largest, aim.median]
    lower = np.rint(aim.least * (middle[0] / aim.least) ** rng.random(below))
    at = rng.random(above)
    wanted = aim.total - sum(fixed) - float(lower.sum()) - sum(pinned)
    upper = _solved(lambda power: np.maximum(np.rint(_above(aim, at, power)), middle[1]), wanted)
    _make_up(upper, round(wanted - float(upper.sum())), middle[1], aim.largest)
    return np.sort(np.concatenate([lower, upper, pinned])).astype(np.int64)


def _halves(aim: TargetDistribution, fixed: Sequence[float]) -> tuple[int, int, list[float]]:
    """Return the numbers left to draw above and below the median, and the set ones: maximum and middle."""
    middle = 2 - aim.count % 2
    half = (aim.count - middle) // 2
    above = half - 1 - sum(value >= aim.median for value in fixed)
    below = half - sum(value < aim.median for value in fixed)
    if min(above, below) < 0:
        msg = "there are more fixed numbers than places above or below the median"
        raise ValueError(msg)
    return above, below, [aim.largest, *[aim.median] * middle]


def _above(aim: TargetDistribution, at: Floats, power: float) -> Floats:
    values: Floats = aim.median * (aim.largest / aim.median) ** (at**power)
    return values


def _solved(values: Callable[[float], Floats], wanted: float) -> Floats:
    """Return values at the power that gives the wanted sum, or the next smaller one at a jump."""
    if not values(_MOST_POWER).sum() <= wanted <= values(_LEAST_POWER).sum():
        msg = f"no numbers add up to {wanted:g}"
        raise ValueError(msg)
    low, high = np.log(_LEAST_POWER), np.log(_MOST_POWER)
    for _ in range(_HALVINGS):
        power = (low + high) / 2
        low, high = (power, high) if values(np.exp(power)).sum() > wanted else (low, power)
    return values(float(np.exp(high)))


def _make_up(values: Floats, missing: int, least: float, largest: float) -> None:
    """Add the missing amount to values with room, in place."""
    for index in np.argsort(values)[::-1]:
        added = np.clip(missing, least - values[index], largest - values[index])
        values[index] += added
        missing -= int(added)


def usual_sizes(
    aim: TargetDistribution, rng: Generator, power_of_two: float, fixed: Sequence[int] = ()
) -> Ints:
    """Return numbers of nodes, rising, [count]: mostly powers of two, with about the wanted total.

    Args:
        aim: the target.
        rng: random number generator.
        power_of_two: fraction of powers of two among those that are not a given median or maximum.
        fixed: sizes that count among them and are not returned.
    """
    above, below, pinned = _halves(aim, fixed)
    even = rng.random(above + below) < power_of_two
    lower = _snapped(aim.least * (aim.median / aim.least) ** rng.random(below), even[:below])
    lower = np.clip(lower, aim.least, aim.median)
    at = rng.random(above)
    wanted = aim.total - sum(fixed) - float(lower.sum()) - sum(pinned)

    def upper(power: float) -> Floats:
        return np.clip(_snapped(_above(aim, at, power), even[below:]), aim.median, aim.largest)

    return np.sort(np.concatenate([lower, _solved(upper, wanted), pinned])).astype(np.int64)


def _snapped(values: Floats, even: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Floats:
    """Return the nearest power of two if `even` is set, otherwise the nearest whole number."""
    snapped: Floats = np.where(even, 2 ** np.rint(np.log2(values)), np.rint(values))
    return snapped
