"""Waiting jobs of each owner at numbered places, searched for a job that may start.

Each owner has a tree of sixteen branches over the places of their jobs. Each node stores the least number of
nodes among the waiting jobs below it. It also stores the least runtime among those with fewer than 2, 4, 8,
... nodes. A single least runtime would often lead a search to a small job and a short job, but to none that
is both. A place without a job counts as an endlessly large and long job. An owner's root shows whether the
owner may have a job that can start.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsconsole.batch.engine.sixteen import BITS, BRANCHES, LAST, at_most, first_bit
from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled

Bytes = NDArray[np.int8]

ENDLESS = 1 << 62


class WaitingTree(NamedTuple):
    """Waiting jobs by their places.

    Attributes:
        nodes: nodes of the job at each place, sixteen siblings side by side, [places / 16, 16].
        runtime_s: runtime of the job at each place, [places / 16, 16].
        least_nodes: least nodes below each node above the places, the owners' roots first, [nodes / 16, 16].
        least_runtime_s: least runtime by size below each of these nodes, [nodes / 16, size, 16].
        first: start of each level of an owner's tree, places first, [owners, levels]. The last level holds
            the root.
        height: level of each owner's root, [owners].
        size: number of binary digits of a number of nodes, less 1, [0 .. nodes of the machine].
    """

    nodes: Ints
    runtime_s: Ints
    least_nodes: Ints
    least_runtime_s: Ints
    first: Ints
    height: Ints
    size: Bytes


def waiting_tree(jobs: Ints, cluster_nodes: int) -> WaitingTree:
    """Return empty trees for owners with `jobs` jobs each, [owners]."""
    owners = len(jobs)
    levels = [_padded(jobs)]
    while (levels[-1] > BRANCHES).any():
        levels.append(np.where(levels[-1] > BRANCHES, _padded(levels[-1] >> BITS), 0))
    first = np.zeros((owners, len(levels) + 1), dtype=np.int64)
    height = np.zeros(owners, dtype=np.int64)
    above = int(_padded(np.array([owners]))[0])
    for level, entries in enumerate(levels):
        begin = np.cumsum(entries) - entries + (above if level else 0)
        above += int(entries.sum()) if level else 0
        has_it = entries > 0
        first[has_it, level], height[has_it] = begin[has_it], level + 1
    first[np.arange(owners), height] = np.arange(owners)
    size = _digits_up_to(cluster_nodes)
    places, above, sizes = int(levels[0].sum()) >> BITS, above >> BITS, int(size[-1]) + 1
    nodes = (_endless(places), _endless(places), _endless(above), _endless(above, sizes))
    return WaitingTree(*nodes, first, height, size)


def _endless(*lengths: int) -> Ints:
    return np.full((*lengths, BRANCHES), ENDLESS, dtype=np.int64)


def _digits_up_to(largest: int) -> Bytes:
    """Return the number of binary digits of each number up to `largest`, less 1.

    One byte for each number keeps the table small for machines with millions of nodes.
    """
    powers = 1 << np.arange(1, largest.bit_length())
    return np.searchsorted(powers, np.arange(largest + 1), side="right").astype(np.int8)


def _padded(entries: Ints) -> Ints:
    padded: Ints = np.maximum((entries + LAST) >> BITS, 1) << BITS
    return padded


@compiled
def insert(tree: WaitingTree, owner: int, place: int, nodes: int, runtime_s: int) -> None:
    """Add a waiting job at a place."""
    tree.nodes[place >> BITS, place & LAST] = nodes
    tree.runtime_s[place >> BITS, place & LAST] = runtime_s
    at = place - tree.first[owner, 0]
    for level in range(1, tree.height[owner] + 1):
        at >>= BITS
        node = tree.first[owner, level] + at
        group, sister = node >> BITS, node & LAST
        is_less = nodes < tree.least_nodes[group, sister]
        if is_less:
            tree.least_nodes[group, sister] = nodes
        for size in range(tree.size[nodes], tree.least_runtime_s.shape[1]):
            if runtime_s >= tree.least_runtime_s[group, size, sister]:
                break  # Larger sizes include these jobs, so their least runtime is not larger.
            tree.least_runtime_s[group, size, sister] = runtime_s
            is_less = True
        if not is_less:
            return


@compiled
def remove(tree: WaitingTree, owner: int, place: int) -> None:
    """Remove a job that no longer waits."""
    group, sister = place >> BITS, place & LAST
    nodes, runtime_s = tree.nodes[group, sister], tree.runtime_s[group, sister]
    tree.nodes[group, sister] = tree.runtime_s[group, sister] = ENDLESS
    at = place - tree.first[owner, 0]
    for level in range(1, tree.height[owner] + 1):
        at >>= BITS
        node, below = tree.first[owner, level] + at, (tree.first[owner, level - 1] >> BITS) + at
        group, sister = node >> BITS, node & LAST
        is_more = False
        if tree.least_nodes[group, sister] == nodes:
            least = _least(tree.nodes[below]) if level == 1 else _least(tree.least_nodes[below])
            tree.least_nodes[group, sister] = least
            is_more = least > nodes
        for size in range(tree.size[nodes], tree.least_runtime_s.shape[1]):
            if tree.least_runtime_s[group, size, sister] != runtime_s:
                break
            least = (
                _least_runtime(tree, below, size) if level == 1 else _least(tree.least_runtime_s[below, size])
            )
            tree.least_runtime_s[group, size, sister] = least
            if least == runtime_s:
                break  # Another job has this runtime, and counts for larger sizes too.
            is_more = True
        if not is_more:
            return


@compiled
def change_roots(tree: WaitingTree, one: int, other: int, has_any: bool) -> None:
    """Swap the roots of two owners, and their values if any job is in a tree."""
    heights = tree.height[one], tree.height[other]
    root, against = tree.first[one, heights[0]], tree.first[other, heights[1]]
    tree.first[one, heights[0]], tree.first[other, heights[1]] = against, root
    if not has_any:
        return
    group, sister, other_group, other_sister = root >> BITS, root & LAST, against >> BITS, against & LAST
    nodes, runtimes = tree.least_nodes, tree.least_runtime_s
    was = nodes[group, sister]
    nodes[group, sister], nodes[other_group, other_sister] = nodes[other_group, other_sister], was
    for size in range(runtimes.shape[1]):
        was = runtimes[group, size, sister]
        runtimes[group, size, sister] = runtimes[other_group, size, other_sister]
        runtimes[other_group, size, other_sister] = was


@compiled
def may_have(tree: WaitingTree, owner: int, free: int, slack_s: int, extra: int) -> bool:
    """Return True if the root allows that an owner's job may start; `extra` is at most `free`."""
    root = tree.first[owner, tree.height[owner]]
    group, sister = root >> BITS, root & LAST
    if tree.least_nodes[group, sister] <= extra:
        return True
    return tree.least_runtime_s[group, tree.size[free], sister] <= slack_s


@compiled
def following(tree: WaitingTree, owner: int, place: int, free: int, slack_s: int, extra: int) -> int:
    """Return an owner's first job from a place on that may start now, -1 if there is none.

    It needs at most `free` nodes, which is at least 1. It also ends within `slack_s` or needs at most `extra`
    nodes.
    """
    extra = min(extra, free)
    level, at, top = 0, place - tree.first[owner, 0], tree.height[owner]
    while at > 0 and at & LAST == 0 and level < top:  # The place may be behind the last one.
        at >>= BITS
        level += 1
    while level < top:
        begin = tree.first[owner, level]
        if level == 0:
            found = _first_job(tree, begin + at, free, slack_s, extra)
            if found >= 0:
                return found
        else:
            found = _first_node(tree, begin + at, free, slack_s, extra)
            if found >= 0:
                at = (found - begin) << BITS
                level -= 1
                continue
        at = (at | LAST) + 1
        while at & LAST == 0 and level < top:
            at >>= BITS
            level += 1
    return -1


@compiled
def which_may_start(nodes: Ints, runtime_s: Ints, free: int, slack_s: int, extra: int) -> int:
    """Return a bit mask of the jobs among sixteen that may start; `extra` is at most `free`."""
    return at_most(nodes, extra) | (at_most(nodes, free) & at_most(runtime_s, slack_s))


@compiled
def which_may_have(tree: WaitingTree, group: int, free: int, slack_s: int, extra: int) -> int:
    """Return a bit mask of the nodes among sixteen that may have such a job below them."""
    runtimes = tree.least_runtime_s[group, tree.size[free]]
    return at_most(tree.least_nodes[group], extra) | at_most(runtimes, slack_s)


@compiled
def _first_job(tree: WaitingTree, at: int, free: int, slack_s: int, extra: int) -> int:
    """Return the first such job at or behind `at` among its siblings, -1 if there is none."""
    group = at >> BITS
    found = which_may_start(tree.nodes[group], tree.runtime_s[group], free, slack_s, extra)
    found &= -1 << (at & LAST)
    return (group << BITS) + first_bit(found) if found else -1


@compiled
def _first_node(tree: WaitingTree, at: int, free: int, slack_s: int, extra: int) -> int:
    """Return the first node at or behind `at` among its siblings that may have such a job, -1 if none."""
    group = at >> BITS
    found = which_may_have(tree, group, free, slack_s, extra) & (-1 << (at & LAST))
    return (group << BITS) + first_bit(found) if found else -1


@compiled
def _least(values: Ints) -> int:
    least = ENDLESS
    for at in range(BRANCHES):
        least = min(least, values[at])
    return least


@compiled
def _least_runtime(tree: WaitingTree, group: int, size: int) -> int:
    """Return the least runtime of jobs up to a size, at sixteen places."""
    sizes, runtimes, least = tree.nodes[group], tree.runtime_s[group], ENDLESS
    for at in range(BRANCHES):
        if sizes[at] >> (size + 1) == 0:
            least = min(least, runtimes[at])
    return least
