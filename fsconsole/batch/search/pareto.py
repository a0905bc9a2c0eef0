"""The Pareto front: the settings that no other one dominates.

For all goals small is better; goals for large values are negated. Source: Deb, Pratap, Agarwal and Meyarivan,
A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II, IEEE Transactions on Evolutionary Computation
6(2), 2002, sections III-A (ranks), III-B (crowding) and VI (constraints).
"""

from __future__ import annotations

import numpy as np

from fsconsole.batch.job_table import Bools, Floats, Ints


def front_of(values: Floats) -> Bools:
    """Return the rows that no other row dominates, [rows]; equal rows are all included.

    A row dominates another one if it is as small in every column and smaller in one. Rows with a NaN are
    never on the front.

    Args:
        values: one row each, float64 [rows, goals].
    """
    on = np.zeros(len(values), dtype=np.bool_)
    rows = np.flatnonzero(~np.isnan(values).any(axis=1))
    # Sorted by the sum, each row follows those that dominate it, except for rounding.
    order = rows[np.lexsort((*values[rows].T[::-1], values[rows].sum(axis=1)))]
    front = np.empty((0, values.shape[1]))
    for row in order.tolist():
        own = values[row]
        beaten = (front <= own).all(axis=1) & (front < own).any(axis=1)
        if beaten.any():
            continue
        beats = (own <= front).all(axis=1) & (own < front).any(axis=1)
        if beats.any():
            members = np.flatnonzero(on)
            worse = (own <= values[members]).all(axis=1) & (own < values[members]).any(axis=1)
            on[members[worse]] = False
            front = front[~beats]
        on[row] = True
        front = np.concatenate([front, own[None]])
    return on


def best_front(values: Floats, excess: Floats) -> Bools:
    """Return the rows that no row dominates, and those that are not dominated among rows within bounds.

    The latter are the goal of the search; the former show the cost of bounds, and the best rows if none is
    within bounds.

    Args:
        values: [rows, goals].
        excess: miss of bounds of each row, 0 within bounds, infinite if unknown.
    """
    known = front_of(np.where(np.isfinite(excess)[:, None], values, np.nan))
    meeting = front_of(np.where((excess <= 0)[:, None], values, np.nan))
    found: Bools = known | meeting
    return found


def chosen_of_front(values: Floats, excess: Floats, count: int) -> Ints:
    """Choose at most `count` rows of a front, within bounds first and far from each other, in order.

    Args:
        values: values of the goals on the front, small is better, [rows, goals].
        excess: miss of bounds of each row, 0 within bounds, [rows].
        count: number of rows at most.

    Returns:
        Numbers of rows, rising, int64 [chosen].
    """
    meeting, others = np.flatnonzero(excess <= 0), np.flatnonzero(excess > 0)
    first = meeting[spread(values[meeting], count)]
    rest = others[spread(values[others], count - len(first))]
    return np.sort(np.concatenate([first, rest]))


def ranks(values: Floats, excess: Floats) -> Ints:
    """Return ranks of rows by peeling off fronts, 0 for the first, [rows].

    A row with a smaller miss of bounds precedes one with a larger miss; among rows within bounds dominance
    decides.

    Args:
        values: goals, the smaller the better, float64 [rows, goals]; NaN is worst.
        excess: relative misses of bounds, float64 [rows]; 0 or less is within bounds.
    """
    finite = np.nan_to_num(values, nan=np.inf)
    missed = np.nan_to_num(excess, nan=np.inf)
    less = missed[:, None] < missed[None, :]
    both = (missed[:, None] <= 0) & (missed[None, :] <= 0)
    no_worse = (finite[:, None, :] <= finite[None, :, :]).all(axis=2)
    better = (finite[:, None, :] < finite[None, :, :]).any(axis=2)
    dominates = np.where(both, no_worse & better, less)
    rank = np.full(len(values), -1, dtype=np.int64)
    left = dominates.sum(axis=0)
    level = 0
    while (rank < 0).any():
        now = np.flatnonzero((rank < 0) & (left == 0))
        rank[now] = level
        left = left - dominates[now].sum(axis=0)
        level += 1
    return rank


def crowding(values: Floats) -> Floats:
    """Return the sum of relative distances of neighbours in each goal; ends infinite, [rows].

    Args:
        values: goals of the rows of one front, float64 [rows, goals].
    """
    found = np.zeros(len(values))
    for column in values.T:
        order = np.argsort(column, kind="stable")
        found[order[[0, -1]]] = np.inf
        width = column[order[-1]] - column[order[0]]
        if np.isfinite(width) and width > 0:
            found[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / width
    return found


def fittest(values: Floats, excess: Floats, count: int) -> Ints:
    """Return the parents of the next generation: by rank, in the last rank the least crowded, [count].

    Args:
        values: goals, the smaller the better, float64 [rows, goals].
        excess: relative misses of bounds, float64 [rows].
        count: number of parents.
    """
    rank = ranks(values, excess)
    finite = np.nan_to_num(values, nan=np.inf, posinf=np.inf)
    chosen: list[int] = []
    for level in range(int(rank.max()) + 1):
        rows = np.flatnonzero(rank == level)
        if len(chosen) + len(rows) > count:
            order = np.argsort(-crowding(finite[rows]), kind="stable")
            rows = np.sort(rows[order[: count - len(chosen)]])
        chosen += rows.tolist()
        if len(chosen) == count:
            break
    return np.array(chosen, dtype=np.int64)


def spread(values: Floats, count: int) -> Ints:
    """Return at most `count` rows far from each other, in order.

    They are the best of each goal, then repeatedly the row farthest from those chosen.

    Args:
        values: values of a front, [rows, goals].
        count: number of rows.
    """
    if len(values) <= count:
        return np.arange(len(values))
    if count < 1:
        return np.zeros(0, dtype=np.int64)
    low, high = values.min(axis=0), values.max(axis=0)
    scaled = (values - low) / np.where(high > low, high - low, 1.0)
    chosen = list(dict.fromkeys(np.argmin(scaled, axis=0).tolist()))[:count]
    near = np.min([((scaled - scaled[row]) ** 2).sum(axis=1) for row in chosen], axis=0)
    while len(chosen) < count:
        near[chosen] = -1.0  # Equal rows are then chosen once each.
        row = int(np.argmax(near))
        chosen.append(row)
        near = np.minimum(near, ((scaled - scaled[row]) ** 2).sum(axis=1))
    return np.sort(np.array(chosen, dtype=np.int64))
