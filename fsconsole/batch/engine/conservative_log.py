"""Holders of reservations under conservative backfilling, derived from arrivals and starts."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from fsconsole.batch.job_table import Ints
from fsconsole.batch.schedule import ReservationLog
from fsconsole.policies.compiled import compiled, entry


def log_of(submit_s: Ints, start_s: Ints) -> ReservationLog:
    """Return the reservations of jobs that arrive and start at seconds [jobs] each.

    Each waiting job holds a reservation from its arrival to its start, with the lowest free rank.
    """
    job = np.flatnonzero(start_s > submit_s)
    begin_s, end_s = submit_s[job], start_s[job]
    rank = np.zeros(len(job), dtype=np.int64)
    _give_ranks(begin_s, end_s, np.argsort(end_s), np.zeros(len(job), dtype=np.int64), rank)
    nothing = np.full(len(job), -1)
    at_s, ranks = np.concatenate([end_s, begin_s]), np.concatenate([rank, rank])
    order = np.lexsort((ranks, at_s))  # The sort is stable, so at one second and rank ends come first.
    at_s, ranks = at_s[order], ranks[order]
    is_last = np.ones(len(order), dtype=np.bool_)
    is_last[:-1] = (at_s[1:] != at_s[:-1]) | (ranks[1:] != ranks[:-1])
    order = order[is_last]
    jobs, starts = np.concatenate([nothing, job])[order], np.concatenate([nothing, end_s])[order]
    return ReservationLog(at_s[is_last], ranks[is_last], jobs, starts)


@entry(allocates=False)
def _give_ranks(begin_s: Ints, end_s: Ints, by_end: Ints, free: Ints, rank: Ints) -> None:
    """Give each job the lowest free rank; `free` holds the released ranks as a heap."""
    used = frees = ended = 0
    for at in range(len(begin_s)):
        while end_s[by_end[ended]] <= begin_s[at]:
            _push(free, frees, rank[by_end[ended]])
            frees += 1
            ended += 1
        if frees > 0:
            frees -= 1
            rank[at] = _pop(free, frees)
        else:
            rank[at] = used
            used += 1


@compiled
def _push(heap: Ints, count: int, value: int) -> None:
    """Add a value to a heap of `count` values."""
    at = count
    while at > 0 and heap[(at - 1) >> 1] > value:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = value


@compiled
def _pop(heap: Ints, count: int) -> int:
    """Remove the least value from a heap, so that `count` values remain."""
    least, value, at = heap[0], heap[count], 0
    while 2 * at + 1 < count:
        below = 2 * at + 1
        if below + 1 < count and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= value:
            break
        heap[at] = heap[below]
        at = below
    heap[at] = value
    return least
