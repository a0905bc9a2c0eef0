"""Waiting jobs with whole-numbered priorities, side by side in no order, looked through one by one.

Between two calculations priorities stay as they are, and after one all of them change: a list that is gone
through in nanoseconds a job costs less than any order that would have to be made again.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.columns import Columns
from fsconsole.batch.engine.multifactor_accounts import (
    AGE,
    FAIRSHARE,
    LAST_S,
    MAX_AGE_S,
    Usage,
    find_fairshares,
)
from fsconsole.batch.job_table import Floats, Ints
from fsconsole.policies.compiled import compiled

# Of `Waiting.mark`: how many jobs wait, and whether their priorities are those of the last calculation.
COUNT, IS_RANKED = range(2)


class Waiting(NamedTuple):
    """Jobs that wait, the first `mark[COUNT]` of each column but the last three.

    Attributes:
        row: which they are.
        priority: what Slurm would print.
        nodes: how many nodes each needs.
        runtime_s: how long each runs.
        user: whose each job is, [jobs].
        fixed: points of each for size, partition and QOS, [jobs].
        mark: the rest.
    """

    row: Ints
    priority: Ints
    nodes: Ints
    runtime_s: Ints
    user: Ints
    fixed: Floats
    mark: Ints


def nothing_waits(user: Ints, fixed: Floats) -> Waiting:
    """Return an empty queue with room for all jobs, of owners and points that do not change, [jobs] each."""
    columns = np.zeros((4, len(user)), dtype=np.int64)
    owner = np.require(user, dtype=np.int64, requirements=["C", "W"])
    points = np.require(fixed, requirements=["C", "W"])
    return Waiting._make([*columns, owner, points, np.array([0, 1])])


@compiled
def priority_of(waiting: Waiting, known: Usage, jobs: Columns, row: int) -> int:
    """Return a job's priority as of the last calculation, or of its submission where that is later."""
    age_s, setting = max(known.mark[LAST_S] - jobs.submit_s[row], 0), known.setting
    age = setting[AGE] * min(age_s / setting[MAX_AGE_S], 1.0)
    fairshare = setting[FAIRSHARE] * known.fairshare[waiting.user[row]]
    points = int(age + fairshare + waiting.fixed[row])
    return max(points, 1)


@compiled
def rank(waiting: Waiting, known: Usage, jobs: Columns) -> None:
    """Compute the priorities of all who wait, unless they are known."""
    if waiting.mark[IS_RANKED]:
        return
    waiting.mark[IS_RANKED] = 1
    find_fairshares(known)
    for at in range(waiting.mark[COUNT]):
        waiting.priority[at] = priority_of(waiting, known, jobs, waiting.row[at])


@compiled
def wait(waiting: Waiting, known: Usage, jobs: Columns, row: int) -> None:
    """Add a waiting job, with its own priority where priorities are to be computed."""
    at = waiting.mark[COUNT]
    waiting.row[at], waiting.nodes[at], waiting.runtime_s[at] = row, jobs.nodes[row], jobs.runtime_s[row]
    waiting.mark[COUNT] = at + 1
    if waiting.mark[IS_RANKED]:
        find_fairshares(known)
        waiting.priority[at] = priority_of(waiting, known, jobs, row)


@compiled
def leave(waiting: Waiting, at: int) -> None:
    """Remove the job at a place, which waits no longer."""
    last = waiting.mark[COUNT] - 1
    waiting.row[at], waiting.priority[at] = waiting.row[last], waiting.priority[last]
    waiting.nodes[at], waiting.runtime_s[at] = waiting.nodes[last], waiting.runtime_s[last]
    waiting.mark[COUNT] = last


@compiled
def has_as_small(waiting: Waiting, nodes: int) -> bool:
    """Return whether a job waits that needs no more than so many nodes."""
    least = nodes + 1
    for at in range(waiting.mark[COUNT]):
        least = min(least, waiting.nodes[at])
    return least <= nodes


@compiled
def foremost(waiting: Waiting) -> int:
    """Return the place of the job with the largest priority, of equal ones the one that came first; -1 if
    none.
    """
    best = -1
    for at in range(waiting.mark[COUNT]):
        if best < 0 or _is_before(waiting, at, waiting.priority[best], waiting.row[best]):
            best = at
    return best


@compiled
def foremost_behind(waiting: Waiting, priority: int, row: int, free: int, slack_s: int, extra: int) -> int:
    """Return the place of the next job in order behind one of a priority and row that may start; -1 if none.

    It has no more than `free` nodes, and ends within `slack_s` or has no more than `extra`.
    """
    best = -1
    for at in range(waiting.mark[COUNT]):
        nodes = waiting.nodes[at]
        if nodes > free or (nodes > extra and waiting.runtime_s[at] > slack_s):
            continue
        is_behind = not _is_before(waiting, at, priority, row) and waiting.row[at] != row
        if is_behind and (best < 0 or _is_before(waiting, at, waiting.priority[best], waiting.row[best])):
            best = at
    return best


@compiled
def _is_before(waiting: Waiting, at: int, priority: int, row: int) -> bool:
    """Return whether the job at a place goes before one of a priority and row."""
    own = waiting.priority[at]
    return own > priority or (own == priority and waiting.row[at] < row)
