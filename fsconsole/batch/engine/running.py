"""What runs, as compiled loops keep it: ends and nodes side by side, the job that ends first at the back.

Most jobs that start are short, so that they go in near the back, and few others make room. There are never
more of them than the machine has nodes, and for these numbers nothing is quicker than moving them.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled

COUNT, FREE = range(2)


class Running(NamedTuple):
    """Jobs that run.

    Attributes:
        end_s: when they end, falling, the first `mark[COUNT]` hold good.
        row: which they are.
        nodes: how many nodes each has.
        mark: how many run, and how many nodes are free, [2].
    """

    end_s: Ints
    row: Ints
    nodes: Ints
    mark: Ints


def nothing_runs(jobs: int, cluster_nodes: int) -> Running:
    """Return an empty machine that is to run so many jobs."""
    most = min(jobs, cluster_nodes)
    end_s, row, nodes = np.zeros((3, most), dtype=np.int64)
    return Running(end_s, row, nodes, np.array([0, cluster_nodes], dtype=np.int64))


@compiled
def free_nodes(running: Running) -> int:
    """Nodes that no job has."""
    return running.mark[FREE]


@compiled
def begin(running: Running, row: int, end_s: int, nodes: int) -> None:
    """Give a job nodes that are free, and run it."""
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
    """All jobs have ended that end by now: whether there were any."""
    count, free = running.mark[COUNT], running.mark[FREE]
    while count > 0 and running.end_s[count - 1] <= now:
        count -= 1
        free += running.nodes[count]
    ended = bool(count < running.mark[COUNT])
    running.mark[COUNT], running.mark[FREE] = count, free
    return ended


@compiled
def end_one(running: Running, now: int) -> int:
    """End a job that ends now: its row, or -1 if there is none (left)."""
    last = running.mark[COUNT] - 1
    if last < 0 or running.end_s[last] != now:
        return -1
    running.mark[COUNT] = last
    running.mark[FREE] += running.nodes[last]
    return running.row[last]


@compiled
def next_event(running: Running, submit_s: Ints, arriving: int, is_waited: bool) -> int:
    """When the next job arrives, or, where jobs wait, ends. One of the two must be to come."""
    count = running.mark[COUNT]
    if arriving == len(submit_s):
        return running.end_s[count - 1]
    if is_waited and count > 0:
        return min(running.end_s[count - 1], submit_s[arriving])
    return submit_s[arriving]


@compiled
def earliest(running: Running, nodes: int) -> tuple[int, int]:
    """Return the first end by which so many nodes are free, more than now, and how many are then beyond
    those.
    """
    at, free = running.mark[COUNT] - 1, running.mark[FREE] + running.nodes[running.mark[COUNT] - 1]
    while free < nodes or (at > 0 and running.end_s[at - 1] == running.end_s[at]):
        at -= 1
        free += running.nodes[at]
    return running.end_s[at], free - nodes
