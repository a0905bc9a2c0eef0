"""Share on Linux: a sharer that gives the kernel a memory.

The kernel divides CPU time by weights and forgets usage. Each delta, the sharer reads the CPU time charged,
decays the former usage, and sets weights by the Share rule: normalised usage = usage / allocated share
squared, and a user's effective share is the reciprocal of that among the active users (Junglas 1991, sections
3 and 6; Everitt, Jones, Knesel equation 2, mended). A group's weight is the sum of its users' effective
shares, so that the kernel, which divides level by level, gives each user what Share would. That last step is
ours.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from fsconsole.shares.cpu_weights import WeightRange, sibling_weights
from fsconsole.shares.flat import FlatTree, Floats
from fsconsole.shares.tree import ROOT_ID, ShareTree

_LEAST_KUSAGE = 1e-9  # A usage of 0 would give one user everything. The unit is CPU seconds.
_IDLE_PART = 1e-3  # Leaves with less of a delta do not count as active.


@dataclass(slots=True)
class Sharer:
    """The usage of every leaf of a tree, and the weights that follow from it.

    Attributes:
        tree: the share tree.
        half_life_s: half-life of usage.
        usage: decayed CPU seconds of leaves, by node.
    """

    tree: ShareTree
    half_life_s: float
    usage: dict[int, float] = field(default_factory=dict)

    def take(self, charged_s: Mapping[int, float], delta_s: float) -> None:
        """Decay all usage by a delta, and add the CPU time charged to each node's group in it."""
        decay = 0.5 ** (delta_s / self.half_life_s)
        for node in self.tree.walk():
            if not node.is_group:
                self.usage[node.id] = self.usage.get(node.id, 0.0) * decay + charged_s.get(node.id, 0.0)

    def begin_with(self, used_s: Mapping[int, float], cpus: int) -> None:
        """Set the usage from a time unknown, limited to the steady usage of `cpus` busy CPUs."""
        leaves = {node.id: used_s.get(node.id, 0.0) for node in self.tree.walk() if not node.is_group}
        most = cpus * self.half_life_s / math.log(2)
        factor = min(1.0, most / max(sum(leaves.values()), most))
        self.usage = {node: used * factor for node, used in leaves.items()}

    def effective_shares(self, active: frozenset[int]) -> dict[int, float]:
        """Return the effective share of each node while these leaves are active; 0 for the others."""
        flat = FlatTree.of(self.tree)
        ids = [int(node) for node in flat.ids]
        rows = flat.active(np.array([node in active for node in ids]))
        allocated = flat.allocated_share(rows)
        usage = np.array([self.usage.get(node, 0.0) for node in ids])
        shares = flat.effective_share(_kusage(usage, allocated), rows)
        return {node: float(share) for node, share in zip(ids, shares, strict=True)}

    def weights(self, active: frozenset[int], limits: WeightRange) -> dict[int, int]:
        """Return the weight of each node but the root while these leaves are active.

        Siblings without an active leaf keep the ratios of their shares: no process waits there.
        """
        effective = self.effective_shares(active)
        found: dict[int, int] = {}
        for node in self.tree.walk():
            children = self.tree.children(node.id)
            if not children:
                continue
            parts = [effective[child.id] for child in children]
            wanted = parts if any(parts) else [float(child.shares) for child in children]
            weights = sibling_weights(wanted, limits).weights
            found |= {child.id: int(weight) for child, weight in zip(children, weights, strict=True)}
        found.pop(ROOT_ID, None)
        return found


def active_leaves(
    tree: ShareTree, charged_s: Mapping[int, float], delta_s: float, waiting: Collection[int]
) -> frozenset[int]:
    """Return the leaves that used the processors in a delta, or were `waiting` for one at its end.

    A leaf that starts while others are busy has the least weight and may get no CPU time in a delta.
    """
    return frozenset(
        node.id
        for node in tree.walk()
        if not node.is_group and (charged_s.get(node.id, 0.0) > _IDLE_PART * delta_s or node.id in waiting)
    )


def _kusage(usage: Floats, allocated: Floats) -> Floats:
    """Return usage / allocated share^2, in CPU s; infinite without shares."""
    kusage = np.full(len(usage), np.inf)
    np.divide(np.maximum(usage, _LEAST_KUSAGE), allocated**2, out=kusage, where=allocated > 0)
    return kusage
