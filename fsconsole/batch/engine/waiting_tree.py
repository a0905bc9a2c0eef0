"""Waiting jobs of each owner at numbered places, searched for one that may start.

Each owner has a tree of sixteen branches over the places of their jobs. Each node knows the least number of
nodes among the jobs that wait below it, and the least runtime among those of them with fewer than 2, 4, 8,
... nodes: one least runtime alone sends a search again and again to where a small job and a short one wait,
but none that is both. A place without a job counts as an endlessly large and long one. An owner's root says
whether the owner can have a job that may start at all.
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
        nodes: of the job at each place, sixteen sisters side by side, [places / 16, 16].
        runtime_s: likewise.
        least_nodes: of all that is above the places, roots first, an owner each; [nodes / 16, 16].
        least_runtime_s: likewise, [nodes / 16, size, 16].
        first: where each level of an owner's tree begins, that of the places first, [owners, levels]. On the
            last level stands the root.
        height: which level that is, [owners].
        size: how many binary digits a number of nodes has, less 1, [0 .. nodes of the machine].
    """

    nodes: Ints
    runtime_s: Ints
    least_nodes: Ints
    least_runtime_s: Ints
    first: Ints
    height: Ints
    size: Bytes


def waiting_tree(jobs: Ints, cluster_nodes: int) -> WaitingTree:
    """Return empty trees of owners with so many jobs each, [owners]."""
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
    """Return how many binary digits each number has, less 1, a byte each: machines of millions of nodes
    fit.
    """
    powers = 1 << np.arange(1, largest.bit_length())
    return np.searchsorted(powers, np.arange(largest + 1), side="right").astype(np.int8)


def _padded(entries: Ints) -> Ints:
    padded: Ints = np.maximum((entries + LAST) >> BITS, 1) << BITS
    return padded


@compiled
def insert(tree: WaitingTree, owner: int, place: int, nodes: int, runtime_s: int) -> None:
    """Add a waiting job."""
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
                break  # larger sizes are of more jobs: there it is no more than here
            tree.least_runtime_s[group, size, sister] = runtime_s
            is_less = True
        if not is_less:
            return


@compiled
def remove(tree: WaitingTree, owner: int, place: int) -> None:
    """Remove a job that waits no longer."""
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
                break  # another job is as long, and counts for larger sizes too
            is_more = True
        if not is_more:
            return


@compiled
def change_roots(tree: WaitingTree, one: int, other: int, has_any: bool) -> None:
    """Let the roots of two owners change places; what they know goes with them where any job is there."""
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
    """Whether, for what the root knows, a job of the owner may start; `extra` is not above `free`."""
    root = tree.first[owner, tree.height[owner]]
    group, sister = root >> BITS, root & LAST
    if tree.least_nodes[group, sister] <= extra:
        return True
    return tree.least_runtime_s[group, tree.size[free], sister] <= slack_s


@compiled
def following(tree: WaitingTree, owner: int, place: int, free: int, slack_s: int, extra: int) -> int:
    """Return the first job of an owner from a place on that may start now, -1 if there is none.

    It has no more than `free` nodes, at least 1, and ends within `slack_s` or has no more than `extra`.
    """
    extra = min(extra, free)
    level, at, top = 0, place - tree.first[owner, 0], tree.height[owner]
    while at > 0 and at & LAST == 0 and level < top:  # may be behind the last place
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
    """Return which of sixteen jobs may start, a bit each; `extra` is not above `free`."""
    return at_most(nodes, extra) | (at_most(nodes, free) & at_most(runtime_s, slack_s))


@compiled
def which_may_have(tree: WaitingTree, group: int, free: int, slack_s: int, extra: int) -> int:
    """Return which of sixteen nodes may have such a job below them, a bit each."""
    runtimes = tree.least_runtime_s[group, tree.size[free]]
    return at_most(tree.least_nodes[group], extra) | at_most(runtimes, slack_s)


@compiled
def _first_job(tree: WaitingTree, at: int, free: int, slack_s: int, extra: int) -> int:
    """Return the first such job at or behind `at` among its sisters, -1 if there is none."""
    group = at >> BITS
    found = which_may_start(tree.nodes[group], tree.runtime_s[group], free, slack_s, extra)
    found &= -1 << (at & LAST)
    return (group << BITS) + first_bit(found) if found else -1


@compiled
def _first_node(tree: WaitingTree, at: int, free: int, slack_s: int, extra: int) -> int:
    """Return the first node at or behind `at` among its sisters below which such a job may be, -1 if none
    is.
    """
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
