"""What an explanation says: the levels from root to leaf, the factors of an increment, the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from fsconsole.policies.explanation import Contribution, Factor, Level, Side


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
