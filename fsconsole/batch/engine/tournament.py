"""Waiting jobs of which the largest slowdown is known at all times: a kinetic tournament.

The slowdown of a job, (wait + T)/T, rises linearly, and faster for shorter jobs. Jobs are at the leaves of
binary trees. Each node stores the winner of its two children, and how long all winners below it are certain
to remain. As time advances, only nodes whose time has passed are examined. Slowdowns are compared as
fractions of whole numbers, so that equal ones are equal; then the earliest job wins.

Jobs with 1, 2 to 3, 4 to 7, ... nodes are groups with a tree each. So if a winner does not fit into the free
nodes, few other jobs of its tree do. One more tree stands above the groups.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.job_table import Ints, JobTable
from fsconsole.policies.compiled import compiled

NOBODY = -1
_ENDLESS = 1 << 62
_WINNER, _UNTIL_S, _NODES, _RUNTIME_S = range(4)
_SINCE_S, _DIVISOR_S, _ROW, _SPARE_PLACE = range(4)
_FIRST, _ROOM, _TREE, _LEVEL, _USED, _SPARE = range(6)


class Tournament(NamedTuple):
    """Waiting jobs at places, which are used again.

    In a tree, node 1 is the root, nodes 2n and 2n + 1 are the children of node n, and the places are the last
    nodes.

    Attributes:
        node: winning place at each node, -1 if none waits; first second at which a winner below may change;
            least nodes and least runtime below; the tree above the groups comes first, [nodes, 4].
        job: for each place, the second at which its job's slowdown would have been 0 (submit time less
            runtime); the divisor of its slowdown, which is the runtime or a bound; the job's row; a released
            place. [places, 4]: four numbers lie in one line of the processor's cache.
        group: first place of each group; number of its places, a power of two; position of its tree; level
            above the places of the lowest node over all used places; number of used places; number of spare
            places among them; [groups, a power of two; 6].
    """

    node: Ints
    job: Ints
    group: Ints


def tournament(jobs: JobTable) -> Tournament:
    """Return a tournament without waiting jobs, with room for all jobs of a workload."""
    many = np.bincount(np.frexp(jobs.nodes)[1], minlength=3)[1:]
    groups = 1 << int(len(many) - 1).bit_length()
    group = np.zeros((groups, 6), dtype=np.int64)
    group[:, _ROOM] = 1
    group[: len(many), _ROOM] = [1 << max(int(count) - 1, 0).bit_length() for count in many]
    before = np.cumsum(group[:, _ROOM]) - group[:, _ROOM]
    group[:, _FIRST], group[:, _TREE] = before, 2 * (groups + before)
    places = int(group[:, _ROOM].sum())
    node = np.empty((2 * (groups + places), 4), dtype=np.int64)
    for nobody in (slice(2 * groups), group[:, _TREE] + group[:, _ROOM]):
        node[nobody] = NOBODY, _ENDLESS, _ENDLESS, _ENDLESS
    return Tournament(node, np.empty((places, 4), dtype=np.int64), group)


@compiled
def foremost(known: Tournament) -> int:
    """Return the winning place, -1 if none waits, as of the last `advance`, `enter` or `leave`."""
    return known.node[1, _WINNER]


@compiled
def least_nodes(known: Tournament) -> int:
    """Return the fewest nodes that any waiting job needs, `_ENDLESS` if none waits."""
    return known.node[1, _NODES]


@compiled
def row_at(known: Tournament, place: int) -> int:
    """Return the row of the job that waits at a place."""
    return known.job[place, _ROW]


@compiled
def enter(
    known: Tournament, row: int, submit_s: int, runtime_s: int, nodes: int, bounds: Ints, now: int
) -> None:
    """Add a waiting job; `bounds` are the bound of runtimes and the printed bound."""
    group = _group_of(nodes)
    place = _new_place(known, group, now)
    job = known.job
    counted_s = max(runtime_s, bounds[0])
    job[place, _ROW], job[place, _SINCE_S] = row, submit_s - counted_s
    job[place, _DIVISOR_S] = max(counted_s, bounds[1])
    _set_leaf(known, group, place, (place, _ENDLESS, nodes, runtime_s), now)


@compiled
def leave(known: Tournament, place: int, nodes: int, now: int) -> None:
    """Remove the job at a place; `nodes` is its number of nodes."""
    group = _group_of(nodes)
    _set_leaf(known, group, place, (NOBODY, _ENDLESS, _ENDLESS, _ENDLESS), now)
    own = known.group[group]
    known.job[own[_FIRST] + own[_SPARE], _SPARE_PLACE] = place
    own[_SPARE] += 1
    if own[_SPARE] == own[_USED]:
        own[_SPARE] = own[_USED] = own[_LEVEL] = 0


@compiled
def advance(known: Tournament, now: int) -> None:
    """Update all winners to the time `now`."""
    node, groups = 1, len(known.group)
    while known.node[1, _UNTIL_S] <= now:
        if node >= groups:
            _advance_group(known, node - groups, now)
            node >>= 1
        elif known.node[2 * node, _UNTIL_S] <= now:
            node = 2 * node
        elif known.node[2 * node + 1, _UNTIL_S] <= now:
            node = 2 * node + 1
        else:
            _play(known, node, 2 * node, now)
            node = max(node >> 1, 1)


@compiled
def foremost_fitting(known: Tournament, free: int, slack_s: int, extra: int, now: int) -> int:
    """Return the place of the job with the largest slowdown that may start, -1 if there is none.

    Such a job needs at most `free` nodes, which is at least 1. It also ends within `slack_s` or needs at most
    `extra` nodes.
    """
    best = NOBODY
    for group in range(_group_of(free) + 1):
        tree, top = known.group[group, _TREE], _top(known, group)
        node = top
        while True:
            if _is_worth(known, tree + node, best, free, slack_s, extra, now):
                winner = known.node[tree + node, _WINNER]
                leaf = tree + known.group[group, _ROOM] + winner - known.group[group, _FIRST]
                if not _may_fit(known, leaf, free, slack_s, extra):
                    node = 2 * node
                    continue
                best = winner
            while node != top and node & 1:
                node >>= 1
            if node == top:
                break
            node += 1
    return best


@compiled
def foremost_below(known: Tournament, stairs: Ints, steps: int, now: int) -> int:
    """Return the place of the job with the largest slowdown that fits below stairs, -1 if there is none.

    Args:
        known: waiting jobs.
        stairs: seconds from now, ascending from 0; nodes that are free from then on, descending; [2, steps].
        steps: number of steps.
        now: the present second.
    """
    best = NOBODY
    for group in range(_group_of(max(stairs[1, 0], 1)) + 1):
        tree, top = known.group[group, _TREE], _top(known, group)
        node = top
        while True:
            is_worth = _is_below(known, tree + node, stairs, steps)
            if is_worth and (best < 0 or _is_before(known, known.node[tree + node, _WINNER], best, now)):
                winner = known.node[tree + node, _WINNER]
                leaf = tree + known.group[group, _ROOM] + winner - known.group[group, _FIRST]
                if not _is_below(known, leaf, stairs, steps):
                    node = 2 * node
                    continue
                best = winner
            while node != top and node & 1:
                node >>= 1
            if node == top:
                break
            node += 1
    return best


@compiled
def _is_below(known: Tournament, node: int, stairs: Ints, steps: int) -> bool:
    """Return True if a job with the least nodes and runtime below a node fits.

    If it does not, no job below the node fits.
    """
    nodes, runtime_s = known.node[node, _NODES], known.node[node, _RUNTIME_S]
    for at in range(steps):
        if stairs[0, at] >= runtime_s:
            return True
        if nodes > stairs[1, at]:
            return False
    return True


@compiled
def _is_worth(known: Tournament, node: int, best: int, free: int, slack_s: int, extra: int, now: int) -> bool:
    """Return True if a job below a node may start and precede the best job found."""
    if not _may_fit(known, node, free, slack_s, extra):
        return False
    return best < 0 or _is_before(known, known.node[node, _WINNER], best, now)


@compiled
def _may_fit(known: Tournament, node: int, free: int, slack_s: int, extra: int) -> bool:
    nodes = known.node[node, _NODES]
    return nodes <= free and (nodes <= extra or known.node[node, _RUNTIME_S] <= slack_s)


@compiled
def _is_before(known: Tournament, one: int, other: int, now: int) -> bool:
    """Return True if the job at one place precedes the job at another."""
    job = known.job
    ones = (now - job[one, _SINCE_S]) * job[other, _DIVISOR_S]
    others = (now - job[other, _SINCE_S]) * job[one, _DIVISOR_S]
    return ones > others or (ones == others and job[one, _ROW] < job[other, _ROW])


@compiled
def _group_of(nodes: int) -> int:
    group = 0
    while nodes >> group > 1:
        group += 1
    return group


@compiled
def _top(known: Tournament, group: int) -> int:
    """Return the node above all used places, counted within the group's tree."""
    return known.group[group, _ROOM] >> known.group[group, _LEVEL]


@compiled
def _advance_group(known: Tournament, group: int, now: int) -> None:
    tree, top = known.group[group, _TREE], _top(known, group)
    node = top
    while known.node[tree + top, _UNTIL_S] <= now:
        if known.node[tree + 2 * node, _UNTIL_S] <= now:
            node = 2 * node
        elif known.node[tree + 2 * node + 1, _UNTIL_S] <= now:
            node = 2 * node + 1
        else:
            _play(known, tree + node, tree + 2 * node, now)
            node = max(node >> 1, top)
    _copy(known, len(known.group) + group, tree + top)


@compiled
def _new_place(known: Tournament, group: int, now: int) -> int:
    own = known.group[group]
    if own[_SPARE] > 0:
        own[_SPARE] -= 1
        return known.job[own[_FIRST] + own[_SPARE], _SPARE_PLACE]
    if own[_USED] == 1 << own[_LEVEL]:
        _grow(known, group, now)
    own[_USED] += 1
    return own[_FIRST] + own[_USED] - 1


@compiled
def _grow(known: Tournament, group: int, now: int) -> None:
    """Double the number of usable places of a group."""
    own = known.group[group]
    begin = _top(known, group) + 1
    many = 1
    while begin < 2 * own[_ROOM]:
        for node in range(own[_TREE] + begin, own[_TREE] + begin + many):
            known.node[node, _WINNER] = NOBODY
            known.node[node, _UNTIL_S] = known.node[node, _NODES] = known.node[node, _RUNTIME_S] = _ENDLESS
        begin, many = 2 * begin, 2 * many
    own[_LEVEL] += 1
    top = _top(known, group)
    _play(known, own[_TREE] + top, own[_TREE] + 2 * top, now)


@compiled
def _set_leaf(known: Tournament, group: int, place: int, leaf: tuple[int, int, int, int], now: int) -> None:
    """Set a leaf and update the nodes above it up to the first unchanged one."""
    own, top = known.group[group], _top(known, group)
    node = own[_ROOM] + place - own[_FIRST]
    _put(known, own[_TREE] + node, leaf)
    while node > top:
        node >>= 1
        if not _play(known, own[_TREE] + node, own[_TREE] + 2 * node, now):
            return
    node = len(known.group) + group
    _copy(known, node, own[_TREE] + top)
    while node > 1:
        node >>= 1
        if not _play(known, node, 2 * node, now):
            return


@compiled
def _play(known: Tournament, node: int, below: int, now: int) -> bool:
    """Update a node from its two children; return whether it has changed."""
    one, other = known.node[below, _WINNER], known.node[below + 1, _WINNER]
    until_s = min(known.node[below, _UNTIL_S], known.node[below + 1, _UNTIL_S])
    if one < 0 or other < 0:
        one = max(one, other)
    else:
        if _is_before(known, other, one, now):
            one, other = other, one
        until_s = min(until_s, _overtaken(known, one, other))
    nodes = min(known.node[below, _NODES], known.node[below + 1, _NODES])
    runtime_s = min(known.node[below, _RUNTIME_S], known.node[below + 1, _RUNTIME_S])
    return _put(known, node, (one, until_s, nodes, runtime_s))


@compiled
def _put(known: Tournament, node: int, what: tuple[int, int, int, int]) -> bool:
    is_new = False
    for at in range(4):
        is_new |= known.node[node, at] != what[at]
        known.node[node, at] = what[at]
    return is_new


@compiled
def _copy(known: Tournament, node: int, source: int) -> None:
    for at in range(4):
        known.node[node, at] = known.node[source, at]


@compiled
def _overtaken(known: Tournament, one: int, other: int) -> int:
    """Return the second from which the other job precedes the one that precedes it now."""
    job = known.job
    steeper = job[one, _DIVISOR_S] - job[other, _DIVISOR_S]
    if steeper <= 0:
        return _ENDLESS
    behind = job[other, _SINCE_S] * job[one, _DIVISOR_S] - job[one, _SINCE_S] * job[other, _DIVISOR_S]
    ties = job[other, _ROW] < job[one, _ROW]
    return (behind + steeper - (1 if ties else 0)) // steeper
