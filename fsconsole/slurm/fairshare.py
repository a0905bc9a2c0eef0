"""Fairshare of a tree, by whichever of the two rules its cluster has, and the effects of other shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fsconsole.slurm.associations import Associations, Fairshare, Floats, Ints
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.fair_tree import fair_tree


def fairshare_of(tree: Associations, damping: float = 1.0, *, by_rank: bool = False) -> Fairshare:
    """Return sshare's value: classic with FairShareDampeningFactor or, `by_rank`, by Fair Tree."""
    return fair_tree(tree) if by_rank else classic_fairshare(tree, damping)


NORM_FOR_RAW = "RawUsage is blank, so NormUsage stands for it."

_PRINTED = 0.5e-6  # Values printed by sshare are rounded to six digits.
_CUT = 1.5  # Raw usage printed by sshare is cut to whole numbers.


def present_usage(raw: Floats, norm: Floats) -> Floats:
    """Return usage of each row with all below it as the next calculation begins with it, float64 [rows], from
    what sshare prints: billing-seconds, or fractions of the cluster's where a raw usage is unknown.

    NormUsage has six digits, which are more than those of RawUsage where little was used. While jobs run, and
    after an account has moved, it is of the last calculation of slurmctld, and RawUsage alone is of now.
    """
    if np.isnan(raw).any():
        return norm
    total = float(raw[0])
    fine = norm * total
    fine[0] = total
    agrees = np.abs(fine - raw) <= _CUT + _PRINTED * total
    has_digits = _PRINTED * total < _CUT / 2
    return fine if has_digits and bool(np.all(agrees)) else raw


def completed(
    printed: Fairshare, tree: Associations, damping: float = 1.0, *, by_rank: bool = False
) -> Fairshare:
    """Return printed values, with blank ones computed, but for the factor: it is of all rows at once.

    NaN where the usage is unknown too.
    """
    found = fairshare_of(tree, damping, by_rank=by_rank)
    names = ("norm_shares", "effective_usage", "level_fs")
    values = [(getattr(printed, name), getattr(found, name)) for name in names]
    norm_shares, effective, level_fs = (np.where(np.isnan(one), other, one) for one, other in values)
    return Fairshare(norm_shares, effective, printed.fairshare, level_fs)


@dataclass(frozen=True, slots=True)
class SharesChange:
    """New raw shares of an association; PARENT_SHARES for `parent`."""

    row: int
    shares: int


def with_shares(tree: Associations, changes: Sequence[SharesChange]) -> Associations:
    """Return the tree with other raw shares.

    Raises:
        ValueError: a row is the root or missing, or shares are below 0.
    """
    shares = tree.shares.copy()
    for change in changes:
        if not 0 < change.row < len(tree) or change.shares < 0:
            msg = f"shares of {change.shares} for row {change.row}: not the root, and not below 0"
            raise ValueError(msg)
        shares[change.row] = change.shares
    return replace(tree, shares=shares)


@dataclass(frozen=True, eq=False, slots=True)
class Effect:
    """Fairshare of all users before and after a change, float64 [users]; `rows` are theirs in the tree."""

    rows: Ints
    before: Floats
    after: Floats

    @property
    def changed(self) -> Ints:
        """Places in `rows` of users for whom sshare would print another number, int64 [changed]."""
        return np.flatnonzero(np.round(self.before, 6) != np.round(self.after, 6))


def effect_of(
    tree: Associations, changes: Sequence[SharesChange], damping: float = 1.0, *, by_rank: bool = False
) -> Effect:
    """Compute all users' fairshare before and after new shares, classic or, `by_rank`, by Fair Tree.

    ValueError for the root, a row that is not there, or shares below 0.
    """
    rows = np.flatnonzero(tree.is_user)
    before = fairshare_of(tree, damping, by_rank=by_rank)
    after = fairshare_of(with_shares(tree, changes), damping, by_rank=by_rank)
    return Effect(rows, before.fairshare[rows], after.fairshare[rows])
