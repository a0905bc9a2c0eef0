"""Kueue's fair sharing: one workload after another, from where the dominant resource share is smallest.

A node borrows what it uses above its subtree's quota. Its share value is the largest ratio of that to what
its parent could get at most, among resources, by its weight; a node with weight 0 comes last once it
borrows. In each cohort the workload wins after which the share value of its child is smallest, up to the
root. It is admitted where quotas, borrowing limits and lending limits leave room, else it waits.

Source: Kueue, KEP 1714 and 79; pkg/cache/scheduler/fair_sharing.go (dominantResourceShare),
resource_node.go (available, addUsage), pkg/scheduler/fair_sharing_iterator.go (runTournament), with
FairSharingPrioritizeNonBorrowing off. Ours: workloads are one unit of the machine, of all resources in
proportion; flavours of a resource are added up; of equal share values the first queue in the
tree wins, as if its workload were the oldest.
Preemption leads to the same where all workloads are alike.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

import numpy as np

from fsconsole.app.tree.elsewhere.rule import (
    Asked,
    CannotDivideError,
    Division,
    Rule,
    leaves_summed,
)
from fsconsole.shares.foreign import SCALE
from fsconsole.shares.formats.resource_quotas import quantity
from fsconsole.text.numbers import percent

# A sum that should be 0 has a rounding error up to this, as a fraction of a resource.
_NOTHING = 1e-9
_PREFIX = "kueue."
_Key = tuple[bool, float, int]


@dataclass(slots=True)
class Holder:
    """A cohort or ClusterQueue; amounts by resource.

    Attributes:
        weight: fairSharing.weight.
        quota: nominal quota.
        borrowing, lending: limits, infinite where there is none.
        parent: the cohort that it is in.
        subtree: its quota with what its children lend it.
        usage: what counts against that.
    """

    weight: float
    quota: list[float]
    borrowing: list[float]
    lending: list[float]
    parent: Holder | None = None
    children: list[Holder] = field(default_factory=list)
    subtree: list[float] = field(default_factory=list)
    usage: list[float] = field(default_factory=list)
    potential: list[float] = field(default_factory=list)

    def local(self, resource: int) -> float:
        """Return the amount that it never lends."""
        lent = self.lending[resource]
        return 0.0 if lent == math.inf else max(0.0, self.subtree[resource] - lent)

    def available(self, resource: int) -> float:
        """Return the amount that it can still use."""
        used, quota = self.usage[resource], self.subtree[resource]
        if self.parent is None:
            return quota - used
        local, above = self.local(resource), self.parent.available(resource)
        if self.borrowing[resource] != math.inf:
            stored, used_above = quota - local, max(0.0, used - local)
            above = min(stored - used_above + self.borrowing[resource], above)
        return max(0.0, local - used) + above

    def add(self, resource: int, amount: float) -> None:
        """Use more, or less below 0 right after its use; usage above its own counts above it too."""
        local = self.local(resource)
        before = max(0.0, self.usage[resource] - local)
        self.usage[resource] += amount
        after = max(0.0, self.usage[resource] - local)
        if self.parent is not None and after != before:
            self.parent.add(resource, after - before)

    def share_value(self) -> tuple[bool, float]:
        """Return the sort key of a dominant resource share: borrowers of weight 0 come last."""
        if self.parent is None:
            return False, 0.0
        ratio = 0.0
        for resource, used in enumerate(self.usage):
            borrowed, lendable = used - self.subtree[resource], self.parent.potential[resource]
            if borrowed > _NOTHING and lendable > 0:
                ratio = max(ratio, 1000 * borrowed / lendable)
        if ratio == 0:
            return False, 0.0
        return (True, ratio) if self.weight == 0 else (False, ratio / self.weight)


def settle(root: Holder) -> None:
    """Add up quotas from below, and compute the largest possible amount of each node."""
    order = [root]
    for one in order:
        order += one.children
    for one in reversed(order):
        one.subtree, one.usage = list(one.quota), [0.0] * len(one.quota)
        for child in one.children:
            for resource in range(len(one.quota)):
                one.subtree[resource] += child.subtree[resource] - child.local(resource)
    for one in order:
        if one.parent is None:
            one.potential = list(one.subtree)
            continue
        one.potential = [
            min(one.subtree[at] + one.borrowing[at], one.local(at) + one.parent.potential[at])
            for at in range(len(one.quota))
        ]


class Tournament:
    """Admits workloads one after another below a root cohort.

    Args:
        root: the cohort, settled.
        waiting: workloads of each ClusterQueue, and the most that each cohort can use.
        size: what a workload asks for, by resource.
    """

    def __init__(self, root: Holder, waiting: list[tuple[Holder, int]], size: list[float]) -> None:
        self._root, self._size = root, size
        self._left = {id(one): count for one, count in waiting}
        self._place = {id(one): place for place, (one, _) in enumerate(waiting)}
        self._winner: dict[int, Holder | None] = {}
        # Each cohort has its children here by share value. An entry is outdated if its number is not the
        # child's last one.
        self._ranked: dict[int, list[tuple[_Key, int, Holder]]] = {}
        self._last: dict[int, int] = {}
        self._number = 0
        self.admitted = {id(one): 0 for one, _ in waiting}
        order = [root]
        for one in order:
            order += one.children
        for one in reversed(order):
            self._rank(one)

    def run(self) -> None:
        """Admit until nothing fits."""
        while (queue := self._winner[id(self._root)]) is not None:
            if self._fits(queue):
                self._use(queue, 1)
                self.admitted[id(queue)] += 1
                self._take(queue)
            else:
                # Free capacity never grows, so a later search cannot find any here.
                self._left[id(queue)] = 0
            one: Holder | None = queue
            while one is not None:  # The usage of all other cohorts is unchanged.
                self._rank(one)
                one = one.parent

    def _fits(self, queue: Holder) -> bool:
        one = queue.parent
        while one is not None:
            if self._left.get(id(one), 1) <= 0:
                return False
            one = one.parent
        return all(amount <= queue.available(at) + _NOTHING for at, amount in enumerate(self._size))

    def _take(self, queue: Holder) -> None:
        one: Holder | None = queue
        while one is not None:
            if id(one) in self._left:
                self._left[id(one)] -= 1
            one = one.parent

    def _use(self, queue: Holder, sign: int) -> None:
        for resource, amount in enumerate(self._size):
            queue.add(resource, sign * amount)

    def _rank(self, one: Holder) -> None:
        """Find the winner of a node, and its place among those of the siblings."""
        winner = self._best(one) if one.children else one if self._left.get(id(one), 0) > 0 else None
        self._winner[id(one)] = winner
        self._number += 1
        self._last[id(one)] = self._number
        if winner is None or one.parent is None:
            return
        self._use(winner, 1)
        is_last, value = one.share_value()
        self._use(winner, -1)
        key = is_last, round(value, 6), self._place[id(winner)]
        heapq.heappush(self._ranked.setdefault(id(one.parent), []), (key, self._number, one))

    def _best(self, one: Holder) -> Holder | None:
        ranked = self._ranked.get(id(one), [])
        while ranked and ranked[0][1] != self._last[id(ranked[0][2])]:
            heapq.heappop(ranked)
        return self._winner[id(ranked[0][2])] if ranked else None


def divide(asked: Asked) -> Division:
    """Admit workloads until nothing fits any more."""
    resources = _resources(asked)
    notes = []
    count = asked.units
    if resources:
        holders, roots = _with_quotas(asked, resources)
        notes.append(f"Workloads request {', '.join(resources)} in proportion to all nominal quotas.")
    else:
        holders = [
            Holder(_weight(asked, row), [0.0], [math.inf], [math.inf]) for row in range(len(asked.flat))
        ]
        holders[0].quota = [1.0]
        _hang(asked, holders, root=0)
        roots = [0]
        notes.append(
            "No queue has a nominal quota: a root cohort has the machine, and all is borrowed (ours)."
        )
    given = np.zeros(len(asked.flat))
    leaves = [int(row) for row in np.flatnonzero(asked.flat.is_leaf)]
    for root in roots:
        settle(holders[root])
        inside = [row for row in leaves if root <= row < asked.flat.end[root]]
        asking = range(max(root, 1), int(asked.flat.end[root]))
        waiting = [(holders[row], math.floor(float(asked.wanted[row]) * count + _NOTHING)) for row in asking]
        tournament = Tournament(holders[root], waiting, [1 / count] * len(holders[root].quota))
        tournament.run()
        for row in inside:
            given[row] = tournament.admitted[id(holders[row])] / count
    parts = leaves_summed(asked.flat, given)
    why = {row: _why(holders[row], float(asked.wanted[row])) for row in range(1, len(asked.flat))}
    return Division(parts, why, tuple(notes))


def _resources(asked: Asked) -> list[str]:
    """Return the resources that all ClusterQueues have a quota of, more than 0 in all."""
    common: set[str] | None = None
    for row in np.flatnonzero(asked.flat.is_leaf):
        found = {key.split(" ")[1] for key in _keys(asked, int(row), "nominalQuota")}
        common = found if common is None else common & found
    has_any = any(_keys(asked, row, "nominalQuota") for row in range(len(asked.flat)))
    able = sorted(one for one in common or () if _sum(asked, one) > 0)
    if has_any and not able:
        msg = "the ClusterQueues share no resource with a nominal quota above 0"
        raise CannotDivideError(msg)
    return able


def _keys(asked: Asked, row: int, what: str) -> list[str]:
    foreign = asked.tree.node(int(asked.flat.ids[row])).foreign
    return [key for key in foreign if key.startswith(f"{_PREFIX}{what} ") and foreign[key]]


def _sum(asked: Asked, resource: str) -> float:
    return sum(_amount(asked, row, "nominalQuota", resource, 0.0) for row in range(len(asked.flat)))


def _amount(asked: Asked, row: int, what: str, resource: str, default: float) -> float:
    keys = [key for key in _keys(asked, row, what) if key.split(" ")[1] == resource]
    try:
        return float(sum(quantity(asked.foreign(row, key)) for key in keys)) if keys else default
    except ValueError as error:
        path = asked.tree.path(int(asked.flat.ids[row]))
        msg = f"{path}: {what} of {resource}: {error}. Write a number. Example: 9, 500m or 36Gi"
        raise CannotDivideError(msg) from None


def _weight(asked: Asked, row: int) -> float:
    """Return the weight relative to siblings, without the factor that made the weights whole."""
    text = asked.foreign(row, f"{_PREFIX}{SCALE}")
    top, _, bottom = text.partition("/")
    scale = int(top) / int(bottom or 1) if top.isdigit() and (bottom or "1").isdigit() and int(top) else 1.0
    return float(asked.flat.shares[row]) / scale


def _with_quotas(asked: Asked, resources: list[str]) -> tuple[list[Holder], list[int]]:
    """Build holders with quotas as parts of the whole; roots are cohorts and queues without a parent."""
    whole = {one: _sum(asked, one) for one in resources}

    def row_of(row: int, what: str, default: float) -> list[float]:
        return [_amount(asked, row, what, one, default) / whole[one] for one in resources]

    holders = [
        Holder(
            _weight(asked, row), row_of(row, "nominalQuota", 0.0), row_of(row, "borrowingLimit", math.inf),
            row_of(row, "lendingLimit", math.inf),
        )
        for row in range(len(asked.flat))
    ]  # fmt: skip
    _hang(asked, holders, root=None)
    return holders, asked.children()[0]


def _hang(asked: Asked, holders: list[Holder], root: int | None) -> None:
    for row, above in enumerate(asked.flat.parent.tolist()):
        if above > 0 or (above == 0 and root == 0):
            holders[row].parent = holders[above]
            holders[above].children.append(holders[row])


def _why(holder: Holder, wanted: float) -> str:
    if wanted == 0:
        return "no workloads"
    borrowed, at = max((used - holder.subtree[at], at) for at, used in enumerate(holder.usage))
    nominal = min(holder.usage[at], holder.subtree[at])
    text = f"nominal {percent(nominal)}, borrowed {percent(max(borrowed, 0.0))}"
    is_last, value = holder.share_value()
    if is_last:
        return f"{text}, weight 0"
    return f"{text}, share value {value:.0f}"


RULE = Rule(
    "kueue",
    "Kueue",
    divide,
    "Kueue, KEP 1714 (fair sharing); fair_sharing.go, resource_node.go, fair_sharing_iterator.go",
    "Equal workloads of one unit (1/10,000 of the machine, less with many leaves), with all "
    "resources in proportion and flavours added up. Ties go to the first queue in the tree.",
)
