"""Fair Tree: associations are ranked level by level, and the rank of a user is its fairshare factor.

Source: what sshare of Slurm 22.05 prints. Its documentation says that the children of tied accounts are
merged and sorted as one list; 22.05 does not do so, and neither does this. An account with the share `parent`
stands among its siblings with NO_VAL, before all finite values, though its children stand beside it: it takes
a tie that its level inherits.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fsconsole.slurm.associations import Associations, Fairshare, Floats, Ints


def fair_tree(tree: Associations) -> Fairshare:
    """Compute normalised shares, effective usage and level fairshare of each level, and ranks of users."""
    above = tree.shares_parent()
    takes = tree.takes_parents
    level = tree.level_shares(above)
    norm_shares = tree.level_parts(level)
    effective, level_fs = level_fairshare(tree, above, level, tree.usage)
    ranked = Ranking(tree, above).fairshare(level_fs)
    for row in np.flatnonzero(takes):
        norm_shares[row] = norm_shares[above[row]]
    shown = np.where(takes, np.nan, level_fs)
    shown[0] = np.nan
    return Fairshare(norm_shares, effective, ranked, shown)


def ranks(tree: Associations, level_fs: Floats) -> Floats:
    """Return the rank by number of users, float64 [rows], NaN for accounts, from a level fairshare that is
    known.
    """
    walked = np.where(tree.takes_parents, math.inf, level_fs)
    return Ranking(tree, tree.shares_parent()).fairshare(walked)


def level_fairshare(tree: Associations, above: Ints, level: Floats, usage: Floats) -> tuple[Floats, Floats]:
    """Return usage over that of the level, and level fairshare, float64 [rows] each.

    The usage may differ from the tree's. Level fairshare is infinite for the share `parent`, as in slurmctld.
    """
    used = usage[above]
    blank = np.where(np.isnan(usage) | np.isnan(used), np.nan, 0.0)
    effective: Floats = np.divide(usage, used, out=blank, where=used > 0)
    effective[0] = 1.0
    level_fs = level_fairshare_of(tree.level_parts(level), effective)
    level_fs[tree.takes_parents] = math.inf
    return effective, level_fs


def level_fairshare_of(norm_shares: Floats | float, effective: Floats) -> Floats:
    """Return the part of a level's shares by the part of its usage, float64 [k]: 0 without shares, infinite
    without usage, NaN where usage is unknown.
    """
    out = np.full(len(effective), math.inf)
    with np.errstate(over="ignore"):  # Usage that has decayed over hundreds of half-lives is as good as none.
        found: Floats = np.divide(norm_shares, effective, out=out, where=~(effective <= 0))
    return np.where(np.equal(norm_shares, 0), 0.0, found)


_NO_VAL = 4294967294.0
"""The level fairshare that slurmctld keeps for an account with the share `parent`."""


class Ranking:
    """The order of a tree's users: depth first, favoured children first, users before accounts.

    Made once for a tree with its shares, then asked for any number of level fairshares.
    """

    def __init__(self, tree: Associations, above: Ints) -> None:
        self._users = tree.is_user
        self._gives_way = tree.takes_parents & ~self._users
        self._above = above
        self._levels = _rows_by_depth(above)
        self._below = self._users.astype(np.int64)  # Users of each row include all users below it.
        for rows in self._levels[:0:-1]:
            np.add.at(self._below, above[rows], self._below[rows])

    def fairshare(self, level_fs: Floats) -> Floats:
        """Return the rank by number of users, float64 [rows]; NaN for accounts.

        One unknown level fairshare leaves all ranks unknown.
        """
        key = np.where(self._gives_way, _NO_VAL, level_fs)
        if np.isnan(key[1:]).any():
            return np.full(len(key), np.nan)
        order = np.lexsort((~self._users, -key, self._above))[1:]  # The root is left out.
        above, below = self._above[order], self._below[order]
        begins = np.concatenate([[True], above[1:] != above[:-1]])[: len(order)]
        passed = np.cumsum(below) - below
        first = np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
        start, is_tied = np.zeros(len(key), np.int64), np.zeros(len(key), bool)
        start[order] = passed - passed[first]
        is_tied[order] = ~begins & (key[order] == np.roll(key[order], 1))
        inherits = np.zeros(len(key), bool)
        inherits[order] = begins
        for rows in self._levels[1:]:
            start[rows] += start[self._above[rows]]
            is_tied[rows] |= inherits[rows] & is_tied[self._above[rows]]
        return self._ranked(start, is_tied)

    def _ranked(self, start: Ints, is_tied: NDArray[np.bool_]) -> Floats:
        """Return each user's rank from the end over the number of users; ties share the better rank."""
        users = np.flatnonzero(self._users)
        users = users[np.argsort(start[users])]
        count = len(users)
        last_free = np.maximum.accumulate(np.where(is_tied[users], 0, np.arange(count)))
        found = np.full(len(start), np.nan)
        found[users] = (count - last_free) / max(count, 1)
        return found


def _rows_by_depth(above: Ints) -> list[Ints]:
    """Return rows of each depth from the root on, where each row lies in the one above."""
    depth = np.zeros(len(above), np.int64)
    over = above.copy()
    while (over >= 0).any():
        depth[over >= 0] += 1
        over = np.where(over >= 0, above[over], -1)
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.searchsorted(depth[order], np.arange(1, depth.max() + 1)))
