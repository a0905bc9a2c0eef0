"""Rates of a share tree's nodes: the CPU time charged, and the fraction their shares allocate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from fsconsole.shares.flat import FlatTree
from fsconsole.shares.tree import ROOT_ID, ShareTree

_ALONE = 1e-9  # This weight is negligible beside any other.
_IDLE_S = 1e-4  # Less may come from the measurement itself.


@dataclass(frozen=True, slots=True)
class Rates:
    """Fractions of a tree's CPU time over some seconds, by node; nodes without a group are absent.

    Attributes:
        rate: fraction of the CPU time of all the tree's leaves.
        allocated: fraction that shares allocate among the leaves with any CPU time; 0 for the others.
        cpu_s: CPU seconds.
    """

    rate: Mapping[int, float]
    allocated: Mapping[int, float]
    cpu_s: Mapping[int, float]


def weighted_shares(tree: ShareTree, weights: Mapping[int, int], active: Iterable[int]) -> dict[int, float]:
    """Return the fraction that weights in force give each node while these leaves are active.

    A weight of 0 counts only if no sibling has more.
    """
    busy = {up.id for leaf in active if leaf in tree for up in (tree.node(leaf), *tree.ancestors(leaf))}
    parts = {ROOT_ID: 1.0 if busy else 0.0}
    for node in tree.walk():
        children = tree.children(node.id)
        wanted = {child.id: max(weights.get(child.id, 0), _ALONE) * (child.id in busy) for child in children}
        total = sum(wanted.values())
        for child, weight in wanted.items():
            parts[child] = parts[node.id] * weight / total if total else 0.0
    return parts


def rates_of(tree: ShareTree, cpu_s: Mapping[int, float]) -> Rates:
    """Return the rates of all nodes from the CPU seconds of their groups."""
    flat = FlatTree.of(tree)
    nodes = [int(node) for node in flat.ids]
    used = np.array([cpu_s.get(node, 0.0) for node in nodes])
    leaves = np.where(flat.is_leaf, used, 0.0)
    total = leaves.sum()
    parts = flat.group_sum(leaves) / total if total > 0 else np.zeros(len(nodes))
    allocated = flat.allocated_share(flat.active(leaves > _IDLE_S))
    known = [node in cpu_s for node in nodes]
    return Rates(
        {node: float(part) for node, part, is_known in zip(nodes, parts, known, strict=True) if is_known},
        {node: float(part) for node, part in zip(nodes, allocated, strict=True)},
        dict(cpu_s),
    )
