"""What an explanation says: the levels from root to leaf, the factors of an increment, the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite, prod
from typing import Any, Literal

Which = Literal["common", "first", "other"]
UNKNOWN = float("nan")
_PARTS = ("share", "target", "actual", "filtered", "base")


@dataclass(frozen=True, slots=True)
class Level:
    """A node on the way from the root to a leaf.

    Attributes:
        which: on both ways, or on that of the first or the other leaf alone.
        is_parting: the first node of a way that the other does not share.
        shares: own shares; of_all and of_counted: sums over all siblings, and over those that count now.
        machine_share: part of the machine by all siblings; share: the one in the policy's equations.
        usage: decayed cost units at and below it; usage_part: as part of the whole machine's.
        usage_over_share: usage_part / share; NaN where nothing was used or is due.
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
    usage: float
    usage_part: float
    usage_over_share: float
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
        note: such as that it is at a limit.
        source: paper and equation, or that it is ours.
    """

    key: str
    label: str
    value: float
    note: str = ""
    source: str = ""
    multiplies: bool = False

    @property
    def is_part(self) -> bool:
        """Whether the value is a part of the machine or of a group, 0 .. 1."""
        return self.key in _PARTS


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared.

    Attributes:
        pid: the process that stands for the user: the one asked for, else the next to run; None without one.
        is_present: it has an l-node; otherwise all is as if it logged in now and started one process.
        increment: priority points for a tick.
        decay: what a second leaves of the priority; priority_half_life_s follows from it.
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
        """The value of a factor; NaN where the policy has none of that key."""
        return next((factor.value for factor in self.factors if factor.key == key), UNKNOWN)


@dataclass(frozen=True, slots=True)
class FactorLine:
    """A factor of one side or both beside each other; `own` has it of each side, None where it has none."""

    label: str
    source: str
    multiplies: bool
    own: tuple[Factor | None, ...]


def factor_lines(sides: Sequence[Side]) -> list[FactorLine]:
    """The factors of all sides, in the order in which they come first."""
    by_key = [{factor.key: factor for factor in side.factors} for side in sides]
    lines = []
    for key in dict.fromkeys(key for factors in by_key for key in factors):
        own = tuple(factors.get(key) for factors in by_key)
        first = next(factor for factor in own if factor is not None)
        lines.append(FactorLine(first.label, first.source, first.multiplies, own))
    return lines


@dataclass(frozen=True, slots=True)
class Contribution:
    """One cause by which the first is pushed back `ratio` times as far as the other for the same CPU time."""

    key: str
    text: str
    ratio: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one goes before another, at one moment.

    Attributes:
        standing: what this is worked out from, where that is less than a machine that runs.
        ratio: product of the contributions; below 1 the first goes first. NaN without another.
        goes_first: node that goes first; None where both are alike or there is no other.
        verdict: the same in plain words.
    """

    policy: str
    policy_title: str
    policy_source: str
    tick: int
    time_s: float
    standing: str
    levels: tuple[Level, ...]
    first: Side
    other: Side | None
    contributions: tuple[Contribution, ...]
    ratio: float
    goes_first: int | None
    verdict: str

    @property
    def sides(self) -> tuple[Side, ...]:
        """The first, and the other if there is one."""
        return (self.first,) if self.other is None else (self.first, self.other)

    def to_json(self) -> dict[str, Any]:
        """Plain data; what is not known is None."""
        known: dict[str, Any] = _known(asdict(self))
        return known


def _known(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _known(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_known(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value
