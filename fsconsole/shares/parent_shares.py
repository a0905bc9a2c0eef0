"""Nodes with the share of their account in Slurm: numbers for writers of other formats, in words.

`shares.flat` defines the numbers and computes with them.
"""

from __future__ import annotations

from fsconsole.shares.foreign import takes_parents_shares
from fsconsole.shares.tree import ShareTree
from fsconsole.text.numbers import thousands


def with_numbers(tree: ShareTree) -> tuple[ShareTree, tuple[int, ...]]:
    """Return the tree with the number of `FlatTree` for nodes that take their account's share, and these."""
    if not any(map(takes_parents_shares, tree.walk())):
        return tree, ()
    from fsconsole.shares.flat import FlatTree

    flat = FlatTree.of(tree)
    rows = flat.takes_parents
    numbered = tree.copy()
    taken = tuple(flat.ids[rows].tolist())
    for node, shares in zip(taken, flat.shares[rows].tolist(), strict=True):
        numbered.writable(node).shares = int(shares)
    return numbered, taken


def how_counted(tree: ShareTree, node_id: int) -> str:
    """Explain how a node with its account's share is counted, and how sshare's NormShares differ from it.

    Of other nodes only whether NormShares differ, as they do where a user on their way up has `parent`
    beside it; empty where they do not.
    """
    from fsconsole.shares.flat import FlatTree

    flat = FlatTree.of(tree)
    row, taking = flat.row_of[node_id], flat.takes_parents
    if not len(taking):
        return ""
    if row in taking:
        number = f"{thousands(flat.shares[row])}"
        if flat.is_leaf[row]:
            how = f"the mean of its siblings' shares, {number}"
        else:
            how = f"the sum of the shares in it, {number}"
        return f"Fairshare=parent counts as {how} (ours). sshare prints the NormShares of the account above."
    accounts = set(flat.parent[taking[flat.is_leaf[taking]]].tolist())
    if any(flat.row_of[above.id] in accounts for above in tree.ancestors(node_id)):
        return "A user with Fairshare=parent counts here (ours). sshare prints NormShares without it."
    return ""
