"""Waiting jobs with whole-numbered priorities in an unsorted list, searched one by one.

Between two calculations priorities stay the same, and each calculation changes all of them. Searching a list
at some nanoseconds per job costs less than sorting it again.
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

# `Waiting.mark` has these entries: number of waiting jobs, and whether their priorities are up to date.
COUNT, IS_RANKED = range(2)


class Waiting(NamedTuple):
    """Waiting jobs, the first `mark[COUNT]` entries of each column except for the last three.

    Attributes:
        row: row of each job.
        priority: priority of each job as Slurm prints it.
        nodes: nodes of each job.
        runtime_s: runtime of each job.
        user: owner of each job, [jobs].
        fixed: points of each job for size, partition and QOS, [jobs].
        mark: scalars; see the constants above.
    """

    row: Ints
    priority: Ints
    nodes: Ints
    runtime_s: Ints
    user: Ints
    fixed: Floats
    mark: Ints


def nothing_waits(user: Ints, fixed: Floats) -> Waiting:
    """Return an empty queue with room for all jobs; `user` and `fixed` are [jobs] each."""
    columns = np.zeros((4, len(user)), dtype=np.int64)
    owner = np.require(user, dtype=np.int64, requirements=["C", "W"])
    points = np.require(fixed, requirements=["C", "W"])
    return Waiting._make([*columns, owner, points, np.array([0, 1])])


@compiled
def priority_of(waiting: Waiting, known: Usage, jobs: Columns, row: int) -> int:
    """Return a job's priority as of the last calculation, or of its submission if that is later."""
    age_s, setting = max(known.mark[LAST_S] - jobs.submit_s[row], 0), known.setting
    age = setting[AGE] * min(age_s / setting[MAX_AGE_S], 1.0)
    fairshare = setting[FAIRSHARE] * known.fairshare[waiting.user[row]]
    points = int(age + fairshare + waiting.fixed[row])
    return max(points, 1)


@compiled
def rank(waiting: Waiting, known: Usage, jobs: Columns) -> None:
    """Compute the priorities of all waiting jobs unless they are known."""
    if waiting.mark[IS_RANKED]:
        return
    waiting.mark[IS_RANKED] = 1
    find_fairshares(known)
    for at in range(waiting.mark[COUNT]):
        waiting.priority[at] = priority_of(waiting, known, jobs, waiting.row[at])


@compiled
def wait(waiting: Waiting, known: Usage, jobs: Columns, row: int) -> None:
    """Add a waiting job; compute its priority if those of the others are known."""
    at = waiting.mark[COUNT]
    waiting.row[at], waiting.nodes[at], waiting.runtime_s[at] = row, jobs.nodes[row], jobs.runtime_s[row]
    waiting.mark[COUNT] = at + 1
    if waiting.mark[IS_RANKED]:
        find_fairshares(known)
        waiting.priority[at] = priority_of(waiting, known, jobs, row)


@compiled
def leave(waiting: Waiting, at: int) -> None:
    """Remove the job at a place, which no longer waits."""
    last = waiting.mark[COUNT] - 1
    waiting.row[at], waiting.priority[at] = waiting.row[last], waiting.priority[last]
    waiting.nodes[at], waiting.runtime_s[at] = waiting.nodes[last], waiting.runtime_s[last]
    waiting.mark[COUNT] = last


@compiled
def has_as_small(waiting: Waiting, nodes: int) -> bool:
    """Return True if any waiting job needs at most `nodes` nodes."""
    least = nodes + 1
    for at in range(waiting.mark[COUNT]):
        least = min(least, waiting.nodes[at])
    return least <= nodes


@compiled
def foremost(waiting: Waiting) -> int:
    """Return the place of the job with the highest priority, the earliest among equals; -1 if none waits."""
    best = -1
    for at in range(waiting.mark[COUNT]):
        if best < 0 or _is_before(waiting, at, waiting.priority[best], waiting.row[best]):
            best = at
    return best


@compiled
def foremost_behind(waiting: Waiting, priority: int, row: int, free: int, slack_s: int, extra: int) -> int:
    """Return the place of the next job that may start behind a priority and row; -1 if there is none.

    It needs at most `free` nodes. It also ends within `slack_s` or needs at most `extra` nodes.
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
    """Return True if the job at a place precedes a job with a priority and row."""
    own = waiting.priority[at]
    return own > priority or (own == priority and waiting.row[at] < row)
