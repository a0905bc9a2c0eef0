"""What is plotted of a cluster: a table for plots, exports and data files. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fsconsole.figures.quantities import Quantity
from fsconsole.figures.spec import Axis
from fsconsole.text import numbers


@dataclass(frozen=True, slots=True)
class ClusterQuantity:
    """A quantity of associations: how it is drawn, and how its values are written.

    Attributes:
        partner: the quantity that is drawn beside it in dots; empty for none.
        digits: behind the point.
    """

    drawn: Quantity
    digits: int
    partner: str = ""
    tip: str = ""

    @property
    def name(self) -> str:
        """Its column in the history."""
        return self.drawn.name

    @property
    def unit(self) -> str:
        """Behind the title of its values."""
        return "%" if self.drawn.axis.unit == "%" else ""

    def text(self, value: float, partner: float | None = None) -> str:
        """A value as it stands beside the plot, with its partner's where there is one."""
        text = self._written(value)
        return text if partner is None else f"{text} of {self._written(partner)}"

    def _written(self, value: float) -> str:
        """Three digits that count of percent: most associations have little.

        Six digits behind the point are what sshare prints, and what the readings kept of it.
        """
        shown = (round(value, 6) if math.isfinite(value) else value) * self.drawn.axis.scale
        if self.unit != "%" or not math.isfinite(shown):
            return numbers.fixed(shown, self.digits)
        return numbers.fixed(shown, 1 if shown >= 10 or not shown else 2 if shown >= 1 else 3)


def _made(
    name: str, title: str, axis: Axis, digits: int, partner: str = "", tip: str = ""
) -> ClusterQuantity:
    return ClusterQuantity(Quantity(name, title, axis), digits, partner, tip)


def _percent(title: str) -> Axis:
    return Axis(title, "%", 100.0, "fraction")


QUANTITIES = (
    _made("fairshare", "Fairshare", Axis("fairshare", "", 1.0, "fraction"), 4,
          tip="FairShare of sshare: from 0 to 1, who has more goes first"),
    _made("effective_usage", "EffectvUsage", _percent("EffectvUsage"), 2, "norm_shares",
          "EffectvUsage of sshare; in dots NormShares, the share it is held against"),
    _made("norm_usage", "NormUsage", _percent("NormUsage"), 2,
          tip="NormUsage of sshare: the decayed usage as a part of the cluster's"),
    _made("level_fs", "LevelFS", Axis("LevelFS", "", 1.0, "shares / usage"), 3,
          tip="LevelFS of sshare: shares by usage among siblings, who has more goes first"),
    _made("cpus", "CPUs in use", _percent("CPUs in use"), 1,
          tip="CPUs of jobs that run, as a part of the cluster's"),
    _made("running", "Jobs running", Axis("jobs running", "", 1.0, "jobs"), 0),
    _made("waiting", "Jobs pending", Axis("jobs pending", "", 1.0, "jobs"), 0,
          tip="Jobs that wait, each task of an array counted"),
)  # fmt: skip
NAMES = tuple(quantity.name for quantity in QUANTITIES)


def quantity_of(name: str) -> ClusterQuantity:
    """The quantity of that name; KeyError where there is none."""
    return {quantity.name: quantity for quantity in QUANTITIES}[name]


def first_shown(*, is_fair_tree: bool, is_low: bool = False) -> tuple[str, ...]:
    """Which plots show at first: LevelFS means something under Fair Tree alone."""
    left_out = {"norm_usage" if is_fair_tree else "level_fs"} | ({"norm_usage"} if is_low else set())
    return tuple(name for name in NAMES if name not in left_out)
