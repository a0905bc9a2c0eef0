"""Fair Tree: associations are ranked level by level, and the rank of a user is its fairshare factor.

Source: what sshare of Slurm 22.05 prints. Its documentation says that the children of tied accounts are
merged and sorted as one list; 22.05 does not do so, and neither does this. An account with the share `parent`
stands among its siblings with NO_VAL, before all finite values, though its children stand beside it: it takes
a tie that its level inherits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fsconsole.slurm.associations import Associations, Fairshare, Floats, Ints


def fair_tree(tree: Associations) -> Fairshare:
    """Normalised shares and effective usage of each level, level fairshare, and rank by number of users."""
    above = tree.shares_parent()
    takes = tree.takes_parents
    level = tree.level_shares(above)
    norm_shares = np.divide(tree.shares, level, out=np.zeros(len(tree)), where=level > 0)
    effective = _usage_of_level(tree, above)
    level_fs = _level_fs(norm_shares, effective)
    level_fs[takes] = math.inf
    ranked = _Ranking(tree, above, level_fs).fairshare()
    for row in np.flatnonzero(takes):
        norm_shares[row] = norm_shares[above[row]]
    shown = np.where(takes, np.nan, level_fs)
    shown[0] = np.nan
    return Fairshare(norm_shares, effective, ranked, shown)


def ranks(tree: Associations, level_fs: Floats) -> Floats:
    """Rank by number of users, float64 [rows], NaN for accounts, from a level fairshare that is known."""
    walked = np.where(tree.takes_parents, math.inf, level_fs)
    return _Ranking(tree, tree.shares_parent(), walked).fairshare()


def _usage_of_level(tree: Associations, above: Ints) -> Floats:
    used = tree.usage[above]
    found: Floats = np.divide(tree.usage, used, out=np.zeros(len(tree)), where=used > 0)
    found[0] = 1.0
    return found


def _level_fs(norm_shares: Floats, effective: Floats) -> Floats:
    """Shares by usage: 0 without shares, infinite without usage."""
    found: Floats = np.divide(
        norm_shares, effective, out=np.full(len(effective), math.inf), where=effective > 0
    )
    found[norm_shares == 0] = 0.0
    return found


_NO_VAL = 4294967294.0
"""The level fairshare that slurmctld keeps for an account with the share `parent`."""


@dataclass(slots=True)
class _Level:
    """Siblings that are walked: which is next, and whether the first is tied to what came before."""

    rows: Sequence[int]
    is_tied: bool
    place: int = 0


class _Ranking:
    """Walks the tree depth first, favoured children first, and gives each user the next position."""

    def __init__(self, tree: Associations, above: Ints, level_fs: Floats) -> None:
        self._is_user: list[bool] = tree.is_user.tolist()
        gives_way = tree.takes_parents & ~tree.is_user
        self._level_fs: list[float] = np.where(gives_way, _NO_VAL, level_fs).tolist()
        self._children = self._by_parent(above)
        self._users = sum(self._is_user)

    def fairshare(self) -> Floats:
        """Rank by number of users, float64 [rows]; NaN for accounts."""
        found = np.full(len(self._is_user), np.nan)
        position = rank = self._users
        walked = [_Level(self._children.get(0, ()), is_tied=False)]
        while walked:
            level = walked[-1]
            if level.place == len(level.rows):
                walked.pop()
                continue
            row, is_tied = level.rows[level.place], self._is_tied(level)
            level.place += 1
            if self._is_user[row]:
                rank = rank if is_tied else position
                found[row] = rank / self._users
                position -= 1
            else:
                walked.append(_Level(self._children.get(row, ()), is_tied))
        return found

    def _is_tied(self, level: _Level) -> bool:
        if level.place == 0:
            return level.is_tied
        row, before = level.rows[level.place], level.rows[level.place - 1]
        return self._level_fs[row] == self._level_fs[before]

    def _by_parent(self, above: Ints) -> dict[int, list[int]]:
        """Children in their order; those of an account with the share `parent` stand beside it."""
        children: dict[int, list[int]] = {}
        for row, over in enumerate(above.tolist()):
            if row:
                children.setdefault(over, []).append(row)
        for rows in children.values():
            rows.sort(key=lambda row: (-self._level_fs[row], not self._is_user[row]))
        return children
