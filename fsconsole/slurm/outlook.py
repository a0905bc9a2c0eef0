"""Start of a forecast: associations, planned jobs, the continued use of all others, and the rule."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fsconsole.slurm.associations import Associations, Floats, Ints
from fsconsole.slurm.decay import SlurmDecay, Spell


@dataclass(frozen=True, slots=True)
class Planned:
    """Planned use of a user, or of all users of an account together: row in the tree, times and rate.

    An account's use is divided among its users by their present use, or equally without any. With `is_on_top`
    users also continue their present use; otherwise this is their whole use.
    """

    row: int
    spell: Spell
    is_on_top: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Outlook:
    """Start of a forecast.

    Attributes:
        tree: associations with present raw usage, in billing-seconds.
        planned: jobs of users or accounts; they replace all other use of these users, unless on top.
        others_rate: total use of all other users that are not in `quiet`, in billing units a second (CPUs),
            divided by present usage, or equally without any. None: each continues at the rate `working`.
        quiet: rows of users with planned use alone; an account includes all its users.
        decay: half-life and calculation period.
        damping: FairShareDampeningFactor of classic fairshare.
        by_rank: whether the cluster ranks by Fair Tree.
        working: rate at which each user continues, float64 [rows]; None for the rate that keeps present
            usage.
    """

    tree: Associations
    planned: tuple[Planned, ...] = ()
    others_rate: float | None = None
    quiet: frozenset[int] = frozenset()
    decay: SlurmDecay = field(default_factory=SlurmDecay)
    damping: float = 1.0
    by_rank: bool = False
    working: Floats | None = None

    def __post_init__(self) -> None:
        """Raise ValueError where a row is missing or holds no user, or a number is out of range."""
        for row in {*self.quiet, *(one.row for one in self.planned)}:
            if not 0 < row < len(self.tree):
                msg = f"row {row} is not a user or an account below the root"
                raise ValueError(msg)
        for row in {one.row for one in self.planned}:
            if not self.tree.user[row] and not users_in(self.tree, (row,)).any():
                msg = f"{self.tree.account[row]} has no users, so no job can run there"
                raise ValueError(msg)
        if self.others_rate is not None and not 0 <= self.others_rate < math.inf:
            msg = f"others use {self.others_rate:g} units a second. It must be 0 or more"
            raise ValueError(msg)
        if not 0 < self.damping < math.inf:
            msg = f"the dampening factor is {self.damping:g}. It must be above 0"
            raise ValueError(msg)

    @property
    def last_end_s(self) -> float:
        """End of the last planned job, s; 0 without any."""
        ends = (one.spell.end_s for one in self.planned)
        return max((end for end in ends if math.isfinite(end)), default=0.0)

    def work_now(self) -> Floats:
        """Return the rate at which each row that is a user works now, float64 [rows]; 0 for accounts."""
        if self.working is not None:
            return self.working
        return np.where(self.tree.is_user, self.tree.usage * self.decay.steady_rate(1.0), 0.0)

    def rates(self) -> Floats:
        """Return the constant rate at which those without a plan go on, each row with all below it,
        [rows].
        """
        goes_on = self.tree.is_user
        replaced = [*self.quiet, *(one.row for one in self.planned if not one.is_on_top)]
        goes_on &= ~users_in(self.tree, replaced)
        work = np.where(goes_on, self.work_now(), 0.0)
        if self.others_rate is not None:
            weight = work if work.sum() > 0 else goes_on.astype(np.float64)
            work = self.others_rate * weight / max(weight.sum(), 1e-300)
        return summed_up(work, self.tree.parent)

    def part_of_plan(self, row: int) -> Floats:
        """Return the fraction of a row's plan that each row uses, including all below it, float64 [rows]."""
        inside = users_in(self.tree, (row,))
        work = np.where(inside, self.work_now(), 0.0)
        weight = work if work.sum() > 0 else inside.astype(np.float64)
        return summed_up(weight / weight.sum(), self.tree.parent)


def users_in(tree: Associations, rows: Iterable[int]) -> NDArray[np.bool_]:
    """Return users that are in these rows or below one, bool [rows]."""
    found = [False] * len(tree)
    for row in rows:
        found[row] = True
    for row, above in enumerate(tree.parent.tolist()):
        if above >= 0 and found[above]:
            found[row] = True
    return np.array(found, bool) & tree.is_user


def summed_up(values: Floats, parent: Ints) -> Floats:
    """Return the sum of each row and everything below it, float64 [rows]."""
    found = values.tolist()
    for row, above in zip(range(len(found) - 1, 0, -1), parent[:0:-1].tolist(), strict=True):
        found[above] += found[row]
    return np.array(found)
