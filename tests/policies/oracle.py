"""The policies written down a second time: one node after the other, plain Python, no columns.

From the equations (Share kernel, Everitt et al. 2.2.2, Brady et al.), not from the compiled functions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from fsconsole.shares.scenario.policy_spec import PolicySpec

SECOND_S = 1.0
LARGEST_RATE = 1e9
LEAST_WEIGHT = 1e-6
SCALE = 1e6


@dataclass
class Node:
    """A node of the tree and all that a policy keeps of it."""

    name: str
    shares: int
    children: list[Node] = field(default_factory=list)
    depth: int = 0
    active: bool = False
    runnable: int = 0
    cost: float = 0.0
    charged: float = 0.0
    usage: float = 0.0
    node_usage: float = 0.0
    rate: float = 0.0
    entitled: float = 0.0
    kusage: float = 0.0
    weight: float = 1.0  # among siblings
    target: float = 0.0
    filtered: float = 0.0
    base: float = 0.0

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> list[Node]:
        return [node for node in self.walk() if not node.children]

    @property
    def is_active(self) -> bool:
        return any(leaf.active for leaf in self.leaves())

    @property
    def work(self) -> int:
        return sum(leaf.runnable for leaf in self.leaves())


class Oracle:
    """A policy over a tree of nodes, step by step."""

    def __init__(self, root: Node, spec: PolicySpec, capacity: float, largest: float) -> None:
        self.root, self.spec, self.capacity, self.largest = root, spec, capacity, largest
        self.d = 0.5 ** (SECOND_S / spec.rate_half_life_s)
        self.k1 = 0.5 ** (spec.delta_s / spec.half_life_s)
        root.entitled = 1.0
        for node in root.walk():
            node.node_usage = sum(leaf.usage for leaf in node.leaves())
        self._entitle()
        for leaf in self.present:
            leaf.rate = self.d
        self._work_out(first=True)

    @property
    def present(self) -> list[Node]:
        return [leaf for leaf in self.root.leaves() if leaf.active]

    def second(self) -> None:
        for leaf in self.present:
            leaf.rate = max(self.d, self.d * leaf.rate) + (1 - self.d) * leaf.runnable

    def delta(self, number: int) -> None:
        for node in self.root.walk():
            node.charged = sum(leaf.cost for leaf in node.leaves())
            node.node_usage = self.k1 * node.node_usage + node.charged
        for leaf in self.root.leaves():
            leaf.usage = self.k1 * leaf.usage + leaf.cost
            leaf.cost = 0.0
        self._work_out(number)

    def increments(self) -> dict[str, float]:
        return {leaf.name: min(max(self._wanted(leaf), 1.0), self.largest) for leaf in self.present}

    # -- who is entitled to what --------------------------------------------------------------------------

    def _entitle(self) -> None:
        if self.spec.name in ("flat", "exponential"):
            total = sum(leaf.shares for leaf in self.present)
            for leaf in self.present:
                leaf.entitled = leaf.shares / total if total else 0.0
        else:
            self._hand_down(self.root)
        for node in self.root.walk():
            if node.entitled > 0:
                node.entitled = max(node.entitled, self.spec.sharemin)

    def _hand_down(self, node: Node) -> None:
        active = [child for child in node.children if child.is_active]
        total = sum(child.shares for child in active)
        for child in active:
            child.entitled = node.entitled * child.shares / total if total else 0.0
            self._hand_down(child)

    # -- increments ---------------------------------------------------------------------------------------

    def _wanted(self, leaf: Node) -> float:
        match self.spec.name:
            case "process-fair":
                return SCALE
            case "fixed":
                return SCALE / leaf.entitled if leaf.entitled else self.largest
            case "exponential":
                return SCALE * math.exp(min((1 - leaf.entitled) * leaf.runnable, 30))
            case "feedback":
                return SCALE * leaf.rate / leaf.base if leaf.shares else self.largest
        return leaf.kusage * leaf.rate * self._weights.get(leaf.name, 1.0)

    def _work_out(self, number: int = 0, *, first: bool = False) -> None:
        self._weights: dict[str, float] = {}
        if self.spec.name == "feedback":
            self._feedback(number, first=first)
        elif self.spec.name in ("share", "flat"):
            self._kusage()
            if not first and self.spec.adjgroups == "share":
                self._adjust(self.root, 1.0)
            if not first and self.spec.adjgroups == "integral":
                self._integrate(self.root)
            if self.spec.adjgroups == "integral":
                self._collect(self.root, 1.0)

    # -- Share --------------------------------------------------------------------------------------------

    def _kusage(self) -> None:
        spec = self.spec
        for leaf in self.present:
            usage = leaf.usage / leaf.entitled**2 if leaf.entitled else spec.max_kusage
            leaf.kusage = min(max(usage, spec.min_kusage), spec.max_kusage)
        if spec.limshare:
            self._limit()

    def _limit(self) -> None:
        """An effective share e beyond its limit l comes to l exactly, the others' 1/kusage unchanged."""
        weights = {leaf.name: 1 / leaf.kusage for leaf in self.present}
        total = sum(weights.values())
        for leaf in self.present:
            limit = self.spec.maxushare * leaf.entitled
            others = total - weights[leaf.name]
            if 0 < limit < 1 and others > 0 and weights[leaf.name] / total > limit:
                # 1/kusage = limit / (1 - limit) of what the others have together.
                leaf.kusage = min((1 - limit) / (limit * others), self.spec.max_kusage)

    def _adjust(self, node: Node, inherited: float) -> None:
        busy = [child for child in node.children if child.work or child.charged]
        charged, entitled = sum(child.charged for child in busy), sum(child.entitled for child in busy)
        for child in node.children:
            factor = inherited
            if child in busy and child.children and child.entitled and charged and entitled:
                part = (child.charged / charged) / (child.entitled / entitled)
                factor *= max(1.0, self.spec.mingshare * part)
            child.rate = min(child.rate * factor, LARGEST_RATE)
            self._adjust(child, factor)

    def _integrate(self, node: Node) -> None:
        busy = [child for child in node.children if child.work]
        charged, entitled = sum(child.charged for child in busy), sum(child.entitled for child in busy)
        for child in node.children:
            if child not in busy:
                child.weight = 1.0
            elif child.children and charged and child.entitled and child.charged:
                child.weight *= math.sqrt((child.charged / charged) / (child.entitled / entitled))
        groups = [child for child in busy if child.children]
        largest = max((child.weight for child in groups), default=1.0)
        for child in groups:
            child.weight /= largest
        for child in node.children:
            self._integrate(child)

    def _collect(self, node: Node, product: float) -> None:
        for child in node.children:
            below = product * (child.weight if child.children else 1.0)
            self._weights[child.name] = max(below, LEAST_WEIGHT)
            self._collect(child, below)

    # -- feedback -----------------------------------------------------------------------------------------

    def _feedback(self, number: int, *, first: bool) -> None:
        spec = self.spec
        every = max(1, round(spec.redistribution_s / spec.delta_s))
        if not first:
            for node in self.root.walk():
                node.filtered += spec.k_c * (node.charged / self.capacity - node.filtered)
        if first or number % every == 0:
            for node in self.root.walk():
                self._redistribute(node)
        self.root.base = 1.0
        for node in self.root.walk():
            for child in node.children:
                self._share_node(node, child)

    def _redistribute(self, node: Node) -> None:
        """Equation 10 as it is; the floor under max(u/s) is not here, so usages must not be tiny."""
        total = sum(child.shares for child in node.children)
        parts = {child.name: child.shares / total for child in node.children if child.shares}
        there = [child for child in node.children if child.shares]
        farthest = max((child.node_usage / parts[child.name] for child in there), default=0.0)
        for child in node.children:
            child.target = 0.0
        for child in there:
            child.target = parts[child.name] * self.spec.nu * farthest - child.node_usage
        whole = sum(child.target for child in there)
        for child in there:
            child.target /= whole

    def _share_node(self, node: Node, child: Node) -> None:
        whole = sum(sibling.target for sibling in node.children if sibling.work)
        whole += 0.0 if child.work else child.target
        actual = node.base * child.target / whole if whole else 0.0
        gains = self.spec.k_mu
        gain = gains[min(child.depth - 2, len(gains) - 1)] if child.depth > 1 else 0.0
        child.base = max(self.spec.base_min, actual - gain * (child.filtered - actual))
