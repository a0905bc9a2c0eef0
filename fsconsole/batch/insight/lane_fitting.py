"""Compiled assignment of jobs to lanes: first fit into the gaps between the running jobs.

Gaps are sorted by their first lane, with room between any two; a gap never crosses the last lane of the
machine, above which only schedules with too many nodes go.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled, entry

Small = NDArray[np.int32]


@entry
def fit_lanes(
    start_s: Ints, end_s: Ints, nodes: Ints, by_start: Ints, by_end: Ints, limits: Ints
) -> tuple[Small, Small]:
    """Return lanes of all jobs: (row of the job, first lane, lanes) of each span, and each job's first span.

    Spans are int32 [spans, 3], in the order of starts; those of one job are adjacent. A job gets the lowest
    gap that it fits into; without one, the widest gaps in turn.

    Args:
        start_s: start of each job, [jobs].
        end_s: end of each job, later than its start, [jobs].
        nodes: number of lanes of each job, [jobs].
        by_start: rows in the order of starts.
        by_end: the same rows in the order of ends.
        limits: lanes of the machine, and total number of lanes, at least as many.
    """
    machine, lanes = limits[0], limits[1]
    spans = np.empty((len(nodes) + 16, 3), np.int32)
    first_span = np.full(len(nodes), -1, np.int32)
    gaps = np.empty((lanes + 2, 2), np.int64)
    gaps[0, 0], gaps[0, 1] = 0, machine
    gaps[1, 0], gaps[1, 1] = machine, lanes - machine
    many = 2 if lanes > machine else 1
    made, ended, free = 0, 0, machine  # `free` counts down from all lanes of the machine.
    for row in by_start:
        while end_s[by_end[ended]] <= start_s[row]:
            leaving = by_end[ended]
            span, left = first_span[leaving], nodes[leaving]
            while left > 0:
                first, wide = np.int64(spans[span, 1]), np.int64(spans[span, 2])
                many = _give_back(gaps, many, first, wide, machine)
                free += wide if first < machine else 0
                left -= wide
                span += 1
            ended += 1
        first_span[row], left = made, nodes[row]
        inside = free >= left
        while left > 0:
            gap = _gap_for(gaps, many, left, machine if inside else lanes)
            first, wide = gaps[gap, 0], min(gaps[gap, 1], left)
            many = _take(gaps, many, gap, wide)
            free -= wide if first < machine else 0
            left -= wide
            if made == len(spans):
                spans = _doubled(spans)
            spans[made, 0], spans[made, 1], spans[made, 2] = row, first, wide
            made += 1
    return spans[:made], first_span


@compiled
def _gap_for(gaps: Ints, many: int, nodes: int, below: int) -> int:
    """Return the lowest gap that is wide enough, else the widest one; only gaps that begin below a lane."""
    widest = 0
    for gap in range(many):
        if gaps[gap, 0] >= below:
            break
        if gaps[gap, 1] >= nodes:
            return gap
        if gaps[gap, 1] > gaps[widest, 1]:
            widest = gap
    return widest


@compiled
def _take(gaps: Ints, many: int, gap: int, wide: int) -> int:
    """Take lanes from the low end of a gap; return the number of gaps then."""
    gaps[gap, 0] += wide
    gaps[gap, 1] -= wide
    if gaps[gap, 1] > 0:
        return many
    for later in range(gap + 1, many):
        gaps[later - 1, 0], gaps[later - 1, 1] = gaps[later, 0], gaps[later, 1]
    return many - 1


@compiled
def _give_back(gaps: Ints, many: int, first: int, wide: int, machine: int) -> int:
    """Turn lanes into a gap or a part of the gaps beside them; return the number of gaps then."""
    above = many
    while above > 0 and gaps[above - 1, 0] > first:
        above -= 1
    joins_above = above < many and first + wide == gaps[above, 0] and gaps[above, 0] != machine
    joins_below = above > 0 and gaps[above - 1, 0] + gaps[above - 1, 1] == first and first != machine
    if joins_below:
        gaps[above - 1, 1] += wide
        if joins_above:
            _join_below(gaps, many, above)
        return many - 1 if joins_above else many
    if joins_above:
        gaps[above, 0] = first
        gaps[above, 1] += wide
        return many
    for later in range(many, above, -1):
        gaps[later, 0], gaps[later, 1] = gaps[later - 1, 0], gaps[later - 1, 1]
    gaps[above, 0], gaps[above, 1] = first, wide
    return many + 1


@compiled
def _join_below(gaps: Ints, many: int, gap: int) -> None:
    """Join a gap with the one below it."""
    gaps[gap - 1, 1] += gaps[gap, 1]
    for later in range(gap + 1, many):
        gaps[later - 1, 0], gaps[later - 1, 1] = gaps[later, 0], gaps[later, 1]


@compiled(allocates=True)
def _doubled(spans: Small) -> Small:
    more = np.empty((2 * len(spans), 3), np.int32)
    for span in range(len(spans)):
        more[span, 0], more[span, 1], more[span, 2] = spans[span, 0], spans[span, 1], spans[span, 2]
    return more
