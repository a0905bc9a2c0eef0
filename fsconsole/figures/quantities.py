"""The plotted quantities: titles, units, number formats. No Qt.

One table for plots, exports and data files, of simulated machines and of clusters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fsconsole.figures.spec import Axis
from fsconsole.text import numbers

SHARE_QUANTITIES = ("cpu_rate", "allocated_share", "effective_share")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A column of samples, or of readings of a cluster.

    Attributes:
        name: name of the column.
        title: name in the console.
        axis: its axis.
        digits: number of decimals; None if plots write values with the letter of their axis.
        partner: quantity that is drawn beside it in dots; empty for none.
        is_sparse: whether it is read at long intervals, of very many nodes: then single values are dots, and
            percentages are not drawn from 0 to 100.
        tip: further explanation.
    """

    name: str
    title: str
    axis: Axis
    digits: int | None = None
    partner: str = ""
    is_sparse: bool = False
    tip: str = ""

    @property
    def unit(self) -> str:
        """Unit after the title of its values."""
        return "%" if self.axis.unit == "%" else ""

    def text(self, value: float, partner: float | None = None) -> str:
        """Return a value with its own number of decimals, together with its partner's if known."""
        text = self._written(value)
        return text if partner is None else f"{text} of {self._written(partner)}"

    def _written(self, value: float) -> str:
        """Return a value with three significant digits of a percentage, since most associations have little.

        Six decimals are what sshare prints and the readings keep.
        """
        shown = (round(value, 6) if math.isfinite(value) else value) * self.axis.scale
        if self.unit != "%" or not math.isfinite(shown):
            return numbers.fixed(shown, self.digits or 0)
        return numbers.fixed(shown, 1 if shown >= 10 or not shown else 2 if shown >= 1 else 3)


def _percent(title: str) -> Axis:
    return Axis(title, "%", 100.0, "fraction")


def _read(name: str, title: str, axis: Axis, digits: int, partner: str = "", tip: str = "") -> Quantity:
    return Quantity(name, title, axis, digits, partner, is_sparse=True, tip=tip)


_ALL = (
    Quantity("cpu_rate", "CPU rate", _percent("CPU rate")),
    Quantity("allocated_share", "Allocated share", _percent("allocated share")),
    Quantity("effective_share", "Effective share", _percent("effective share")),
    Quantity(
        "normalised_usage",
        "Normalised usage",
        Axis("normalised usage", "cost units per share", 1.0, "cost units per share"),
    ),
    Quantity("charge", "Charge", Axis("charge", "CPU s", 1.0, "CPU s")),
    Quantity("usage", "Usage", Axis("usage", "cost units", 1.0, "cost units")),
    Quantity("cpu_s", "CPU time", Axis("CPU time", "CPU s", 1.0, "CPU s")),
)
_OF_CLUSTERS = (
    _read("fairshare", "Fairshare", Axis("fairshare", "", 1.0, "fraction"), 4,
          tip="FairShare of sshare, from 0 to 1: the larger value goes first"),
    _read("effective_usage", "EffectvUsage", _percent("EffectvUsage"), 2, "norm_shares",
          "EffectvUsage of sshare; dots show NormShares, the share to which it is compared"),
    _read("norm_usage", "NormUsage", _percent("NormUsage"), 2,
          tip="NormUsage of sshare: decayed usage as a fraction of the cluster's usage"),
    _read("raw_usage", "RawUsage", Axis("RawUsage", "billing s", 1.0, "billing s"), 0,
          tip="RawUsage of sshare: decayed usage in billing-seconds"),
    _read("norm_shares", "NormShares", _percent("NormShares"), 2,
          tip="NormShares of sshare: share of cluster. Under Fair Tree: share of the level"),
    _read("level_fs", "LevelFS", Axis("LevelFS", "", 1.0, "shares / usage"), 3,
          tip="LevelFS of sshare: shares over usage among siblings; the larger value goes first"),
    _read("cpus", "CPUs in use", _percent("CPUs in use"), 1,
          tip="CPUs of running jobs as a fraction of the cluster"),
    _read("running", "Jobs running", Axis("jobs running", "", 1.0, "jobs"), 0),
    _read("waiting", "Jobs pending", Axis("jobs pending", "", 1.0, "jobs"), 0,
          tip="Pending jobs, without held ones. Each task of an array is a job"),
)  # fmt: skip
# A recorded run of a machine may contain these quantities.
QUANTITY_NAMES = tuple(quantity.name for quantity in _ALL)
_BY_NAME = {quantity.name: quantity for quantity in (*_ALL, *_OF_CLUSTERS)}


def quantity_named(name: str) -> Quantity:
    """Return the quantity of that name.

    Raises:
        ValueError: the name is unknown; the message lists the known ones.
    """
    found = _BY_NAME.get(name)
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(name, QUANTITY_NAMES, 1, 0.5)
        hint = f"Did you mean {near[0]}?" if near else f"Choose one of {', '.join(QUANTITY_NAMES)}"
        msg = f"unknown quantity {name!r}. {hint}"
        raise ValueError(msg)
    return found


def recorded_quantity(name: str, unit: str = "") -> Quantity:
    """Return the quantity of a column of a run; an unknown one has its name as title and the given unit."""
    return _BY_NAME.get(name) or Quantity(name, name, Axis(name, unit, 1.0, unit))
