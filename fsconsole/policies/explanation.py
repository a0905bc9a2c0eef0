"""Explanation of increments: levels from root to leaf, factors, and the causes of a difference between two
users.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, prod
from typing import Literal

from fsconsole.text.numbers import fixed, short_percent
from fsconsole.text.words import listed

Which = Literal["common", "first", "other"]
UNKNOWN = float("nan")
_PARTS = ("share", "target", "actual", "filtered", "base")


@dataclass(frozen=True, slots=True)
class Level:
    """A node on the way from the root to a leaf.

    Attributes:
        which: whether the node is on both ways, or only on that of the first or the other leaf.
        is_parting: the first node of a way that the other does not share.
        shares: own shares; of_all and of_counted: sums over all siblings, and over those that count now.
        machine_share: part of the machine by all siblings; share: the one in the policy's equations.
        counted_share: the share, of the machine without system groups where `leaves_out`.
        usage: decayed cost units at and below it; usage_part: over that of all whom `counted_share` counts.
        usage_over_share: usage_part / counted_share; NaN where nothing was used or is due.
        leaves_out: whether system groups are left out.
        group_factor: what group adjustment multiplies with here; 1 without it.
        target, filtered, actual, base: feedback's columns of the node, NaN under other policies.
    """

    node: int
    name: str
    depth: int
    which: Which
    is_parting: bool
    shares: int
    of_all: int
    of_counted: int
    machine_share: float
    share: float
    counted_share: float
    usage: float
    usage_part: float
    usage_over_share: float
    leaves_out: bool = False
    group_factor: float = 1.0
    target: float = UNKNOWN
    filtered: float = UNKNOWN
    actual: float = UNKNOWN
    base: float = UNKNOWN


@dataclass(frozen=True, slots=True)
class Factor:
    """One quantity on the way to an increment.

    Attributes:
        multiplies: one of those whose product is the increment before it is rounded.
        note: a remark, such as that the value is at a limit.
        source: paper and equation, or a mark that the formula is ours.
    """

    key: str
    label: str
    value: float
    note: str = ""
    source: str = ""
    multiplies: bool = False

    @property
    def is_part(self) -> bool:
        """True if the value is a part of the machine or of a group, 0 .. 1."""
        return self.key in _PARTS


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two users that are compared.

    Attributes:
        pid: the process that represents the user: the one asked for, else the next to run; None without one.
        is_present: whether the user has an l-node; otherwise all values assume a login now with one process.
        increment: priority points for a tick.
        decay: factor of the priority's decay in a second; `priority_half_life_s` follows from it.
    """

    node: int
    name: str
    path: str
    pid: int | None
    is_present: bool
    processes: int
    runnable: int
    nice: int
    decay: float
    priority_half_life_s: float
    priority: int | None
    increment: int
    factors: tuple[Factor, ...]

    @property
    def product(self) -> float:
        """The increment before it is rounded to an integer."""
        return prod(factor.value for factor in self.factors if factor.multiplies)

    def factor(self, key: str) -> float:
        """Return the value of a factor; NaN if the policy does not have it."""
        return next((factor.value for factor in self.factors if factor.key == key), UNKNOWN)


@dataclass(frozen=True, slots=True)
class Contribution:
    """One cause: for equal CPU time, it pushes the first user back `ratio` times as far as the other."""

    key: str
    text: str
    ratio: float


@dataclass(frozen=True, slots=True)
class LevelColumn:
    """A column of `PolicyState` that a policy uses for its decisions, as tables of levels show it.

    Attributes:
        key: the column, a fraction.
        is_judged: whether the user with more of it, where two ways part, goes first.
        is_detail: whether it is left out in a narrow table.
    """

    key: str
    title: str
    meaning: str
    is_judged: bool = False
    is_detail: bool = False


def parting(levels: tuple[Level, ...]) -> tuple[Level, Level]:
    """Return the first two levels that are not common."""
    mine, its = (level for level in levels if level.is_parting)
    return mine, its


def leaves(levels: tuple[Level, ...]) -> tuple[Level, Level]:
    """Return the last level of each way."""
    mine, its = ([level for level in levels if level.which == which][-1] for which in ("first", "other"))
    return mine, its


def groups_inside(levels: tuple[Level, ...]) -> str:
    """Return names of the groups at which two paths part; a path that ends there adds none."""
    counts = [sum(1 for level in levels if level.which == which) for which in ("first", "other")]
    names = [level.name for level, count in zip(parting(levels), counts, strict=True) if count > 1]
    return listed(names)


def place_of_parting(levels: tuple[Level, ...]) -> str:
    """Return, in words, the node at which two ways part."""
    common = [level.name for level in levels if level.which == "common"]
    return f"Their paths separate below {common[-1] if common else 'the root'}"


def rest(text: str, first: Side, other: Side, others: list[Contribution]) -> Contribution:
    """Return the part of the quotient of the increments that the causes in `others` do not explain."""
    ratio = first.product / other.product / prod(item.ratio for item in others)
    return Contribution("rest", text, ratio)


def by_processes(first: Side, other: Side) -> Contribution:
    """Return the contribution of different numbers of processes."""
    rates = (first.factor("rate"), other.factor("rate"))
    words = f"the numbers of processes, filtered ({rates[0]:.3g} and {rates[1]:.3g})"
    return Contribution("processes", words, rates[0] / rates[1])


def share_words(mine: Level, its: Level) -> str:
    """Return the shares of two and what they are of: `2.5 % and 1.667 % of the machine`."""
    parts = listed([short_percent(level.counted_share) for level in (mine, its)])
    return f"{parts} of the machine{' without system groups' if mine.leaves_out else ''}"


def used(mine: Level, its: Level) -> str:
    """Compare the usage of two with their shares, in words."""
    values = (mine.usage_over_share, its.usage_over_share)
    pairs = tuple(zip((mine, its), values, strict=True))
    if any(isnan(value) for value in values):
        nobody = mine.usage == its.usage == 0.0
        return "neither has used anything yet" if nobody else f"{_amount(mine)} and {_amount(its)}"
    usages = [f"{times(value)} its share" if level.usage else "nothing" for level, value in pairs]
    return f"{mine.name} has used {usages[0]} and {its.name} {usages[1].removesuffix(' its share')}"


def _amount(level: Level) -> str:
    if level.share <= 0.0:
        return f"{level.name} has no shares"
    value = level.usage_over_share
    return f"{level.name} has used nothing yet" if isnan(value) else f"{level.name} {times(value)} its share"


def times(value: float) -> str:
    """Return a quotient in words."""
    if value >= 1e6:
        return "more than a million times"
    return f"{fixed(value, 2 if value < 100 else 0)} times"
