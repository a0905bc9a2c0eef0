"""The columns of values beside the nodes' names, of all targets; each target has some of them. No Qt."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from fsconsole.text import numbers

_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """How a quantity is shown beside the nodes.

    Attributes:
        quantity: what `Moment.last_known` is asked for; `live_column` of it where system groups are left out.
        title, tip: of the header.
        text: how a value is written.
        width: px.
        scale, unit: what the full value is multiplied by where it is told or copied, and its unit there.
        leaves: which columns go first where there is no room, by number; 0 for one that stays.
        is_bold: whether it is what decides.
        is_of_users: whether groups show none.
    """

    quantity: str
    title: str
    tip: str
    text: Callable[[float], str]
    width: int
    scale: float = 1.0
    unit: str = ""
    leaves: int = 0
    is_bold: bool = False
    is_of_users: bool = False

    def full(self, value: float) -> str:
        """All digits, with the unit."""
        return f"{numbers.full(value * self.scale)} {self.unit}".rstrip()


def _part(value: float) -> str:
    return numbers.percent(value, unit=False)


def _small_part(value: float) -> str:
    return numbers.percent(value, 2, unit=False)


def _count(value: float) -> str:
    return numbers.thousands(value) if value else ""


def _number(digits: int) -> Callable[[float], str]:
    return lambda value: numbers.fixed(value, digits)


_OF_MACHINES = (
    ValueColumn("cpu_rate", "CPU %", "CPU rate: part of the machine's CPU time over the rate window",
                _part, 54, 100.0, "%", is_bold=True),
    ValueColumn("allocated_share", "Alloc. %",
                "Allocated share: part of the machine among those who are active", _part, 63, 100.0, "%"),
    ValueColumn("effective_share", "Eff. %", "Effective share: what the priorities are aimed at just now",
                _part, 52, 100.0, "%"),
    ValueColumn("normalised_usage", "N. usage", "Normalised usage: usage divided by allocated share",
                numbers.si, 69, leaves=1, is_of_users=True),
)  # fmt: skip
_OF_CLUSTERS = (
    ValueColumn("raw_shares", "Shares", "Raw shares as stored, among siblings", numbers.thousands, 54),
    ValueColumn("norm_shares", "Share %",
                "NormShares: part of the cluster; under Fair Tree part of the level", _small_part, 66, 100.0,
                leaves=5),
    ValueColumn("norm_usage", "Usage %", "NormUsage: decayed usage as a part of the cluster's", _small_part,
                66, 100.0, leaves=1),
    ValueColumn("effective_usage", "Eff. %", "EffectvUsage: the usage that is held against the share",
                _small_part, 56, 100.0, leaves=3),
    ValueColumn("fairshare", "Fairshare", "FairShare: who has more goes first", _number(4), 74, is_bold=True),
    ValueColumn("level_fs", "LevelFS", "LevelFS: shares by usage among siblings; who has more goes first",
                lambda value: "" if math.isnan(value) else numbers.fixed(value, 3), 68),
    ValueColumn("raw_usage", "Usage h", "Raw usage: in billing-hours, by default CPU hours, decayed",
                lambda value: numbers.si(value / _HOUR_S), 66, 1 / _HOUR_S, leaves=2),
    ValueColumn("cpu_count", "CPUs", "CPUs of jobs that run", _count, 50),
    ValueColumn("waiting", "Pending", "Jobs that wait, each task of an array counted", _count, 64, leaves=4),
)  # fmt: skip
COLUMNS = (*_OF_MACHINES, *_OF_CLUSTERS)
NAMES = ("node", *(column.quantity for column in COLUMNS))


def place_of(quantity: str) -> int:
    """The place of a quantity among the legend's columns, where the first is the node's name."""
    return NAMES.index(quantity)
