"""Which nodes each job is drawn on in a picture of the machine over time (a Gantt chart).

A trace does not say which nodes a job had, and the scheduler does not care: nodes are alike. So lanes are
ours, chosen to be quiet to look at: each job has the lowest lanes in one piece that are free when it
starts, and several pieces only where no gap is wide enough.
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
    """Spans of lanes that jobs are drawn on, in the order in which jobs start.

    Attributes:
        job: row of each span's job, int32 [spans]; spans of one job stand together.
        first: lowest lane of each span, from 0 on, int32 [spans].
        wide: how many lanes each span has, int32 [spans]; those of a job come to its nodes.
        first_span: each job's first span, int32 [jobs]; -1 for jobs that never start.
        start_s: when each span begins, int64 [spans], rising.
        latest_end_s: the latest end of a span and all before it, int64 [spans], rising.
        count: lanes in all: nodes of the machine, or more where an imported schedule uses more than there
            are; those above stand for nodes that the machine does not have.
    """

    job: Small
    first: Small
    wide: Small
    first_span: Small
    start_s: Ints
    latest_end_s: Ints
    count: int

    def of_job(self, row: int) -> tuple[tuple[int, int], ...]:
        """(First lane, lanes) of each span of a job; none for a job that never starts."""
        at = int(self.first_span[row])
        if at < 0:
            return ()
        end = at
        while end < len(self.job) and self.job[end] == row:
            end += 1
        return tuple((int(self.first[span]), int(self.wide[span])) for span in range(at, end))

    def between(self, start_s: int, end_s: int) -> slice:
        """Return spans among which are all that are seen from `start_s` to before `end_s`.

        Some among them may have ended before `start_s`.
        """
        return slice(
            int(np.searchsorted(self.latest_end_s, start_s, side="right")),
            int(np.searchsorted(self.start_s, end_s, side="left")),
        )


def lanes_of(schedule: Schedule) -> Lanes:
    """Return the lanes of all jobs of a schedule; takes time in proportion to jobs and gaps, without the GIL.

    Rows with a start below 0 never start and get none.
    """
    from fsconsole.batch.insight.lane_fitting import fit_lanes  # compiling costs seconds

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
    """Return the largest number of nodes in use at a time; more than there are where a schedule cannot be."""
    starts = np.flatnonzero(schedule.start_s >= 0)
    if not len(starts):
        return 0
    nodes = schedule.jobs.nodes[starts]
    # Ends stand first, so that a lane is free when the next job starts.
    at_s = np.concatenate([schedule.end_s[starts], schedule.start_s[starts]])
    change = np.concatenate([-nodes, nodes])
    return max(int(np.cumsum(change[np.argsort(at_s, kind="stable")]).max()), 0)
