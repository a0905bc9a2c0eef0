"""Users who suffer under a policy, by the two types of the paper, with reasons (section V).

The paper describes its types by example. The criteria here are reconstructed, with the constants below:

- Both types have a longest wait over 10 hours longer than under the base, FCFS-backfill ("considerably
    suffer", Table III).
- S1: they have difficult jobs together with easy ones. They are under-shared already under the base, even
    more so now, and a job of theirs that is larger or longer than the mean job lost its reservation to their
    own easy jobs (as in `losses.py`).
- S2: their demand is heavy on several days, however much they get: many times the mean of all users active in
    the period. Days are those of `measures.days`; demand is that under the base, because a policy that makes
    users wait adds their backlog to every day.

A user of type S1 is not S2: the paper's subject is users who wait although entitled to more.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from fsconsole.batch.insight.blocked_jobs import BlockedJobs, blocked_jobs, blocked_jobs_text
from fsconsole.batch.job_table import Bools
from fsconsole.batch.measures.benefit import CONSIDERABLE_H
from fsconsole.batch.measures.days import day_edges, user_days
from fsconsole.batch.measures.summary import CONSIDERABLE_NH
from fsconsole.batch.measures.users import user_table
from fsconsole.batch.months import Period
from fsconsole.batch.schedule import Schedule
from fsconsole.text.numbers import thousands

Kind = Literal["S1", "S2"]

LEAST_TIMES = 2  # Once may be chance. We chose twice.
# This is our choice, far above any day of a user with a light demand; user #71 has 20 to 30.
HEAVY_TIMES = 5.0
HEAVY_DAYS = 3  # The paper says "on some days". We chose more than a weekend's worth.


@dataclass(frozen=True, slots=True)
class UserType:
    """A suffering user, and the evidence.

    Attributes:
        user: name of the user.
        kind: the paper's type.
        reason: explanation in a sentence.
        base_max_wait_h, max_wait_h: longest wait under the base and under the policy, hours.
        base_dev_nh, dev_nh: used minus entitled node-hours.
        heavy_days, days: number of days with heavy demand, and of all days.
        most_times_mean: largest daily demand in means of all users.
        job_id: for S1, the difficult job that lost most reservations to own easy jobs (`losses` of them), or
            was kept from them; easy_jobs: number of these, with `easy_nodes` (fewest, most) nodes.
        longest_job_id: the difficult job that waited longest; kept_from: how often own easy jobs kept it from
            a reservation.
    """

    user: str
    kind: Kind
    reason: str
    base_max_wait_h: float
    max_wait_h: float
    base_dev_nh: float
    dev_nh: float
    heavy_days: int
    days: int
    most_times_mean: float
    job_id: int | None = None
    losses: int = 0
    easy_jobs: int = 0
    easy_nodes: tuple[int, int] | None = None
    longest_job_id: int | None = None
    kept_from: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the user's type as plain data."""
        return asdict(self)


def find_user_types(
    base: Schedule,
    schedule: Schedule,
    measured: Bools | None = None,
    period: Period | None = None,
    *,
    base_measured: Bools | None = None,
) -> tuple[UserType, ...]:
    """Return users of type S1 and S2, those with the longest waits first.

    Args:
        base: schedule to compare waits with, FCFS-backfill in the paper. Its jobs may differ after the
            period; users are identified by name.
        schedule: schedule of the policy; one by user needs its reservation log.
        measured: which jobs of `schedule` count, [jobs]; all if None.
        period: period of days, usage and entitlement; all if None.
        base_measured: which jobs of `base` count; those of the same ids if None.

    Raises:
        ValueError: the schedule of a policy by user is without its reservation log.
    """
    if base_measured is None and measured is not None:
        base_measured = np.isin(base.jobs.job_id, schedule.jobs.job_id[measured])
    suffering = _suffering(user_table(base, base_measured, period), user_table(schedule, measured, period))
    if not len(suffering):
        return ()
    rows = suffering.join(_heaviness(base, period), on="user", how="left").to_dicts()
    found = [_typed(base, schedule, measured, row) for row in rows]
    return tuple(item for item in found if item is not None)


def _suffering(base: pl.DataFrame, now: pl.DataFrame) -> pl.DataFrame:
    """Return users whose longest wait grew by more than CONSIDERABLE_H, with both waits and deviations."""
    wanted = ("user", "max_wait_h", "dev_nh")
    before = base.select(wanted).rename({"max_wait_h": "base_max_wait_h", "dev_nh": "base_dev_nh"})
    both = now.select(wanted).join(before, on="user")
    worse = both.filter(pl.col("max_wait_h") - pl.col("base_max_wait_h") > CONSIDERABLE_H)
    return worse.sort("max_wait_h", "user", descending=[True, False])


def _heaviness(base: Schedule, period: Period | None) -> pl.DataFrame:
    """Return each user's days, heavy days, and the heaviest in means of all users."""
    times = pl.col("demand_nh") / pl.col("mean_demand_nh")
    return (
        user_days(base, day_edges(base, period))
        .with_columns(times=pl.when(pl.col("mean_demand_nh") > 0).then(times).otherwise(0.0))
        .group_by("user")
        .agg(
            pl.len().alias("days"),
            (pl.col("times") >= HEAVY_TIMES).sum().alias("heavy_days"),
            pl.col("times").max().alias("most_times_mean"),
        )
    )


def _typed(
    base: Schedule, schedule: Schedule, measured: Bools | None, row: dict[str, Any]
) -> UserType | None:
    if row["base_dev_nh"] < -CONSIDERABLE_NH and row["dev_nh"] < row["base_dev_nh"]:
        found = blocked_jobs(schedule, measured, row["user"])
        if found is not None and max(len(found.losses), len(found.kept)) >= LEAST_TIMES:
            return _s1(base, schedule, row, found)
    if row["heavy_days"] is not None and row["heavy_days"] >= HEAVY_DAYS:
        return UserType(kind="S2", reason=_s2_reason(base, row), **row)
    return None


def _s1(base: Schedule, schedule: Schedule, row: dict[str, Any], found: BlockedJobs) -> UserType:
    jobs = schedule.jobs
    reason = (
        f"{_waits(base, row)} and is under-shared by {thousands(-row['dev_nh'])} node-hours "
        f"({thousands(-row['base_dev_nh'])}). {blocked_jobs_text(jobs, found)}"
    )
    nodes = jobs.nodes[found.easy]
    return UserType(
        kind="S1",
        reason=reason,
        job_id=int(jobs.job_id[found.row]),
        losses=len(found.losses),
        easy_jobs=len(found.easy),
        easy_nodes=(int(nodes.min()), int(nodes.max())),
        longest_job_id=int(jobs.job_id[found.longest_row]),
        kept_from=len(found.kept),
        **row,
    )


def _s2_reason(base: Schedule, row: dict[str, Any]) -> str:
    return (
        f"{_waits(base, row)}. Its demand was at least {HEAVY_TIMES:g} times the mean of all users on "
        f"{row['heavy_days']} of {row['days']} days. The maximum was {row['most_times_mean']:.0f} "
        "times."
    )


def _waits(base: Schedule, row: dict[str, Any]) -> str:
    before = f"{row['base_max_wait_h']:.1f} h under {base.label}"
    return f"User {row['user']} waits up to {row['max_wait_h']:.1f} h ({before})"
