"""Changes that reach a wished fairshare by a given time: each kind of change is solved separately.

Fairshare grows with the shares of a node and of the accounts above it, and with the dampening factor. It
falls with the node's use. These are solved by bisection. With the half-life it may grow or fall, so a grid is
searched first. If no value is sufficient, the nearest one is returned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.damping import MOST_WHOLE
from fsconsole.slurm.fairshare import SharesChange
from fsconsole.slurm.forecast import Curves, Forecast
from fsconsole.slurm.outlook import Outlook
from fsconsole.slurm.staged_changes import Changes, RateChange, with_rates

MOST_SHARES = 1_000_000_000
MOST_RATE = 1e9
_NEAREST = 1 - 5e-4  # Three digits do not show a smaller difference.
_RELATIVE = 1e-9
_LEAST_RATE = 1e-6  # Where nobody uses anything, no rate above 0 may fulfil a wish that 0 does.
_MINUTE_S = 60.0
_MOST_HALF_LIFE_S = 10_000 * 86400.0
_HALF_LIVES = 40


class Quantity(StrEnum):
    """Quantities that a goal can name."""

    FAIRSHARE = "F"
    LEVEL_FS = "LevelFS"


class Means(StrEnum):
    """Means of reaching a goal."""

    SHARES = "shares"
    WORK = "work"
    HALF_LIFE = "half-life"
    DAMPING = "dampening factor"
    RESET = "usage"


@dataclass(frozen=True, slots=True)
class Goal:
    """A value that a node is to have at the first calculation from a time on, at least."""

    row: int
    value: float
    time_s: float
    quantity: Quantity = Quantity.FAIRSHARE

    def __post_init__(self) -> None:
        """Raise ValueError for a value or time that is out of range."""
        most = 1.0 if self.quantity is Quantity.FAIRSHARE else math.inf
        if not (0 < self.value <= most and self.value < math.inf):
            high = " and at most 1" if most == 1.0 else ""
            msg = f"the goal for {self.quantity} is {self.value:g}. It must be above 0{high}"
            raise ValueError(msg)
        if not 0 < self.time_s < math.inf:
            msg = f"the goal is for {self.time_s:g} s from now. That time must be in the future"
            raise ValueError(msg)

    def of(self, found: Forecast) -> float:
        """Return the value in a forecast of the node at one time."""
        values = found.fairshare if self.quantity is Quantity.FAIRSHARE else found.level_fs
        return float(values[0, 0])


@dataclass(frozen=True, slots=True)
class Way:
    """One way to the wished value, with everything else unchanged.

    Attributes:
        means: kind of the change.
        row: row whose shares or work change; 0 for settings of the cluster.
        now: present value: raw shares, CPUs, seconds, the factor, or billing-seconds.
        value: required or nearest value: the least shares, the most CPUs, the half-life nearest to the
            present one, no usage.
        reached: resulting quantity.
        is_enough: whether the wish is fulfilled.
        changes: the changes to try and apply.
    """

    means: Means
    row: int
    now: float
    value: float
    reached: float
    is_enough: bool
    changes: Changes


@dataclass(frozen=True, slots=True)
class Solution:
    """Result of the outlook by itself, and the ways: shares from the node upwards, work, settings."""

    goal: Goal
    reached: float
    ways: tuple[Way, ...]

    @property
    def enough(self) -> tuple[Way, ...]:
        """The ways that reach the wish."""
        return tuple(way for way in self.ways if way.is_enough)


def solve(outlook: Outlook, goal: Goal, go_on: Callable[[], object] = lambda: None) -> Solution:
    """Return all ways to a goal; `go_on` is called between them and may raise.

    ValueError where the goal is a level fairshare and the cluster does not rank by Fair Tree.
    """
    if goal.quantity is Quantity.LEVEL_FS and not outlook.by_rank:
        msg = "LevelFS belongs to Fair Tree. In classic fairshare, use F"
        raise ValueError(msg)
    reached = goal.of(Curves(outlook, (goal.row,)).at_time(goal.time_s))
    found = []
    for way in _ways(outlook, goal):
        found.append(way)
        go_on()
    return Solution(goal, reached, tuple(found))


def _ways(outlook: Outlook, goal: Goal) -> Iterator[Way]:
    tree, row = outlook.tree, goal.row
    while row > 0:
        if tree.shares[row] != PARENT_SHARES:
            yield _by_shares(outlook, goal, row)
        row = int(tree.parent[row])
    yield _by_work(outlook, goal)
    yield _by_reset(outlook, goal)
    if math.isfinite(outlook.decay.half_life_s):
        yield _by_half_life(outlook, goal)
    if not outlook.by_rank:
        yield _by_damping(outlook, goal)


def _by_shares(outlook: Outlook, goal: Goal, row: int) -> Way:
    curves = Curves(outlook, (goal.row,))

    def reached(shares: int) -> float:
        return goal.of(curves.with_shares(row, shares).at_time(goal.time_s))

    now = int(outlook.tree.shares[row])
    shares = _least_or_nearest(reached, goal.value, max(now, 1), MOST_SHARES)
    return _way(Means.SHARES, row, now, shares, reached(shares), goal, Changes((SharesChange(row, shares),)))


def _by_damping(outlook: Outlook, goal: Goal) -> Way:
    def reached(damping: int) -> float:
        return goal.of(Curves(replace(outlook, damping=damping), (goal.row,)).at_time(goal.time_s))

    damping = _least_or_nearest(reached, goal.value, max(round(outlook.damping), 1), MOST_WHOLE)
    changes = Changes(damping=float(damping))
    return _way(Means.DAMPING, 0, outlook.damping, damping, reached(damping), goal, changes)


def _by_work(outlook: Outlook, goal: Goal) -> Way:
    row = goal.row
    work = replace(outlook, working=outlook.work_now())

    def reached(rate: float) -> float:
        changed = with_rates(work, (RateChange(row, rate),))
        return goal.of(Curves(changed, (row,)).at_time(goal.time_s))

    high, low, rate = max(now := rate_now(outlook, row), 1.0), 0.0, 0.0
    if reached(0.0) >= goal.value:
        while high < MOST_RATE and reached(high) >= goal.value:
            low, high = high, min(2 * high, MOST_RATE)
        rate = MOST_RATE if reached(high) >= goal.value else _most(reached, goal.value, low, high)
    return _way(Means.WORK, row, now, rate, reached(rate), goal, Changes(rates=(RateChange(row, rate),)))


def _most(reached: Callable[[float], float], wished: float, low: float, high: float) -> float:
    """Return the largest number that fulfils the wish, between one that does and one that does not."""
    while high - low > max(_RELATIVE * high, _LEAST_RATE):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) >= wished else (low, middle)
    return low


def rate_now(outlook: Outlook, row: int) -> float:
    """Return the rate of a row at first, with all below it, billing units a second."""
    begun = (one for one in outlook.planned if one.spell.start_s == 0)
    return float(
        outlook.rates()[row] + sum(one.spell.rate * outlook.part_of_plan(one.row)[row] for one in begun)
    )


def _by_reset(outlook: Outlook, goal: Goal) -> Way:
    changes = Changes(resets=(goal.row,))
    reached = goal.of(Curves(changes.applied(outlook), (goal.row,)).at_time(goal.time_s))
    return _way(Means.RESET, goal.row, float(outlook.tree.usage[goal.row]), 0.0, reached, goal, changes)


def _by_half_life(outlook: Outlook, goal: Goal) -> Way:
    """Return whole minutes, as in Slurm: the sufficient value nearest to the present one, or the best."""
    now = outlook.decay.half_life_s

    def reached(minutes: int) -> float:
        changed = Changes(half_life_s=minutes * _MINUTE_S).applied(outlook)
        return goal.of(Curves(changed, (goal.row,)).at_time(goal.time_s))

    grid = np.geomspace(1, _MOST_HALF_LIFE_S / _MINUTE_S, _HALF_LIVES).round()
    tried = sorted({*grid.astype(int).tolist(), round(now / _MINUTE_S)})
    values = [reached(minutes) for minutes in tried]
    present = tried.index(round(now / _MINUTE_S))
    enough = [place for place, value in enumerate(values) if value >= goal.value]
    if not enough:
        as_good = [place for place, value in enumerate(values) if value >= max(values) * _NEAREST]
        best = tried[min(as_good, key=lambda one: abs(math.log(tried[one] / tried[present])))]
    elif present in enough:
        best = tried[present]
    else:
        place = min(enough, key=lambda one: abs(math.log(tried[one] / tried[present])))
        best = _nearest_half_life(
            reached, goal.value, tried[place], tried[place + (1 if place < present else -1)]
        )
    changes = Changes(half_life_s=best * _MINUTE_S)
    return _way(Means.HALF_LIFE, 0, now, best * _MINUTE_S, reached(best), goal, changes)


def _nearest_half_life(reached: Callable[[int], float], wished: float, holds: int, fails: int) -> int:
    while abs(holds - fails) > 1:
        middle = (holds + fails) // 2
        holds, fails = (middle, fails) if reached(middle) >= wished else (holds, middle)
    return holds


def _least_or_nearest(reached: Callable[[int], float], wished: float, start: int, most: int) -> int:
    """Return the least whole number from 1 for which a growing value fulfils the wish.

    If there is none, return the least number with the largest value in three digits, or `start`, the present
    number, if it is as good.
    """
    found = least_number(lambda number: reached(number) >= wished, start, most)
    if found is not None:
        return found
    nearest = reached(most) * _NEAREST
    if reached(start) >= nearest:
        return start
    return least_number(lambda number: reached(number) >= nearest, start, most) or most


def least_number(holds: Callable[[int], bool], start: int, most: int) -> int | None:
    """Return the least whole number from 1 for which something holds that no larger number undoes; None if
    it does not hold for `most`. The search begins at `start`.
    """
    high = start
    while not holds(high):
        if high >= most:
            return None
        high = min(2 * high, most)
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _way(
    means: Means, row: int, now: float, value: float, reached: float, goal: Goal, changes: Changes
) -> Way:
    return Way(means, row, now, value, reached, reached >= goal.value, changes)
