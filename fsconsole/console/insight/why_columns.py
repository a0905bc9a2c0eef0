"""The columns of the levels in the Why panel, by policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsconsole.figures.style import numbers
from fsconsole.machine.insight import Level


@dataclass(frozen=True, slots=True)
class LevelColumn:
    """A column: title, what it means, its text and the full value.

    `is_spare`: the first to go where there is no room.
    `is_judged`: where two ways part, the lower value of this column is the better one.
    """

    title: str
    tip: str
    text: Callable[[Level], str]
    full: Callable[[Level], str]
    is_judged: bool = False
    value: Callable[[Level], float] = lambda _level: float("nan")
    is_spare: bool = False


def _shares(level: Level) -> str:
    return f"{numbers.thousands(level.shares)} of {numbers.thousands(level.of_counted)}"


def _all_shares(level: Level) -> str:
    return f"{level.shares} of {level.of_counted} that count now, of {level.of_all} in all"


def _machine(level: Level) -> str:
    return numbers.percent(level.machine_share, numbers.PERCENT_OF_MACHINE_DIGITS)


def _machine_and_share(level: Level) -> str:
    share = numbers.percent(level.share, numbers.PERCENT_OF_MACHINE_DIGITS)
    return f"{_machine(level)} by all siblings; {share} in the policy's equations"


def _usage(level: Level) -> str:
    return f"{numbers.full(level.usage)} cost units, decayed"


LEVEL = LevelColumn("Level", "", lambda level: level.name, lambda level: level.name)
SHARES = LevelColumn("Shares", "Shares, of those of all siblings that count now", _shares, _all_shares)
MACHINE = LevelColumn("Machine", "Machine share", _machine, _machine_and_share)
USAGE = LevelColumn(
    "Usage, %",
    "Usage, decayed, as a part of the whole machine's",
    lambda level: numbers.percent(level.usage_part, 2, unit=False),
    _usage,
    is_spare=True,
)
OVER = LevelColumn(
    "÷ share",
    "Usage ÷ share in the policy's equations; who has less of it goes first",
    lambda level: numbers.fixed(level.usage_over_share, 3),
    lambda level: numbers.full(level.usage_over_share),
    True,
    lambda level: level.usage_over_share,
)
TARGET = LevelColumn(
    "Target",
    "Part among siblings that redistribution aims at (Everitt et al., equations 9 and 10)",
    lambda level: numbers.percent(level.target, 1),
    lambda level: numbers.full(level.target),
    is_spare=True,
)
CHARGED = LevelColumn(
    "Charged",
    "Part of the machine charged, low-pass filtered (Everitt et al., figure 2-5)",
    lambda level: numbers.percent(level.filtered, 1),
    lambda level: numbers.full(level.filtered),
)
ACTUAL = LevelColumn(
    "By target",
    "Share that the parent's base and the target give",
    lambda level: numbers.percent(level.actual, 1),
    lambda level: numbers.full(level.actual),
    is_spare=True,
)
BASE = LevelColumn(
    "Base",
    "Base share: by target, corrected by the share error; who has more of it goes first",
    lambda level: numbers.percent(level.base, 1),
    lambda level: numbers.full(level.base),
    True,
    lambda level: -level.base,
)
BY_USAGE = (LEVEL, SHARES, MACHINE, USAGE, OVER)
BY_FEEDBACK = (LEVEL, SHARES, TARGET, CHARGED, ACTUAL, BASE)


def columns_for(policy: str) -> tuple[LevelColumn, ...]:
    """What a policy decides by, from left to right."""
    return BY_FEEDBACK if policy == "feedback" else BY_USAGE
