"""Slurm's associations as columns: accounts and users, their raw shares and their usage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fsconsole.shares.foreign import PARENT_SHARES

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Associations:
    """A tree of associations, depth first: row 0 is the root account, parents precede their children.

    Attributes:
        account: the account of each row; for a user the one it is in.
        user: the user of each row, empty for accounts.
        parent: row of the account that a row is in, int64 [rows]; -1 for the root.
        shares: raw shares, int64 [rows]; PARENT_SHARES where Slurm says `parent`, 0 for the root.
        usage: usage of each row with everything below it, float64 [rows], in any unit: raw usage (billing
            seconds), or the normalised usage that sshare prints. Only ratios to the root's count.
    """

    account: tuple[str, ...]
    user: tuple[str, ...]
    parent: Ints
    shares: Ints
    usage: Floats

    def __len__(self) -> int:
        return len(self.account)

    @property
    def is_user(self) -> NDArray[np.bool_]:
        """Mask of the rows that are users, bool [rows]."""
        return np.fromiter((bool(user) for user in self.user), bool, len(self.user))

    @property
    def takes_parents(self) -> NDArray[np.bool_]:
        """Mask of the rows that have the share `parent`, bool [rows]."""
        return np.equal(self.shares, PARENT_SHARES)

    def depths(self) -> list[int]:
        """Return the number of accounts around each row; 0 for the root."""
        depths: list[int] = []
        for above in self.parent.tolist():
            depths.append(depths[above] + 1 if above >= 0 else 0)
        return depths

    def shares_parent(self) -> Ints:
        """Return the nearest ancestor of each row whose own share is not `parent`, int64 [rows]; -1 for the
        root.
        """
        nearest, takes = self.parent.tolist(), self.takes_parents.tolist()
        for row, above in enumerate(nearest):
            if above > 0 and takes[above]:
                nearest[row] = nearest[above]
        return np.array(nearest, np.int64)

    def level_shares(self, shares_parent: Ints) -> Floats:
        """Return the sum of the raw shares of a row's level, float64 [rows]; 0 for the root.

        A level is all rows with the same `shares_parent`; those with the share `parent` add nothing.
        """
        counted = np.where(self.takes_parents, 0, self.shares).astype(float)
        below = np.bincount(shares_parent[1:], weights=counted[1:], minlength=len(self))
        return np.concatenate([[0.0], below[shares_parent[1:]]])

    def level_parts(self, level: Floats) -> Floats:
        """Return raw shares by the sum of their level (`level_shares`), float64 [rows]; 0 if that is 0."""
        return np.divide(self.shares, level, out=np.zeros(len(self)), where=level > 0)


@dataclass(frozen=True, eq=False, slots=True)
class Fairshare:
    """Values that sshare prints for each association, float64 [rows] each; NaN for blanks."""

    norm_shares: Floats
    effective_usage: Floats
    fairshare: Floats
    level_fs: Floats
