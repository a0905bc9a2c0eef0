"""Flat trees of any form, many of them without shares."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from fsconsole.shares.edits import MAX_SHARES
from fsconsole.shares.flat import FlatTree

SHARES = st.sampled_from([0, 0, 1, 3, MAX_SHARES])
MOST_ROWS = 60


def flat_tree(parents: list[int], shares: list[int]) -> FlatTree:
    """A tree of the parent's row of each row from 1 on; parents come before children, depth-first."""
    children: dict[int, list[int]] = {}
    for row, parent in enumerate(parents, start=1):
        children.setdefault(parent, []).append(row)
    order = [0]
    waiting = list(reversed(children.get(0, [])))
    while waiting:
        order.append(waiting.pop())
        waiting += reversed(children.get(order[-1], []))
    place = {row: at for at, row in enumerate(order)}
    n = len(order)
    up = np.array([-1, *(place[parents[row - 1]] for row in order[1:])], np.int64)
    is_leaf = np.ones(n, np.bool_)
    is_leaf[up[1:]] = False
    is_leaf[0] = False
    return FlatTree.from_columns(
        ids=np.arange(1, n + 1),
        parent=up,
        shares=np.array([0.0, *(shares[row - 1] for row in order[1:])]),
        is_leaf=is_leaf,
        is_system=np.zeros(n, np.bool_),
    )


@st.composite
def flat_trees(draw: st.DrawFn) -> FlatTree:
    """Trees from flat to chains of groups, many with zero shares."""
    n = draw(st.integers(1, MOST_ROWS))
    back = draw(st.sampled_from([1, 2, MOST_ROWS]))  # 1 makes a chain
    parents = [max(0, row - 1 - draw(st.integers(0, back - 1))) for row in range(1, n + 1)]
    return flat_tree(parents, draw(st.lists(SHARES, min_size=n, max_size=n)))


def comb(levels: int) -> FlatTree:
    """Groups inside each other, each with one share beside a user with the most there are."""
    parents, shares = [], []
    for level in range(levels):
        parents += [2 * level, 2 * level]
        shares += [MAX_SHARES, 1]
    return flat_tree(parents, shares)
