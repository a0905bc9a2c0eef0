"""Changes that are tried together on a forecast: shares, work, usage set to 0, half-life, dampening."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fsconsole.slurm.associations import Associations
from fsconsole.slurm.decay import Spell
from fsconsole.slurm.fairshare import SharesChange, with_shares
from fsconsole.slurm.outlook import Outlook, Planned, summed_up, users_in


@dataclass(frozen=True, slots=True)
class RateChange:
    """New usage rate of a user or a whole account from now on, CPUs; it replaces all other usage."""

    row: int
    rate: float


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes from now on.

    Attributes:
        shares: raw shares of associations.
        rates: work of users and accounts.
        resets: rows whose raw usage is set to 0, with all below them, as by `sacctmgr … set RawUsage=0`.
        half_life_s: PriorityDecayHalfLife; None for the present one.
        damping: FairShareDampeningFactor; None for the present one.
    """

    shares: tuple[SharesChange, ...] = ()
    rates: tuple[RateChange, ...] = ()
    resets: tuple[int, ...] = ()
    half_life_s: float | None = None
    damping: float | None = None

    def __bool__(self) -> bool:
        return bool(self.shares or self.rates or self.resets) or (self.half_life_s, self.damping) != (
            None,
            None,
        )

    def also(self, other: Changes) -> Changes:
        """Return both together; where both concern the same, the value of `other`."""
        shares = {one.row: one for one in (*self.shares, *other.shares)}
        rates = {one.row: one for one in (*self.rates, *other.rates)}
        return Changes(
            tuple(shares.values()),
            tuple(rates.values()),
            tuple(dict.fromkeys((*self.resets, *other.resets))),
            self.half_life_s if other.half_life_s is None else other.half_life_s,
            self.damping if other.damping is None else other.damping,
        )

    def applied(self, outlook: Outlook) -> Outlook:
        """Return the outlook with all changes in force from now on.

        Users who continue as now keep the rate that they have without the changes, even with another
        half-life or usage. ValueError if a change is impossible, or two conflict.
        """
        _refuse_twice(outlook.tree, self)
        work = outlook.work_now()
        decay = outlook.decay
        if self.half_life_s is not None:
            decay = replace(decay, half_life_s=self.half_life_s)
        changed = replace(
            outlook,
            tree=without_usage(with_shares(outlook.tree, self.shares), self.resets),
            decay=decay,
            damping=outlook.damping if self.damping is None else self.damping,
            working=work,
        )
        return with_rates(changed, self.rates) if self.rates else changed


def with_rates(outlook: Outlook, rates: tuple[RateChange, ...]) -> Outlook:
    """Return the outlook in which rows work at other rates: their jobs, and those of users in them, are
    dropped.
    """
    inside = [users_in(outlook.tree, (one.row,)) for one in rates]
    kept = tuple(
        one
        for one in outlook.planned
        if not any(one.row == new.row or users[one.row] for new, users in zip(rates, inside, strict=True))
    )
    made = tuple(Planned(one.row, Spell(one.rate)) for one in rates)
    return replace(outlook, planned=(*kept, *made))


def without_usage(tree: Associations, rows: tuple[int, ...]) -> Associations:
    """Return the tree where rows, and all below them, have no usage yet.

    Raises:
        ValueError: a row is the root.
    """
    if not rows:
        return tree
    if 0 in rows:
        msg = "the root's usage is that of the whole cluster. Reset the accounts below it"
        raise ValueError(msg)
    gone = users_in(tree, rows)
    own = np.where(tree.is_user, tree.usage, 0.0)
    lost = summed_up(np.where(gone, own, 0.0), tree.parent)
    usage = np.maximum(tree.usage - lost, 0.0)
    for row in rows:  # This includes an account's usage of removed users.
        left, above = usage[row], int(tree.parent[row])
        usage[row] = 0.0
        while above >= 0:
            usage[above] = max(usage[above] - left, 0.0)
            above = int(tree.parent[above])
    return replace(tree, usage=usage)


def _refuse_twice(tree: Associations, changes: Changes) -> None:
    """Raise ValueError where shares or work of a row change twice, or a user's work and its account's."""
    for what, rows in (
        ("shares", [one.row for one in changes.shares]),
        ("work", [one.row for one in changes.rates]),
    ):
        twice = next((row for row in rows if rows.count(row) > 1), None)
        if twice is not None:
            msg = f"{_name(tree, twice)}: its {what} is changed twice. Keep one of the changes"
            raise ValueError(msg)
    for one in changes.rates:
        over = int(tree.parent[one.row])
        while over >= 0:
            if any(other.row == over for other in changes.rates):
                who, where = _name(tree, one.row), _name(tree, over)
                msg = f"the work of {who} and that of its account {where} are both changed. Keep one"
                raise ValueError(msg)
            over = int(tree.parent[over])


def _name(tree: Associations, row: int) -> str:
    account, user = tree.account[row], tree.user[row]
    return f"{account}/{user}" if user else account
