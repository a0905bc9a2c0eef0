"""The columns of the levels in the Why panel, by policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsconsole.figures.style import numbers
from fsconsole.machine.insight import Level

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
TARGET = LevelColumn(
    "Target",
    "Part among siblings that redistribution aims at (Everitt et al., equations 9 and 10)",
    lambda level: numbers.percent(level.target, 1),
    lambda level: numbers.full(level.target),
    room_px=_SLIM_PX,
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
    room_px=_SLIM_PX,
)
BASE = LevelColumn(
    "Base",
    "Base share: by target, corrected by the share error; who has more of it goes first",
    lambda level: numbers.percent(level.base, 1),
    lambda level: numbers.full(level.base),
    True,
    lambda level: -level.base,
)
BY_USAGE = (LEVEL, SHARES, MACHINE, SHARE, USAGE, OVER)
BY_FEEDBACK = (LEVEL, SHARES, TARGET, CHARGED, ACTUAL, BASE)


def columns_for(policy: str) -> tuple[LevelColumn, ...]:
    """What a policy decides by, from left to right."""
    return BY_FEEDBACK if policy == "feedback" else BY_USAGE
