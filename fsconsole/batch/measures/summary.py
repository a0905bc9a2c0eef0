"""A schedule in one row: waits, slowdowns, over- and under-shared users, load (Fig. 1 and Table V)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fsconsole.batch.job_table import Bools, Floats, Ints
from fsconsole.batch.measures.entitlement import edges_of, used_and_entitled
from fsconsole.batch.measures.fairness import gini, jain_index, share_errors_of
from fsconsole.batch.measures.slowdown import SlowdownForm, p99, slowdown
from fsconsole.batch.months import Period
from fsconsole.batch.policy import DAY_S, HOUR_S
from fsconsole.batch.schedule import Schedule

CONSIDERABLE_NH = 50.0  # Table V calls a user over- or under-shared beyond this deviation.


@dataclass(frozen=True, slots=True)
class Summary:
    """The measures of a workload under a policy; None without measured jobs.

    Attributes:
        jobs: measured jobs.
        users: owners of measured jobs.
        dropped: jobs of the trace that were left out on import.
        avg_bounded_slowdown: of measured jobs, (wait + T)/max(60 s, T); the paper's formula.
        avg_wait_h, max_wait_h, p99_wait_h: waits of measured jobs, hours; p99 by nearest rank.
        under_shared, over_shared: active users who got over 50 node-hours less or more than entitled.
        jobs_per_s: jobs simulated in a second (all of the schedule's, without compiling).
        avg_bounded_slowdown_at_least_1: max(1, (wait + T)/max(60 s, T)).
        avg_slowdown_minute_job: (wait + T')/T' with T' = max(60 s, T), as the paper's text has it.
        active_users: users with any job waiting or running in the period.
        utilisation: used fraction of all node-time of the period, 0 .. 1.
        demand: node-time requested by the measured jobs as a fraction of all node-time of the period ("Proc.
            demand" of Table I); above 1 where a period's jobs need more than it has.
        share_error: fraction of users' entitlement missed day by day, 0 .. 1.
        jain_share: Jain's index of used over entitled node-hours of active users, at most 1.
        gini_wait: Gini's coefficient of users' average waits, from 0 (all equal).
    """

    jobs: int
    users: int
    dropped: int
    avg_bounded_slowdown: float | None
    avg_wait_h: float | None
    max_wait_h: float | None
    p99_wait_h: float | None
    under_shared: int
    over_shared: int
    jobs_per_s: float | None
    avg_bounded_slowdown_at_least_1: float | None
    avg_slowdown_minute_job: float | None
    active_users: int
    utilisation: float
    demand: float
    share_error: float | None
    jain_share: float | None
    gini_wait: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def summarise(
    schedule: Schedule,
    measured: Bools | None = None,
    period: Period | None = None,
    *,
    dropped: int = 0,
) -> Summary:
    """Measure a schedule as in the paper.

    Waits and slowdowns are of the measured jobs; deviation and utilisation are of all jobs within the period.

    Args:
        schedule: a schedule of any origin.
        measured: which jobs count, [jobs]; all if None.
        period: period of deviation and load; from the first submit to the last end if None.
        dropped: number of jobs left out on import, passed on.
    """
    edges_s = edges_of(schedule, period)
    used_by_day, entitled_by_day = used_and_entitled(schedule, _day_edges(edges_s))
    used, entitled = used_by_day.sum(axis=1), entitled_by_day.sum(axis=1)
    dev_nh = deviation_nh(used, entitled)
    active = entitled > 0
    jobs = schedule.jobs if measured is None else schedule.jobs.rows(measured)
    whole = schedule.cluster_nodes * int(edges_s[1] - edges_s[0])
    return Summary(
        jobs=len(jobs),
        users=len(np.unique(jobs.user)),
        dropped=dropped,
        under_shared=int((dev_nh < -CONSIDERABLE_NH).sum()),
        over_shared=int((dev_nh > CONSIDERABLE_NH).sum()),
        jobs_per_s=len(schedule.jobs) / schedule.simulation_s if schedule.simulation_s else None,
        active_users=int(active.sum()),
        utilisation=float(used.sum()) / whole,
        demand=float(jobs.node_seconds.sum()) / whole,
        share_error=share_errors_of(used_by_day, entitled_by_day).mean,
        jain_share=jain_index(used[active] / entitled[active]),
        gini_wait=gini(_mean_waits(schedule, measured)),
        **_of_jobs(schedule.wait_s if measured is None else schedule.wait_s[measured], jobs.runtime_s),
    )


def _day_edges(edges_s: Ints) -> Ints:
    """Return edges of spans of 24 hours from the first edge on; the last one ends with the period."""
    begin_s, end_s = (int(edge) for edge in edges_s)
    return np.append(np.arange(begin_s, end_s, DAY_S, dtype=np.int64), np.int64(end_s))


def _mean_waits(schedule: Schedule, measured: Bools | None) -> Floats:
    """Return the average wait of each user with measured jobs, seconds, [users]."""
    chosen = np.ones(len(schedule.jobs), dtype=np.bool_) if measured is None else measured
    user = schedule.jobs.user[chosen]
    count = np.bincount(user)
    waits = np.bincount(user, schedule.wait_s[chosen])
    found: Floats = waits[count > 0] / count[count > 0]
    return found


def deviation_nh(used: Ints, entitled: Floats) -> Floats:
    """Return used minus entitled node-hours, from node-seconds, [users]; above 0 is over-shared.

    Source: Vasupongayya, section III-C, measure 2.
    """
    return (used - entitled) / HOUR_S


def _of_jobs(wait_s: Ints, runtime_s: Ints) -> dict[str, float | None]:
    if not len(wait_s):
        return dict.fromkeys(_OF_JOBS)
    forms = (SlowdownForm.BOUNDED, SlowdownForm.AT_LEAST_1, SlowdownForm.MINUTE_JOB)
    slowdowns = (float(slowdown(wait_s, runtime_s, form).mean()) for form in forms)
    waits_s = (float(wait_s.mean()), int(wait_s.max()), p99(wait_s))
    return dict(zip(_OF_JOBS, (*slowdowns, *(wait / HOUR_S for wait in waits_s)), strict=True))


_OF_JOBS = (
    "avg_bounded_slowdown",
    "avg_bounded_slowdown_at_least_1",
    "avg_slowdown_minute_job",
    "avg_wait_h",
    "max_wait_h",
    "p99_wait_h",
)
