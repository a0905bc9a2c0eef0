"""The lanes of jobs in a chart of nodes over time (a Gantt chart).

A trace does not have the nodes of a job, and for the scheduler all nodes are equal. So lanes are ours, chosen
for a calm picture: each job has the lowest free adjacent lanes at its start, and several spans only if no gap
is wide enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fsconsole.batch.job_table import Ints

if TYPE_CHECKING:
    from fsconsole.batch.schedule import Schedule

Small = NDArray[np.int32]


@dataclass(frozen=True, eq=False, slots=True)
class Lanes:
    """Spans of lanes of jobs, in the order of starts.

    Attributes:
        job: row of each span's job, int32 [spans]; spans of one job are adjacent.
        first: lowest lane of each span, counted from 0, int32 [spans].
        wide: number of lanes of each span, int32 [spans]; those of a job sum to its nodes.
        first_span: each job's first span, int32 [jobs]; -1 for jobs that never start.
        start_s: start of each span, int64 [spans], rising.
        latest_end_s: the latest end of a span and all before it, int64 [spans], rising.
        count: total number of lanes: nodes of the machine, or more if an imported schedule uses more; the
            excess lanes stand for nodes that the machine does not have.
    """

    job: Small
    first: Small
    wide: Small
    first_span: Small
    start_s: Ints
    latest_end_s: Ints
    count: int

    def of_job(self, row: int) -> tuple[tuple[int, int], ...]:
        """Return (first lane, lanes) of each span of a job; none for a job that never starts."""
        at = int(self.first_span[row])
        if at < 0:
            return ()
        end = at
        while end < len(self.job) and self.job[end] == row:
            end += 1
        return tuple((int(self.first[span]), int(self.wide[span])) for span in range(at, end))

    def between(self, start_s: int, end_s: int) -> slice:
        """Return a range of spans that includes all those visible from `start_s` to before `end_s`.

        Some of them may have ended before `start_s`.
        """
        return slice(
            int(np.searchsorted(self.latest_end_s, start_s, side="right")),
            int(np.searchsorted(self.start_s, end_s, side="left")),
        )


def lanes_of(schedule: Schedule) -> Lanes:
    """Return the lanes of all jobs of a schedule, in time proportional to jobs and gaps, without the GIL.

    Rows with a start below 0 never start and get none.
    """
    # It is imported here because compiling takes seconds.
    from fsconsole.batch.insight.lane_fitting import fit_lanes

    start_s, end_s = np.array(schedule.start_s), np.array(schedule.end_s)
    starts = np.flatnonzero(start_s >= 0)
    by_start = starts[np.argsort(start_s[starts], kind="stable")]
    by_end = starts[np.argsort(end_s[starts], kind="stable")]
    count = max(schedule.cluster_nodes, most_in_use(schedule))
    limits = np.array([schedule.cluster_nodes, count], dtype=np.int64)
    spans, first_span = fit_lanes(start_s, end_s, np.array(schedule.jobs.nodes), by_start, by_end, limits)
    job, first, wide = (np.ascontiguousarray(column) for column in spans.T)
    latest_end_s = np.maximum.accumulate(end_s[job]) if len(job) else np.zeros(0, dtype=np.int64)
    return Lanes(job, first, wide, first_span, start_s[job], latest_end_s, count)


def most_in_use(schedule: Schedule) -> int:
    """Return the largest number of nodes in use at a time; an impossible schedule exceeds the machine."""
    starts = np.flatnonzero(schedule.start_s >= 0)
    if not len(starts):
        return 0
    nodes = schedule.jobs.nodes[starts]
    # Ends come first, so that a lane is free when the next job starts.
    at_s = np.concatenate([schedule.end_s[starts], schedule.start_s[starts]])
    change = np.concatenate([-nodes, nodes])
    return max(int(np.cumsum(change[np.argsort(at_s, kind="stable")]).max()), 0)
