"""Effects of a user's easy jobs on the same user's difficult ones: the evidence for type S1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fsconsole.batch.insight.losses import EASY_PART, Loss, held_spans, kept_from, losses_of
from fsconsole.batch.job_table import Bools, JobTable
from fsconsole.batch.schedule import Schedule
from fsconsole.text.durations import length_words
from fsconsole.text.words import count_words, times_words


@dataclass(frozen=True, slots=True)
class BlockedJobs:
    """Difficult jobs of one user, and their owner's easy jobs that cost them reservations.

    Attributes:
        lost_row: the job that lost most reservations so, or -1; `losses`: these losses.
        longest_row: the job that waited longest; `kept`: times at which it was kept from a reservation so.
    """

    lost_row: int
    losses: tuple[Loss, ...]
    longest_row: int
    kept: tuple[Loss, ...]

    @property
    def row(self) -> int:
        """The most affected job."""
        return self.lost_row if self.losses else self.longest_row

    @property
    def easy(self) -> list[int]:
        """Rows of the owner's easy jobs that affected that job."""
        return sorted({own for loss in self.losses or self.kept for own in loss.own})


def blocked_jobs(schedule: Schedule, measured: Bools | None, user: str) -> BlockedJobs | None:
    """Return the effects of own easy jobs on a user's difficult ones, or None; `measured` is [jobs].

    Difficult jobs are measured ones that are larger or longer than the mean of all measured ones ("difficult
    compared with an average of jobs submitted during the month").

    Raises:
        ValueError: the schedule of a policy by user is without its reservation log.
    """
    if schedule.policy is None or not schedule.policy.is_by_user:
        return None
    rows = _difficult(schedule, measured, user)
    if not len(rows):
        return None
    spans = held_spans(schedule)
    by_job: dict[int, list[Loss]] = {}
    for loss in losses_of(schedule, rows.tolist(), spans):
        if loss.cause == "own easy jobs":
            by_job.setdefault(loss.row, []).append(loss)
    losses = max(by_job.values(), key=len, default=[])
    longest = int(rows[np.argmax(schedule.wait_s[rows])])
    kept = kept_from(schedule, longest, spans)
    if not losses and not kept:
        return None
    return BlockedJobs(losses[0].row if losses else -1, tuple(losses), longest, kept)


def _difficult(schedule: Schedule, measured: Bools | None, user: str) -> NDArray[np.intp]:
    jobs = schedule.jobs
    counted = np.ones(len(jobs), dtype=np.bool_) if measured is None else measured
    large = jobs.nodes > jobs.nodes[counted].mean()
    long = jobs.runtime_s > jobs.runtime_s[counted].mean()
    return np.flatnonzero(counted & (jobs.user == jobs.users.index(user)) & (large | long))


def blocked_jobs_text(jobs: JobTable, found: BlockedJobs) -> str:
    """Return sentences such as `Job 812 (128 nodes, 3 h) lost its reservation 14 times to its owner's …`."""
    job = f"Job {jobs.job_id[found.row]} ({_size(jobs, found.row)})"
    easy = f"its owner's own {_easy_words(jobs, found)}"
    kept = times_words(len(found.kept))
    if not found.losses:
        return f"{job} could not get a reservation {kept} because of {easy}."
    lost = f"{job} lost its reservation {times_words(len(found.losses))} to {easy}."
    if found.lost_row != found.longest_row and found.kept:
        longest = jobs.job_id[found.longest_row]
        return f"{lost} Job {longest}, which waited longest, could not get one {kept} for the same reason."
    if len(found.kept) > len(found.losses):
        return f"{lost} In all it could not get one {kept}."
    return lost


def _easy_words(jobs: JobTable, found: BlockedJobs) -> str:
    """Return a phrase such as `small jobs (22 of 1 to 4 nodes)`; `short jobs` if they are not smaller."""
    nodes = jobs.nodes[found.easy]
    is_small = nodes <= EASY_PART * jobs.nodes[found.row]
    kind = "small" if is_small.all() else "small and short" if is_small.any() else "short"
    fewest, most = int(nodes.min()), int(nodes.max())
    sizes = count_words(fewest, "node") if fewest == most else f"{fewest} to {most} nodes"
    return f"{kind} jobs ({len(found.easy)} of {sizes})"


def _size(jobs: JobTable, row: int) -> str:
    return f"{count_words(int(jobs.nodes[row]), 'node')}, {length_words(int(jobs.runtime_s[row]))}"
