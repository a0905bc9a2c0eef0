"""What runs, and whose it is, for policies that must know: as `running.py`, with rows of the job table.

What `running.py` finds out without changing anything, it does for these too.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.running import COUNT, FREE
from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled


class RunningRows(NamedTuple):
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


def no_rows_run(jobs: int, cluster_nodes: int) -> RunningRows:
    """An empty machine that is to run so many jobs."""
    most = min(jobs, cluster_nodes)
    end_s, row, nodes = np.zeros((3, most), dtype=np.int64)
    return RunningRows(end_s, row, nodes, np.array([0, cluster_nodes], dtype=np.int64))


@compiled
def begin_row(running: RunningRows, row: int, end_s: int, nodes: int) -> None:
    """A job begins to run, with nodes that are free."""
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
def end_row(running: RunningRows, now: int) -> int:
    """End a job that ends now: its row, or -1 if there is none (left)."""
    last = running.mark[COUNT] - 1
    if last < 0 or running.end_s[last] != now:
        return -1
    running.mark[COUNT] = last
    running.mark[FREE] += running.nodes[last]
    return running.row[last]
