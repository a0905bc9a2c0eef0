"""The columns of the levels in the Why panel, by policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from fsconsole.machine.insight import Level
from fsconsole.policies.explanation import LevelColumn as OwnColumn
from fsconsole.policies.registry import policy_named
from fsconsole.text import numbers

_SLIM_PX, _MEDIUM_PX = 400, 560


@dataclass(frozen=True, slots=True)
class LevelColumn:
    """A column: title, what it means, its text and the full value.

    `room_px`: the least width of the table at which it shows.
    `is_judged`: where two ways part, the lower value of this column is the better one.
    """

    title: str
    tip: str
    text: Callable[[Level], str]
    full: Callable[[Level], str]
    is_judged: bool = False
    value: Callable[[Level], float] = lambda _level: float("nan")
    room_px: int = 0


def _shares(level: Level) -> str:
    return f"{numbers.thousands(level.shares)} of {numbers.thousands(level.of_counted)}"


def _all_shares(level: Level) -> str:
    return f"{level.shares} of {level.of_counted} that count now, of {level.of_all} in all"


def _machine(level: Level) -> str:
    return numbers.percent(level.machine_share, numbers.PERCENT_OF_MACHINE_DIGITS, unit=False)


def _share(level: Level) -> str:
    return numbers.percent(level.share, numbers.PERCENT_OF_MACHINE_DIGITS, unit=False)


def _usage(level: Level) -> str:
    return f"{numbers.full(level.usage)} cost units, decayed"


LEVEL = LevelColumn("Level", "", lambda level: level.name, lambda level: level.name)
SHARES = LevelColumn(
    "Shares",
    "Shares, of those of all siblings that count now",
    _shares,
    _all_shares,
    room_px=_SLIM_PX,
)
MACHINE = LevelColumn(
    "Machine, %",
    "Machine share: of all siblings, whether they are active or not",
    _machine,
    lambda level: numbers.full(level.machine_share),
    room_px=_MEDIUM_PX,
)
SHARE = LevelColumn(
    "Share, %",
    "Share in the policy's equations: that of the machine, of the siblings that count now",
    _share,
    lambda level: numbers.full(level.share),
)
USAGE = LevelColumn(
    "Usage, %",
    "Usage, decayed, as a part of the whole machine's",
    lambda level: numbers.percent(level.usage_part, 2, unit=False),
    _usage,
    room_px=_SLIM_PX,
)
OVER = LevelColumn(
    "Usage ÷ share",
    "Usage ÷ share, both as parts of the machine; who has less of it goes first",
    lambda level: numbers.fixed(level.usage_over_share, 3),
    lambda level: numbers.full(level.usage_over_share),
    True,
    lambda level: level.usage_over_share,
)
BY_USAGE = (LEVEL, SHARES, MACHINE, SHARE, USAGE, OVER)


@cache
def columns_for(policy: str) -> tuple[LevelColumn, ...]:
    """What a policy decides by, from left to right."""
    own = policy_named(policy).level_columns
    return (LEVEL, SHARES, *map(_of_policy, own)) if own else BY_USAGE


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
