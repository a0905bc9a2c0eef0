"""The columns of the levels in the Why panel, by the deciding rule: a policy, or one of Slurm's
algorithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from fsconsole.machine.insight import Level
from fsconsole.policies.explanation import LevelColumn as OwnColumn
from fsconsole.policies.registry import policy_named
from fsconsole.slurm.insight import Level as ClusterLevel
from fsconsole.text import numbers

_SLIM_PX, _MEDIUM_PX = 400, 560


@dataclass(frozen=True, slots=True)
class LevelColumn:
    """A column: title, meaning, its text and the full value.

    `room_px`: the least width of the table at which it shows.
    `is_judged`: where two ways part, the lower value of this column is the better one.
    """

    title: str
    tip: str
    text: Callable[[Any], str]
    full: Callable[[Any], str]
    is_judged: bool = False
    value: Callable[[Any], float] = lambda _level: float("nan")
    room_px: int = 0


def _shares(level: Level) -> str:
    return f"{numbers.thousands(level.shares)} of {numbers.thousands(level.of_counted)}"


def _all_shares(level: Level) -> str:
    return f"{level.shares} of {level.of_counted} of active siblings, of {level.of_all} in total"


def _machine(level: Level) -> str:
    return numbers.percent(level.machine_share, numbers.PERCENT_OF_MACHINE_DIGITS, unit=False)


def _share(level: Level) -> str:
    return numbers.percent(level.counted_share, numbers.PERCENT_OF_MACHINE_DIGITS, unit=False)


def _usage(level: Level) -> str:
    return f"{numbers.full(level.usage)} cost units, decayed"


LEVEL = LevelColumn("Level", "", lambda level: level.name, lambda level: level.name)
SHARES = LevelColumn(
    "Shares",
    "Shares, and the total of all siblings that count now",
    _shares,
    _all_shares,
    room_px=_SLIM_PX,
)
MACHINE = LevelColumn(
    "Of machine, %",
    "Share of machine with all siblings, active or not, system groups among them",
    _machine,
    lambda level: numbers.full(level.machine_share),
    room_px=_MEDIUM_PX,
)
_TITLES = {
    False: ("Allocated, %", "Usage, %", "the machine"),
    True: ("Allocated*, %", "Usage*, %", "the machine without system groups"),
}


@cache
def by_usage(*, leaves_out: bool = False) -> tuple[LevelColumn, ...]:
    """Return the columns of policies that decide by usage over share; `leaves_out` is of system groups."""
    allocated, usage, whole = _TITLES[leaves_out]
    share_column = LevelColumn(
        allocated,
        f"Share with the siblings that count now. 100 % is {whole}",
        _share,
        lambda level: numbers.full(level.counted_share),
    )
    usage_column = LevelColumn(
        usage,
        f"Decayed usage. 100 % is that of {whole}",
        lambda level: numbers.percent(level.usage_part, 2, unit=False),
        _usage,
        room_px=_SLIM_PX,
    )
    over = LevelColumn(
        "Usage ÷ share",
        f"Usage ÷ allocated share, both of {whole}. The lower value goes first",
        lambda level: numbers.fixed(level.usage_over_share, 3),
        lambda level: numbers.full(level.usage_over_share),
        True,
        lambda level: level.usage_over_share,
    )
    return LEVEL, SHARES, MACHINE, share_column, usage_column, over


def _raw_shares(level: ClusterLevel) -> str:
    if not level.depth:
        return ""
    if level.shares is None:
        return "parent"
    return f"{numbers.thousands(level.shares)} of {numbers.thousands(level.level_shares)}"


def _over(level: ClusterLevel) -> float:
    return math.inf if level.norm_shares <= 0 else level.effective_usage / level.norm_shares


def _percent(title: str, tip: str, value: Callable[[ClusterLevel], float], room_px: int = 0) -> LevelColumn:
    return LevelColumn(
        title,
        tip,
        lambda level: numbers.percent(value(level), 3, unit=False),
        lambda level: numbers.full(value(level)),
        room_px=room_px,
    )


def _number(
    title: str, tip: str, value: Callable[[ClusterLevel], float], digits: int, *, sign: int = 0
) -> LevelColumn:
    """Format a number; `sign` judges it: 1 where less is better, -1 where more is."""
    return LevelColumn(
        title,
        tip,
        lambda level: numbers.fixed(value(level), digits),
        lambda level: numbers.full(value(level)),
        sign != 0,
        lambda level: sign * value(level),
    )


_OF_BOTH = (
    LEVEL,
    LevelColumn("Shares", (
        "Raw shares, and the total "
        "of its level"
    ), _raw_shares, _raw_shares, room_px=_SLIM_PX),
    _percent("NormShares, %", "The share that usage is compared with", lambda level: level.norm_shares),
    _percent("NormUsage, %", (
        "Share of the "
        "cluster's usage"
    ), lambda level: level.norm_usage, _MEDIUM_PX),
    _percent("EffectvUsage, %", "Usage that is compared with NormShares",
             lambda level: level.effective_usage),
)  # fmt: skip
_FAIRSHARE = _number(
    "Fairshare", "FairShare: the user with the higher value goes first", lambda level: level.fairshare, 4
)
_OF_SLURM = {
    "classic": (
        *_OF_BOTH,
        _number("EffectvUsage ÷ NormShares",
                "The lower value has the higher fairshare, F = "
                    "2^(−this ÷ dampening)", _over, 3, sign=1),
        _FAIRSHARE,
    ),
    "fair_tree": (
        *_OF_BOTH,
        _number("LevelFS", "LevelFS: shares divided by usage among siblings. The higher value goes first",
                lambda level: level.level_fs, 4, sign=-1),
        _FAIRSHARE,
    ),
}  # fmt: skip


@cache
def columns_for(policy: str, *, leaves_out: bool = False) -> tuple[LevelColumn, ...]:
    """Return the columns that decide, from left to right; `leaves_out` is of system groups."""
    if policy in _OF_SLURM:
        return _OF_SLURM[policy]
    own = policy_named(policy).level_columns
    return (LEVEL, SHARES, *map(_of_policy, own)) if own else by_usage(leaves_out=leaves_out)


def _of_policy(column: OwnColumn) -> LevelColumn:
    def value(level: Level) -> float:
        return float(getattr(level, column.key))

    return LevelColumn(
        column.title,
        column.meaning,
        lambda level: numbers.percent(value(level), 1),
        lambda level: numbers.full(value(level)),
        column.is_judged,
        lambda level: -value(level),
        _SLIM_PX if column.is_detail else 0,
    )
