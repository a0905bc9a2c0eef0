"""Fair start times: the start of each job if no job arrived after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fsconsole.batch.job_table import Bools, Floats, Ints
from fsconsole.batch.policy import HOUR_S, BatchPolicy
from fsconsole.batch.schedule import Schedule

_EVERY = 64  # A report of progress for each job would slow the loop down.


@dataclass(frozen=True, slots=True)
class FairStart:
    """The unfairness of a schedule.

    Attributes:
        jobs: measured jobs.
        unfair: jobs that start after their fair start time, as a fraction of them.
        avg_miss_h: mean hours by which jobs start after it, 0 for those that start earlier.
        max_miss_h: the largest of these.
    """

    jobs: int
    unfair: float
    avg_miss_h: float
    max_miss_h: float


def fair_starts(
    schedule: Schedule,
    measured: Bools | None = None,
    progress: Callable[[float], None] = lambda _part: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Ints:
    """Return the fair start time of each job of a simulated schedule, seconds, int64 [jobs].

    A job's fair start time is its start under the same policy if no job arrives after it: no later job may
    delay an earlier one. Each waiting job is simulated again without later arrivals. A job that starts at its
    arrival, or is not measured, has its own start time.

    Source: Sabin, Kochhar and Sadayappan, Job fairness in non-preemptive job scheduling, ICPP 2004.

    Args:
        schedule: a simulated schedule, with its policy.
        measured: jobs to consider, [jobs]; all if None.
        progress: called repeatedly with the fraction done.
        cancelled: called repeatedly; after cancelling, remaining jobs have their own start time.

    Raises:
        ValueError: for a schedule from elsewhere, whose policy is not known.
    """
    from fsconsole.batch.simulate import simulate  # It is imported here because compiling takes seconds.

    policy, jobs = schedule.policy, schedule.jobs
    if policy is None:
        msg = "fair start times need a policy to simulate, but this schedule was read from a file"
        raise ValueError(msg)
    fair_s = np.array(schedule.start_s)
    waits = schedule.start_s > jobs.submit_s
    rows = np.flatnonzero(waits if measured is None else waits & measured)
    first = _restarts(schedule, policy)
    shares = np.array(schedule.shares)
    for place, row in enumerate(rows.tolist()):
        if place % _EVERY == 0:
            progress(place / len(rows))
            if cancelled():
                break
        part = jobs.rows(slice(int(first[row]), row + 1))
        fair_s[row] = simulate(part, schedule.cluster_nodes, policy, shares).start_s[-1]
    return fair_s


def _restarts(schedule: Schedule, policy: BatchPolicy) -> Ints:
    """Return the first job whose past matters for each job, [jobs]: since the machine was last empty.

    Under policies by user usage matters from the start of the fair-share window on.
    """
    submit_s = schedule.jobs.submit_s
    # The machine is empty before a job if all earlier ones have ended by its arrival.
    latest = np.maximum.accumulate(np.concatenate([[-1], schedule.end_s[:-1]]))
    empty = np.flatnonzero(latest <= submit_s) if len(submit_s) else np.zeros(0, dtype=np.int64)
    if policy.order == "multifactor" or (policy.is_by_user and policy.decay):
        return np.zeros(len(submit_s), dtype=np.int64)
    since_s: Ints = submit_s
    if policy.is_by_user:
        since_s = policy.origin_s + (submit_s - policy.origin_s) // policy.window_s * policy.window_s
    place = np.searchsorted(submit_s[empty], since_s, side="right") - 1
    found: Ints = np.where(place >= 0, empty[np.maximum(place, 0)], 0)
    return np.minimum(found, np.arange(len(submit_s)))


def summarise_fair_starts(schedule: Schedule, fair_s: Ints, measured: Bools | None = None) -> FairStart:
    """Return the number of jobs that start after their fair start time in s, [jobs], and their delays.

    Args:
        schedule: the schedule.
        fair_s: fair start time of each job in s of the trace, int64 [jobs].
        measured: whether a job counts, bool [jobs]; None counts all.
    """
    miss_h: Floats = np.maximum(schedule.start_s - fair_s, 0) / HOUR_S
    own = miss_h if measured is None else miss_h[measured]
    if not len(own):
        return FairStart(0, 0.0, 0.0, 0.0)
    return FairStart(len(own), float((own > 0).mean()), float(own.mean()), float(own.max()))
