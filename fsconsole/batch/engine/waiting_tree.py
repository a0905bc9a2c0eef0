"""Waiting jobs at numbered places, searched for one that may start.

A tree of sixteen branches over all places. Each node knows the least number of nodes among the jobs that
wait below it, and the least runtime among those of them with fewer than 2, 4, 8, ... nodes: one least
runtime alone sends a search again and again to where a small job and a short one wait, but none that is
both. A place without a job counts as an endlessly large and long one. Where places are rows of the job
table, the order of places is that of arrival, and only the stretch of the tree between the oldest waiting
job and the newest is ever touched.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled

Bytes = NDArray[np.int8]

_BITS = 4  # of a place, that tell sisters apart
_BRANCHES = 1 << _BITS
_LAST = _BRANCHES - 1
ENDLESS = 1 << 62


class WaitingTree(NamedTuple):
    """Waiting jobs by their places.

    Attributes:
        least_nodes: of all levels one behind the other, that of the places first.
        runtime_s: of the places.
        least_runtime_s: of the levels above, [sixteen sisters, size, sister].
        first: where each level begins in `least_nodes`, and where the last one ends.
        size: how many binary digits a number of nodes has, [0 .. nodes of the machine].
    """

    least_nodes: Ints
    runtime_s: Ints
    least_runtime_s: Ints
    first: Ints
    size: Bytes


def waiting_tree(places: int, cluster_nodes: int) -> WaitingTree:
    """A tree of so many places, without jobs."""
    entries = [_padded(places)]
    while entries[-1] > _BRANCHES:
        entries.append(_padded(entries[-1] >> _BITS))
    first = np.cumsum([0, *entries], dtype=np.int64)
    size = _digits_up_to(cluster_nodes)
    above = int(first[-1] - first[1]) * int(size[-1])
    least_nodes, runtime_s, least_runtime_s = (
        np.full(many, ENDLESS, dtype=np.int64) for many in (first[-1], first[1], above)
    )
    return WaitingTree(least_nodes, runtime_s, least_runtime_s, first, size)


def _digits_up_to(largest: int) -> Bytes:
    """How many binary digits each number from 0 has, a byte each: machines of millions of nodes fit."""
    powers = np.concatenate([[1], 1 << np.arange(largest.bit_length())])
    return np.repeat(np.arange(len(powers), dtype=np.int8), powers)[: largest + 1]


def _padded(entries: int) -> int:
    return max((entries + _BRANCHES - 1) >> _BITS, 1) << _BITS


@compiled
def insert(tree: WaitingTree, place: int, nodes: int, runtime_s: int) -> None:
    """A job waits."""
    tree.least_nodes[place] = nodes
    tree.runtime_s[place] = runtime_s
    at = place
    for level in range(1, len(tree.first) - 1):
        at >>= _BITS
        entry = tree.first[level] + at
        is_less = nodes < tree.least_nodes[entry]
        if is_less:
            tree.least_nodes[entry] = nodes
        for size in range(tree.size[nodes], _sizes(tree) + 1):
            entry = _entry(tree, level, at, size)
            if runtime_s >= tree.least_runtime_s[entry]:
                break  # larger sizes are of more jobs: there it is no more than here
            tree.least_runtime_s[entry] = runtime_s
            is_less = True
        if not is_less:
            return


@compiled
def remove(tree: WaitingTree, place: int) -> None:
    """A job waits no longer."""
    nodes, runtime_s = tree.least_nodes[place], tree.runtime_s[place]
    tree.least_nodes[place] = tree.runtime_s[place] = ENDLESS
    at = place
    for level in range(1, len(tree.first) - 1):
        at >>= _BITS
        entry = tree.first[level] + at
        is_more = False
        if tree.least_nodes[entry] == nodes:
            begin = tree.first[level - 1] + (at << _BITS)
            tree.least_nodes[entry] = _least(tree.least_nodes, begin)
            is_more = tree.least_nodes[entry] > nodes
        for size in range(tree.size[nodes], _sizes(tree) + 1):
            entry = _entry(tree, level, at, size)
            if tree.least_runtime_s[entry] != runtime_s:
                break
            tree.least_runtime_s[entry] = _least_below(tree, level, at, size)
            if tree.least_runtime_s[entry] == runtime_s:
                break  # another job is as long, and counts for larger sizes too
            is_more = True
        if not is_more:
            return


@compiled
def following(tree: WaitingTree, place: int, free: int, slack_s: int, extra: int) -> int:
    """The first job from a place on that may start now, -1 if there is none.

    It has no more than `free` nodes, at least 1, and ends within `slack_s` or has no more than `extra`.
    """
    extra = min(extra, free)
    level, at = 0, place
    while at < tree.first[level + 1] - tree.first[level]:
        if level == 0:
            at = _first_job(tree, at, free, slack_s, extra)
            if at >= 0:
                return at
        else:
            at = _first_node(tree, level, at, free, slack_s, extra)
            if at >= 0:
                at <<= _BITS
                level -= 1
                continue
        at = ~at
        while at & _LAST == 0 and level < len(tree.first) - 2:
            at >>= _BITS
            level += 1
    return -1


@compiled
def _first_job(tree: WaitingTree, at: int, free: int, slack_s: int, extra: int) -> int:
    """The first such job at or behind `at` among its sisters; else ~(where they end)."""
    end = (at | _LAST) + 1
    for place in range(at, end):
        nodes = tree.least_nodes[place]
        if nodes <= free and (nodes <= extra or tree.runtime_s[place] <= slack_s):
            return place
    return ~end


@compiled
def _first_node(tree: WaitingTree, level: int, at: int, free: int, slack_s: int, extra: int) -> int:
    """The first node at or behind `at` among its sisters below which such a job may be; else ~(their end)."""
    end = (at | _LAST) + 1
    nodes = tree.first[level]
    runtimes = _entry(tree, level, at, tree.size[free]) - at
    for node in range(at, end):
        if tree.least_nodes[nodes + node] <= extra or tree.least_runtime_s[runtimes + node] <= slack_s:
            return node
    return ~end


@compiled
def _sizes(tree: WaitingTree) -> int:
    return tree.size[len(tree.size) - 1]


@compiled
def _entry(tree: WaitingTree, level: int, at: int, size: int) -> int:
    """Where the least runtime of a node above the jobs stands, among jobs up to a size."""
    node = tree.first[level] - tree.first[1] + at
    return ((node >> _BITS) * _sizes(tree) + size - 1 << _BITS) + (node & _LAST)


@compiled
def _least(values: Ints, begin: int) -> int:
    least = ENDLESS
    for at in range(begin, begin + _BRANCHES):
        least = min(least, values[at])
    return least


@compiled
def _least_below(tree: WaitingTree, level: int, at: int, size: int) -> int:
    """The least runtime of the jobs up to a size below a node, from those one level down."""
    if level > 1:
        return _least(tree.least_runtime_s, _entry(tree, level - 1, at << _BITS, size))
    least = ENDLESS
    for place in range(at << _BITS, (at + 1) << _BITS):
        if tree.least_nodes[place] >> size == 0:
            least = min(least, tree.runtime_s[place])
    return least
