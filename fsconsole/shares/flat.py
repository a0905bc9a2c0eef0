"""The share tree as numpy columns in depth-first order, and the arithmetic of entitlement on it.

All functions are pure and vectorised; arrays have one value per node (length n) in row order.
Source: Junglas 1991 section 4 (machine share) and section 6 (allocated and effective share).

Nodes that take the share of their account in Slurm (fairshare=parent) have a number here. Such a user has
the fairshare of its account, whatever the others in it used; what is in such an account competes with the
account's siblings. Source: Slurm, "Fair Tree Fairshare Algorithm" and "Classic Fairshare Algorithm",
FairShare=parent; sacctmgr(1). No other scheduler has that. Ours: a user gets the mean of the shares beside
it, an account the sum of those in it, which gives the level above Fair Tree's ratios.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fsconsole.shares.edits import MAX_SHARES
from fsconsole.shares.foreign import has_parents_key
from fsconsole.shares.tree import ShareTree

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FlatTree:
    """Columns of a tree: row 0 is the root, children follow their parent.

    Attributes:
        ids: node id per row.
        parent: row of the parent; -1 for the root.
        end: row after the last descendant, so that a subtree is rows i .. end[i].
        shares: integer weight among siblings, with a number for those that take their account's.
        is_leaf: rows that hold work (users and accounts); a group without children is not a leaf.
        is_system: rows of system groups and all below them.
        levels: rows of each depth, the root's first.
        row_of: row of each node id.
        own: shares as nodes have them, 0 for those that take their account's.
        parents: rows whose dialect gives them the share of their account, as long as their own are 0.
    """

    ids: Ints
    parent: Ints
    end: Ints
    shares: Floats
    is_leaf: Bools
    is_system: Bools
    levels: tuple[Ints, ...]
    row_of: dict[int, int]
    own: Floats
    parents: Ints

    @staticmethod
    def of(tree: ShareTree) -> FlatTree:
        """Flatten a tree; O(n) in Python after an edit, so use `with_shares` where that is enough."""
        return tree.derived(_flatten)

    @classmethod
    def from_columns(
        cls,
        row_of: dict[int, int] | None = None,
        /,
        *,
        ids: Ints,
        parent: Ints,
        shares: Floats,
        is_leaf: Bools,
        is_system: Bools,
        parents: Ints | None = None,
    ) -> FlatTree:
        """Build the tree from its columns, [rows] each; only groups may have `is_system`.

        `shares` are those of the nodes; rows in `parents`, int64 [such rows], without a number get one.

        Args:
            ids: ids of the nodes, int64 [rows]; row 0 is the root, parents precede their children.
            parent: row of each parent, int64 [rows]; -1 for the root.
            shares: shares of the nodes, float64 [rows].
            is_leaf: whether a node is a leaf, bool [rows].
            is_system: whether a node is marked as a system group, bool [rows].
            row_of: row of each node id; None computes it from `ids`.
            parents: rows that have the shares of their parent, int64 [such rows].
        """
        depth = _depths(parent)
        by_depth = np.argsort(depth, kind="stable")
        levels = tuple(np.split(by_depth, np.cumsum(np.bincount(depth))[:-1]))
        system = is_system.copy()
        for level in levels[1:]:
            system[level] |= system[parent[level]]
        if row_of is None:
            row_of = {node_id: row for row, node_id in enumerate(ids.tolist())}
        rows = np.zeros(0, np.int64) if parents is None else parents
        numbered = _numbered(shares, parent, rows)
        return cls(
            ids, parent, _ends(parent, levels), numbered, is_leaf, system, levels, row_of, shares, rows
        )

    def __len__(self) -> int:
        return len(self.ids)

    def with_shares(self, changes: Sequence[tuple[int, int]]) -> FlatTree:
        """Return a tree of equal structure after shares of (node id, shares) were set."""
        own = self.own.copy()
        for node_id, value in changes:
            own[self.row_of[node_id]] = value
        return replace(self, shares=_numbered(own, self.parent, self.parents), own=own)

    @property
    def takes_parents(self) -> Ints:
        """Rows, int64 [such rows], that take the share of their account; their number in `shares` is ours."""
        found: Ints = self.parents[self.own[self.parents] == 0]
        return found

    def part_of_parent(self, counted: Bools | None = None) -> Floats:
        """Return shares over the sum of the counted siblings, [rows]; all count if None.

        The value is 1 for the root, and 0 if the sum is 0.
        """
        shares = self.shares if counted is None else np.where(counted, self.shares, 0.0)
        parent = self.parent[1:]
        sums = np.bincount(parent, weights=shares[1:], minlength=len(self))
        part = np.ones(len(self))
        below = sums[parent]
        np.divide(shares[1:], below, out=part[1:], where=below > 0)
        part[1:][below <= 0] = 0.0
        return part

    def product_down(self, part: Floats) -> Floats:
        """Return each node's part multiplied by that of all groups above it, [rows]."""
        share = part.copy()
        for level in self.levels[1:]:
            share[level] *= share[self.parent[level]]
        return share

    def machine_share(self) -> Floats:
        """Return m_share, [rows]: parts over *all* siblings, multiplied from the root (1) down.

        Source: Junglas 1991, section 4.
        """
        return self.product_down(self.part_of_parent())

    def allocated_share(self, active: Bools) -> Floats:
        """Return parts over *active* siblings, bool [rows], multiplied from the root down, [rows]; 0 for
        inactive nodes.
        """
        share = self.product_down(self.part_of_parent(active))
        return np.where(active, share, 0.0)

    def flat_share(self, active: Bools) -> Floats:
        """Return leaf shares over all active leaves, [rows], groups ignored; a group has the sum of its
        leaves.
        """
        shares = np.where(self.is_leaf & active, self.shares, 0.0)
        total = shares.sum()
        return self.group_sum(shares / total if total > 0 else shares)

    def active(self, leaf_active: Bools) -> Bools:
        """Return a mask of active rows, bool [rows]: leaves as given, groups with an active leaf below,
        always the root.

        Args:
            leaf_active: whether a leaf is active, bool [rows]; groups are ignored.
        """
        count = self.group_sum(np.where(self.is_leaf & leaf_active, 1.0, 0.0))
        result = count > 0.5
        result[0] = True
        return result

    def group_sum(self, leaf_values: Floats) -> Floats:
        """Return the sum of the leaves' values in each node's subtree, [rows], leaves their own; groups'
        values are ignored.

        Args:
            leaf_values: values of leaves in any unit, float64 [rows].
        """
        values = np.where(self.is_leaf, leaf_values, 0.0)
        running = np.zeros(len(values) + 1)
        values.cumsum(out=running[1:])
        sums = running[self.end] - running[:-1]
        return np.where(self.is_leaf, values, sums)

    def effective_share(self, kusage: Floats, active: Bools) -> Floats:
        """Return 1/kus over its sum for active leaves, [rows]; groups have the sum of their leaves.

        Source: Junglas 1991, section 6.

        Args:
            kusage: kus, the cost of a tick of each leaf, such as usage by squared share, float64 [rows]; a
                row of 0 has no weight.
            active: whether a row is active, bool [rows].
        """
        weight = np.zeros(len(self))
        np.divide(1.0, kusage, out=weight, where=self.is_leaf & active & (kusage > 0))
        total = weight.sum()
        return self.group_sum(weight / total if total > 0 else weight)

    def without_system(self, share: Floats) -> Floats:
        """Return shares rescaled so that all leaves outside system groups add up to 1, [rows].

        System nodes are NaN. A group with system and other nodes has the share of the others.
        """
        kept = np.where(self.is_leaf & ~self.is_system, share, 0.0)
        total = kept.sum()
        rescaled = self.group_sum(kept) / total if total > 0 else np.zeros(len(self))
        return np.where(self.is_system, np.nan, rescaled)


def _flatten(tree: ShareTree) -> FlatTree:
    nodes = list(tree.walk())
    n = len(nodes)
    row_of = {node.id: row for row, node in enumerate(nodes)}
    parents = (-1 if node.parent is None else row_of[node.parent] for node in nodes)
    return FlatTree.from_columns(
        row_of,
        ids=np.fromiter((node.id for node in nodes), np.int64, n),
        parent=np.fromiter(parents, np.int64, n),
        shares=np.fromiter((node.shares for node in nodes), np.float64, n),
        is_leaf=np.fromiter((not node.is_group for node in nodes), np.bool_, n),
        is_system=np.fromiter((node.system for node in nodes), np.bool_, n),
        parents=parent_rows(tree),
    )


def parent_rows(tree: ShareTree) -> Ints:
    """Return rows of the nodes that have Slurm's fairshare=parent, int64 [such rows], whatever their shares
    are.
    """
    return np.array([row for row, node in enumerate(tree.walk()) if has_parents_key(node)], np.int64)


def _numbered(own: Floats, parent: Ints, parents: Ints) -> Floats:
    """Return shares, with a number from 1 to MAX_SHARES for each of the rows `parents` without one."""
    rows = parents[own[parents] == 0]
    if not len(rows):
        return own
    above = parent[1:]
    inside = np.bincount(above, weights=own[1:], minlength=len(own))
    beside, counted = inside.copy(), np.bincount(above, weights=own[1:] > 0, minlength=len(own))
    shares = own.copy()
    for row in rows[::-1].tolist():  # From the end, the contents of an account come before it.
        over = parent[row]
        number = inside[row] or (round(beside[over] / counted[over]) if over >= 0 and counted[over] else 1)
        shares[row] = min(max(number, 1), MAX_SHARES)
        if over >= 0:
            inside[over] += shares[row]
    return shares


def _depths(parent: Ints) -> Ints:
    """Compute the depth of each row in one pass, because parents precede their children."""
    depth = [0] * len(parent)
    for row, up in enumerate(parent.tolist()):
        if up >= 0:
            depth[row] = depth[up] + 1
    return np.array(depth, np.int64)


def _ends(parent: Ints, levels: tuple[Ints, ...]) -> Ints:
    end = np.arange(1, len(parent) + 1)
    for level in reversed(levels[1:]):
        np.maximum.at(end, parent[level], end[level])
    return end
