"""Running jobs in compiled loops: arrays of ends and nodes, with the next job to end at the back.

Most starting jobs are short. They are inserted near the back, where few others must move. A machine never
runs more jobs than it has nodes, and for such numbers nothing is faster than moving the entries.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled

COUNT, FREE = range(2)


class Running(NamedTuple):
    """Running jobs, sorted by their ends.

    Attributes:
        end_s: ends, descending; the first `mark[COUNT]` are valid.
        row: row of each job.
        nodes: nodes of each job.
        mark: number of running jobs, and number of free nodes, [2].
    """

    end_s: Ints
    row: Ints
    nodes: Ints
    mark: Ints


def nothing_runs(jobs: int, cluster_nodes: int) -> Running:
    """Return an idle machine for a workload of `jobs` jobs."""
    most = min(jobs, cluster_nodes)
    end_s, row, nodes = np.zeros((3, most), dtype=np.int64)
    return Running(end_s, row, nodes, np.array([0, cluster_nodes], dtype=np.int64))


@compiled
def free_nodes(running: Running) -> int:
    """Return the number of free nodes."""
    return running.mark[FREE]


@compiled
def begin(running: Running, row: int, end_s: int, nodes: int) -> None:
    """Start a job on free nodes."""
    at = running.mark[COUNT]
    while at > 0 and running.end_s[at - 1] < end_s:
        running.end_s[at] = running.end_s[at - 1]
        running.row[at] = running.row[at - 1]
        running.nodes[at] = running.nodes[at - 1]
        at -= 1
    running.end_s[at] = end_s
    running.row[at] = row
    running.nodes[at] = nodes
    running.mark[COUNT] += 1
    running.mark[FREE] -= nodes


@compiled
def complete(running: Running, now: int) -> bool:
    """End all jobs that end by now; return whether there were any."""
    count, free = running.mark[COUNT], running.mark[FREE]
    while count > 0 and running.end_s[count - 1] <= now:
        count -= 1
        free += running.nodes[count]
    ended = bool(count < running.mark[COUNT])
    running.mark[COUNT], running.mark[FREE] = count, free
    return ended


@compiled
def end_one(running: Running, now: int) -> int:
    """End a job that ends now; return its row, or -1 if there is none."""
    last = running.mark[COUNT] - 1
    if last < 0 or running.end_s[last] != now:
        return -1
    running.mark[COUNT] = last
    running.mark[FREE] += running.nodes[last]
    return running.row[last]


@compiled
def next_event(running: Running, submit_s: Ints, arriving: int, is_waited: bool) -> int:
    """Return the time of the next arrival, or of an earlier end if jobs wait.

    After the last arrival, return the time of the next end. An arrival or a running job must remain.
    """
    count = running.mark[COUNT]
    if arriving == len(submit_s):
        return running.end_s[count - 1]
    if is_waited and count > 0:
        return min(running.end_s[count - 1], submit_s[arriving])
    return submit_s[arriving]


@compiled
def earliest(running: Running, nodes: int) -> tuple[int, int]:
    """Return the first end by which `nodes` nodes are free, and how many more are free then.

    Fewer than `nodes` nodes are free now.
    """
    at, free = running.mark[COUNT] - 1, running.mark[FREE] + running.nodes[running.mark[COUNT] - 1]
    while free < nodes or (at > 0 and running.end_s[at - 1] == running.end_s[at]):
        at -= 1
        free += running.nodes[at]
    return running.end_s[at], free - nodes
