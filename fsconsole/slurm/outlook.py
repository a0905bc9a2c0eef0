"""What a forecast starts from: associations, what is planned, what all others go on to use, and the rule."""

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
    """What a user runs, or all users of an account together: the row in the tree, and when at what rate.

    What an account runs is spread over its users by what they use now, or equally where none uses anything.
    With `is_on_top` the users go on with what they do beside it; otherwise it is all that they run.
    """

    row: int
    spell: Spell
    is_on_top: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Outlook:
    """What is forecast from.

    Attributes:
        tree: associations with raw usage now, in billing-seconds.
        planned: jobs of users or accounts; who has any here has no other use, unless it is on top.
        others_rate: what all users without planned jobs, and not among `quiet`, use together, in billing
            units a second (CPUs), spread by their present usage, or equally where nobody has any. None: each
            goes on at the rate `working`.
        quiet: rows of users who use nothing but what is planned for them; an account stands for all in it.
        decay: half-life and calculation period.
        damping: FairShareDampeningFactor, of classic fairshare.
        by_rank: whether the cluster ranks by Fair Tree.
        working: the rate at which each user goes on, float64 [rows]; None: the one that keeps the present
            usage as it is.
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
        """When the last planned job that ends has ended; 0 without any."""
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
        """Return which part of what is planned for a row each row uses, with all below it, float64 [rows]."""
        inside = users_in(self.tree, (row,))
        work = np.where(inside, self.work_now(), 0.0)
        weight = work if work.sum() > 0 else inside.astype(np.float64)
        return summed_up(weight / weight.sum(), self.tree.parent)


def users_in(tree: Associations, rows: Iterable[int]) -> NDArray[np.bool_]:
    """Return users who are one of these rows or lie below one, bool [rows]."""
    found = [False] * len(tree)
    for row in rows:
        found[row] = True
    for row, above in enumerate(tree.parent.tolist()):
        if above >= 0 and found[above]:
            found[row] = True
    return np.array(found, bool) & tree.is_user


def summed_up(values: Floats, parent: Ints) -> Floats:
    """Return what rows have with everything below them, float64 [rows]."""
    found = values.tolist()
    for row, above in zip(range(len(found) - 1, 0, -1), parent[:0:-1].tolist(), strict=True):
        found[above] += found[row]
    return np.array(found)
