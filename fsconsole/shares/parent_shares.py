"""Numbers for nodes that take the share of their account in Slurm (fairshare=parent), for all who know none.

Such a user has the fairshare of its account, whatever the others in it used; what is in such an account
competes with the account's siblings. Source: Slurm, "Fair Tree Fairshare Algorithm" and "Classic Fairshare
Algorithm", FairShare=parent; sacctmgr(1). No other scheduler has that. Ours: a user gets the mean of the
shares beside it, an account the sum of those in it, which gives the level above Fair Tree's ratios.
"""

from __future__ import annotations

from fsconsole.shares.edits import MAX_SHARES
from fsconsole.shares.foreign import takes_parents_shares
from fsconsole.shares.tree import Node, ShareTree


def with_numbers(tree: ShareTree) -> tuple[ShareTree, tuple[int, ...]]:
    """Return the tree with a number for each node that takes its account's share, and these nodes."""
    taken = [node.id for node in tree.walk() if takes_parents_shares(node)]
    if not taken:
        return tree, ()
    numbered = tree.copy()
    without = frozenset(taken)
    for node in reversed(taken):
        numbered.writable(node).shares = _number(numbered, numbered.node(node), without)
    return numbered, tuple(taken)


def _number(tree: ShareTree, node: Node, without: frozenset[int]) -> int:
    inside = sum(child.shares for child in tree.children(node.id))
    beside = [one.shares for one in tree.siblings(node.id) if one.id not in without and one.shares]
    number = inside or (round(sum(beside) / len(beside)) if beside else 1)
    return min(max(number, 1), MAX_SHARES)
