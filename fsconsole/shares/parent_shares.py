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

    if node_id not in counted_ours(tree):
        return ""
    flat = FlatTree.of(tree)
    row = flat.row_of[node_id]
    if row in flat.takes_parents:
        number = f"{thousands(flat.shares[row])}"
        if flat.is_leaf[row]:
            how = f"the mean of its siblings' shares, {number}"
        else:
            how = f"the sum of the shares in it, {number}"
        return f"Fairshare=parent counts as {how} (ours). sshare prints the NormShares of the account above."
    return "A user with Fairshare=parent counts here (ours). sshare prints NormShares without it."


def counted_ours(tree: ShareTree) -> frozenset[int]:
    """Return the nodes whose share is not Slurm's NormShares: those that take their account's, and all on a
    level, or below one, with a number that Slurm does not have.
    """
    return tree.derived(_counted_ours)


def _counted_ours(tree: ShareTree) -> frozenset[int]:
    from fsconsole.shares.flat import FlatTree

    flat = FlatTree.of(tree)
    taking, parent = set(flat.takes_parents.tolist()), flat.parent.tolist()
    if not taking:
        return frozenset()
    numbers = flat.own.tolist()  # In Slurm an account adds what is in it to the level above, a user nothing.
    for row in range(len(numbers) - 1, 0, -1):
        if parent[row] in taking:
            numbers[parent[row]] += numbers[row]
    has_ours = {parent[row] for row in taking if numbers[row] != flat.shares[row]}
    found = [False] * len(flat)
    for row, above in enumerate(parent):
        found[row] = above in has_ours or (above >= 0 and found[above])
    pairs = zip(flat.ids.tolist(), found, strict=True)
    return frozenset(node for row, (node, is_ours) in enumerate(pairs) if is_ours or row in taking)
