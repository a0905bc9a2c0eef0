"""Users day by day: demand, usage and entitlement (Fig. 3), jobs waiting, new and started (Fig. 2)."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fsconsole.batch.job_table import Ints
from fsconsole.batch.measures.entitlement import edges_of, used_and_entitled
from fsconsole.batch.months import Period, days_from
from fsconsole.batch.policy import DAY_S, HOUR_S
from fsconsole.batch.schedule import Schedule
from fsconsole.policies.compiled import compiled, entry

# Counts have these columns: jobs waiting at the start of the span, submitted in it, started in it.
WAITING, NEW, STARTED = 0, 1, 2


@entry
def count_days(
    submit_s: Ints,
    start_s: Ints,
    end_s: Ints,
    nodes: Ints,
    user: Ints,
    edges_s: Ints,
    demand: Ints,
    counts: Ints,
) -> None:
    """Add jobs to spans of time.

    Args:
        submit_s: arrival of each job, no later than its start, [jobs].
        start_s: its start, [jobs].
        end_s: its end, [jobs].
        nodes: its number of nodes, [jobs].
        user: its owner, [jobs].
        edges_s: starts of the spans and end of the last one, rising, [spans + 1].
        demand: node-seconds that could be used in the span, increased in place, [spans, users].
        counts: jobs waiting, new and started, increased in place, [spans, users, 3].
    """
    for row in range(len(submit_s)):
        who = user[row]
        span = max(np.searchsorted(edges_s, submit_s[row], side="right") - 1, 0)
        while span < len(edges_s) - 1 and edges_s[span] < end_s[row]:
            begin, until = edges_s[span], edges_s[span + 1]
            asked_s = _could_run(submit_s[row], start_s[row], end_s[row], begin, until)
            demand[span, who] += nodes[row] * asked_s
            if start_s[row] >= begin:
                counts[span, who, WAITING if submit_s[row] < begin else NEW] += 1
                counts[span, who, STARTED] += start_s[row] < until
            span += 1


@compiled
def _could_run(submit_s: int, start_s: int, end_s: int, begin: int, until: int) -> int:
    """Return the time that a job could run in a span: until its end if running, else from its submit."""
    if start_s < begin:
        return min(end_s, until) - begin
    return min(end_s - start_s, until - max(submit_s, begin))


def day_edges(schedule: Schedule, period: Period | None = None, day_s: int = DAY_S) -> Ints:
    """Return the starts of days and the end of the last one, seconds of the trace, int64 [days + 1].

    Days of a period begin with it, and its last one ends with it; they follow the machine's clock, so that
    one is an hour longer or shorter when clocks are changed. Without a period they begin at multiples of
    their length from second 0 of the trace, as fair-share windows do, and the last one is complete.
    """
    begin_s, end_s = (int(edge) for edge in edges_of(schedule, period))
    if period is None:
        begin_s, end_s = begin_s // day_s * day_s, -(-end_s // day_s) * day_s
    elif day_s == DAY_S:
        return np.array([*days_from(schedule.jobs, begin_s, end_s), end_s], dtype=np.int64)
    edges_s = np.arange(begin_s, end_s, day_s, dtype=np.int64)
    return np.append(edges_s, np.int64(end_s))


def user_days(schedule: Schedule, edges_s: Ints) -> pl.DataFrame:
    """Return a row for each user and day, for users with any job waiting or running in these days.

    All jobs of the schedule count. Sorted by user (in the workload's order) and day. Columns:

    - `user`, `day` (from 0 on), `start_s` (when the day begins).
    - `demand_nh`: node-hours that could be used in the day (section V-B): by running jobs from the beginning
        of the day until they end; by jobs that wait then, or are submitted in the day, if they were started
        at once, but no more than fits into the day. A backlog counts again in each day.
    - `usage_nh`, `entitled_nh`: node-hours used and entitled in the day.
    - `mean_demand_nh`: the day's demand of all these users, divided by their number. (The paper does not say
        which users it divides by; those who are active in the period are our reading.)
    - `mean_demand_active_nh`: the same divided by the number of those who have a demand in the day.
    - `waiting`: jobs waiting at the start of the day ("previous wait"); `new`: jobs submitted in the day;
        `started`: jobs started in it. A job submitted in the very second in which a day begins is new.

    Args:
        schedule: a schedule of any origin.
        edges_s: starts of days and end of the last one, [days + 1]; see `day_edges`. ValueError as for
            `used_and_entitled`.
    """
    used, entitled = used_and_entitled(schedule, edges_s)
    demand, counts = _demand_and_counts(schedule, np.array(edges_s, dtype=np.int64))
    active = np.flatnonzero(entitled.sum(axis=1) > 0)
    days = len(edges_s) - 1
    demand_nh = demand.sum(axis=0) / HOUR_S
    columns: dict[str, NDArray[np.generic]] = {
        "user": np.repeat(np.array(schedule.jobs.users, dtype=object)[active], days),
        "day": np.tile(np.arange(days), len(active)),
        "start_s": np.tile(edges_s[:-1], len(active)),
        "demand_nh": demand[active].ravel() / HOUR_S,
        "usage_nh": used[active].ravel() / HOUR_S,
        "entitled_nh": entitled[active].ravel() / HOUR_S,
        "mean_demand_nh": np.tile(demand_nh / max(len(active), 1), len(active)),
        "mean_demand_active_nh": np.tile(demand_nh / np.maximum((demand > 0).sum(axis=0), 1), len(active)),
    }
    for place, name in enumerate(("waiting", "new", "started")):
        columns[name] = counts[active, :, place].ravel()
    return pl.DataFrame(columns, schema_overrides={"user": pl.String})


def _demand_and_counts(schedule: Schedule, edges_s: Ints) -> tuple[Ints, Ints]:
    """Return node-seconds [users, days] and jobs waiting, new and started [users, days, 3]."""
    from fsconsole.batch.measures.days import count_days

    jobs, start_s = schedule.jobs, np.array(schedule.start_s)
    demand = np.zeros((len(edges_s) - 1, len(jobs.users)), dtype=np.int64)
    counts = np.zeros((*demand.shape, 3), dtype=np.int64)
    asked_s = np.minimum(jobs.submit_s, start_s)  # Imported schedules may start jobs too early.
    nodes, user = np.array(jobs.nodes), np.array(jobs.user)
    count_days(asked_s, start_s, start_s + jobs.runtime_s, nodes, user, edges_s, demand, counts)
    return demand.T, counts.transpose(1, 0, 2)
