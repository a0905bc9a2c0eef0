"""Nodes that cannot use all of an entitlement, the unused amount, and its receivers.

A node that asks for less than its machine share leaves a surplus. It goes to siblings that want more, in
proportion to their shares, and down to the nodes below them. The surplus of a whole group goes up to the
group's siblings. Repeated until nothing moves, this is water filling, computed here in one pass per level.

Source: Everitt, Jones, Knesel, Tables 1-1 and 1-2 and the text between them. Ours: if a surplus has several
receivers, each of them gets a proportional part from each giver.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fsconsole.shares.flat import FlatTree, Floats, Ints
from fsconsole.shares.scenario.spec import DemandReport

SATURATED = np.inf
NOBODY = -1
# Differences below this are rounding errors.
_NOTHING = 1e-9


@dataclass(frozen=True, eq=False, slots=True)
class Split:
    """Division of a machine by demands; one value per row of the tree, fractions of the machine.

    Attributes:
        entitled: the machine share.
        demand: largest usable part: at most 1, and for a group at most the sum of its children.
        what_if: resulting part.
    """

    entitled: Floats
    demand: Floats
    what_if: Floats

    @property
    def left(self) -> Floats:
        """Part of the machine that each node leaves of its entitlement, [rows]."""
        return np.maximum(self.entitled - self.what_if, 0.0)

    @property
    def received(self) -> Floats:
        """Part of the machine that each node gets above its entitlement, [rows]."""
        return np.maximum(self.what_if - self.entitled, 0.0)

    def wants_more(self, row: int) -> bool:
        """Return True if the node could use more than it gets: it is saturated."""
        return bool(self.demand[row] - self.what_if[row] > _NOTHING)


@dataclass(frozen=True, slots=True)
class Flow:
    """Part of the machine that passes from row `giver` to row `taker`; NOBODY if it stays unused."""

    giver: int
    taker: int
    amount: float


def split(flat: FlatTree, demands: Floats) -> Split:
    """Divide the machine by demands as fractions of it, [rows], infinite where saturated.

    A group's own demand holds beside those below it. Nodes without shares get what all others leave, in equal
    parts. O(n log n).
    """
    wanted = wanted_of(flat, demands)
    what_if = np.zeros(len(flat))
    what_if[0] = wanted[0]
    for level in flat.levels[1:]:
        parent = flat.parent[level]
        # Rows of a level are in order, so siblings are contiguous.
        first = np.flatnonzero(np.r_[True, parent[1:] != parent[:-1]])
        group = np.repeat(np.arange(len(first)), np.diff(np.r_[first, len(level)]))
        what_if[level] = _shared_out(group, what_if[parent[first]], flat.shares[level], wanted[level])
    return Split(flat.machine_share(), wanted, what_if)


def saturated(flat: FlatTree) -> Floats:
    """Return demands of a tree in which every node wants everything, [rows]."""
    return np.full(len(flat), SATURATED)


def demands_of_report(report: DemandReport) -> dict[int, float]:
    """Return the demands in a report by node id: fractions of the machine, inf for saturated."""
    return {demand.node: SATURATED if demand.limit is None else demand.limit for demand in report.demands}


def measured_in(report: DemandReport) -> dict[int, float]:
    """Return the measured parts of nodes in a report, by node id: fractions of the machine, without
    unknown ones.
    """
    return {demand.node: demand.measured for demand in report.demands if demand.measured is not None}


def with_stated(flat: FlatTree, demands: Floats, stated: Mapping[int, float]) -> Floats:
    """Return demands, [rows], with those stated by node id in their place; nodes that are not there are left
    out.
    """
    changed = demands.copy()
    for node, demand in stated.items():
        row = flat.row_of.get(node)
        if row is not None:
            changed[row] = demand
    return changed


def demands_of_processes(flat: FlatTree, runnable: Floats, cpus: int) -> Floats:
    """Return demands of leaves as parts of the machine, [rows], from (mean) counts of runnable processes,
    [rows].

    A process uses at most one CPU. Groups are saturated.
    """
    return np.where(flat.is_leaf, np.minimum(runnable / cpus, 1.0), SATURATED)


def frontier(flat: FlatTree, opened: Iterable[int]) -> Ints:
    """Return rows that together make the whole tree, [rows]: the closed children of `opened` rows.

    Opening a row opens all rows above it; the root is always open, leaves cannot be.
    """
    is_open = np.zeros(len(flat), np.bool_)
    is_open[0] = True
    for row in opened:
        while not is_open[row]:
            is_open[row] = True
            row = int(flat.parent[row])
    has_children = np.zeros(len(flat), np.bool_)
    has_children[flat.parent[1:]] = True
    is_open &= has_children
    above = np.r_[False, is_open[flat.parent[1:]]]
    return np.flatnonzero(above & ~is_open)


def flows(flat: FlatTree, result: Split, rows: Sequence[int] | Ints) -> list[Flow]:
    """Return the flows of surplus among rows that together make the whole tree, [rows] (see `frontier`).

    The surplus of a group's members goes to other members first, then out of the group. A group whose
    children have no shares passes its entitlement on to them as a separate giver.
    """
    return _Flows(flat, result, rows).found()


def wanted_of(flat: FlatTree, demands: Floats) -> Floats:
    """Return demands that groups can have, as parts of the machine, [rows]: at most the sum below them."""
    wanted = np.minimum(demands, 1.0)
    wanted[~flat.is_leaf & (flat.end == np.arange(1, len(flat) + 1))] = 0.0
    for level in reversed(flat.levels[1:]):
        parent = flat.parent[level]
        groups, index = np.unique(parent, return_inverse=True)
        wanted[groups] = np.minimum(wanted[groups], np.bincount(index, weights=wanted[level]))
    return wanted


def _shared_out(group: Ints, room: Floats, shares: Floats, wanted: Floats) -> Floats:
    """Return each row's part of the room of its group; rows without shares come last."""
    has_shares = shares > 0
    got = np.zeros(len(wanted))
    got[has_shares] = _poured(group[has_shares], room, shares[has_shares], wanted[has_shares])
    if not has_shares.all():
        rest = np.maximum(room - np.bincount(group, weights=got, minlength=len(room)), 0.0)
        last = ~has_shares
        got[last] = _poured(group[last], rest, np.ones(int(last.sum())), wanted[last])
    return got


def _poured(group: Ints, room: Floats, weight: Floats, wanted: Floats) -> Floats:
    """Fill all groups at once: min(wanted, level * weight), with a level that uses up the room."""
    ratio = wanted / weight
    order = np.lexsort((ratio, group))
    where, need, bulk = group[order], wanted[order], weight[order]
    # They are what the group would hold if the water were as high as this child needs it.
    below, above = _sums_before(where, need), _sums_before(where, bulk)
    total = np.bincount(where, weights=bulk, minlength=len(room))
    held = below + ratio[order] * (total[where] - above)
    full = np.empty(len(order), np.bool_)
    full[order] = held <= room[where]
    spent = np.bincount(group, weights=np.where(full, wanted, 0.0), minlength=len(room))
    open_weight = np.bincount(group, weights=np.where(full, 0.0, weight), minlength=len(room))
    level = np.zeros(len(room))
    np.divide(np.maximum(room - spent, 0.0), open_weight, out=level, where=open_weight > 0)
    return np.where(full, wanted, np.minimum(wanted, level[group] * weight))


def _sums_before(group: Ints, values: Floats) -> Floats:
    """Return sums of the preceding values in each group; groups are contiguous."""
    before = np.cumsum(values) - values
    return before - before[np.searchsorted(group, group)]


class _Flows:
    """Follows each surplus up from its givers and down to its receivers."""

    def __init__(self, flat: FlatTree, result: Split, rows: Sequence[int] | Ints) -> None:
        self._net: list[float] = (result.what_if - result.entitled).tolist()
        self._entitled: list[float] = result.entitled.tolist()
        self._children: dict[int, list[int]] = {}
        known: set[int] = set()
        for row in map(int, rows):
            while row and row not in known:
                known.add(row)
                parent = int(flat.parent[row])
                self._children.setdefault(parent, []).append(row)
                row = parent

    def found(self) -> list[Flow]:
        """Return all flows, the largest first."""
        given: dict[int, dict[int, float]] = {}
        out: dict[int, dict[int, float]] = {}
        for group in sorted(self._children, reverse=True):  # Groups precede their children.
            mine = given[group] = self._given(group, out)
            surplus, taken = sum(mine.values()), self._taken(group)
            out[group] = _part(mine, max(surplus - taken, 0.0))
            given[group] = _part(mine, min(surplus, taken))
        result = [Flow(giver, NOBODY, amount) for giver, amount in out.get(0, {}).items()]
        for group in sorted(self._children):
            result += self._handed_down(group, given)
        found = [flow for flow in result if flow.amount > _NOTHING]
        return sorted(found, key=lambda flow: -flow.amount)

    def _given(self, group: int, out: dict[int, dict[int, float]]) -> dict[int, float]:
        children = self._children[group]
        given = {}
        unassigned = self._entitled[group] - sum(self._entitled[child] for child in children)
        if unassigned > _NOTHING:
            given[group] = unassigned
        for child in children:
            if self._net[child] < -_NOTHING:
                given |= out[child] if child in self._children else {child: -self._net[child]}
        return given

    def _taken(self, group: int) -> float:
        return sum(max(self._net[child], 0.0) for child in self._children[group])

    def _handed_down(self, group: int, given: dict[int, dict[int, float]]) -> list[Flow]:
        """Pass flows on to the children; a group's flow is divided inside it."""
        takers = [child for child in self._children[group] if self._net[child] > _NOTHING]
        result = []
        for child in takers:
            parts = _part(given[group], self._net[child])
            if child in self._children:
                for giver, amount in parts.items():
                    given[child][giver] = given[child].get(giver, 0.0) + amount
            else:
                result += [Flow(giver, child, amount) for giver, amount in parts.items()]
        return result


def _part(amounts: dict[int, float], total: float) -> dict[int, float]:
    """Return these proportions, `total` together."""
    whole = sum(amounts.values())
    return {row: amount * total / whole for row, amount in amounts.items()} if whole > 0 else {}
