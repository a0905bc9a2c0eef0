"""An edited tree of a cluster as columns, with the parts that Slurm gives.

An account with the share `parent` has no shares of its own, and what is in it competes one level up. That is
the same as if it had the shares of all that is in it, which is how its row is drawn. A user with the
share `parent` takes no part of the level: he has his account's fairshare. Source: what sshare 22.05 prints.
"""

from __future__ import annotations

from dataclasses import replace

from fsconsole.shares.flat import FlatTree
from fsconsole.shares.foreign import takes_parents_shares
from fsconsole.shares.tree import ShareTree


def slurm_flat(tree: ShareTree) -> FlatTree:
    """The tree as columns; `machine_share` of a row with own shares is its classic NormShares."""
    flat = FlatTree.of(tree)
    passes_up = [
        row
        for row, node in enumerate(tree.walk())
        if row and node.is_group and node.shares == 0 and takes_parents_shares(node)
    ]
    if not passes_up:
        return flat
    shares = flat.shares.copy()
    for row in reversed(passes_up):  # what is deeper stands later
        below = flat.parent == row
        shares[row] = shares[below].sum()
    return replace(flat, shares=shares)
