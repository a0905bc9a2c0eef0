"""A table of users: each one's demand, usage and entitlement, and the waits of jobs."""

from __future__ import annotations

import numpy as np
import polars as pl

from fsconsole.batch.job_table import Bools, JobTable
from fsconsole.batch.measures.entitlement import edges_of, used_and_entitled
from fsconsole.batch.measures.slowdown import p99_rank, slowdown
from fsconsole.batch.months import Period
from fsconsole.batch.policy import HOUR_S
from fsconsole.batch.schedule import Schedule

# Table II(b) has these statistics of each user's jobs: their nodes N, runtimes T and sizes N x T.
_SIZES = (("nodes", ""), ("runtime", "_h"), ("size", "_nh"))
_SIZE_COLUMNS = tuple(f"{of}_{what}{unit}" for of, unit in _SIZES for what in ("min", "avg", "median", "max"))

# Units are in the names of the columns (`nh` is node-hours).
USER_COLUMNS: dict[str, type[pl.DataType]] = {
    "user": pl.String,
    "jobs": pl.Int64,
    "node_hours": pl.Float64,
    "usage_nh": pl.Float64,
    "entitled_nh": pl.Float64,
    "dev_nh": pl.Float64,
    "max_wait_h": pl.Float64,
    "avg_wait_h": pl.Float64,
    "p99_wait_h": pl.Float64,
    "avg_bounded_slowdown": pl.Float64,
} | dict.fromkeys(_SIZE_COLUMNS, pl.Float64)


def user_table(
    schedule: Schedule, measured: Bools | None = None, period: Period | None = None
) -> pl.DataFrame:
    """Return a row for each user with a measured job, or with any job waiting or running in the period.

    Columns are USER_COLUMNS. `jobs`, `node_hours` (requested by these jobs), waits, slowdown and sizes are of
    the measured jobs: 0 jobs, 0 node-hours and null for users without any. `usage_nh`, `entitled_nh` and
    their difference `dev_nh` are of all jobs, clipped to the period. Rows are in the order of the workload's
    users.

    Args:
        schedule: a schedule of any origin.
        measured: which jobs count, [jobs]; all if None.
        period: period of usage and entitlement; from the first submit to the last end if None.
    """
    jobs = _measured_jobs(schedule, measured)
    own = jobs.group_by("number").agg(
        pl.len().alias("jobs"),
        pl.col("size").sum().alias("node_hours"),
        (pl.col("wait_s").max() / HOUR_S).alias("max_wait_h"),
        (pl.col("wait_s").mean() / HOUR_S).alias("avg_wait_h"),
        _p99_wait_h(),
        pl.col("slowdown").mean().alias("avg_bounded_slowdown"),
        *_sizes(),
    )
    every = _shares_of_time(schedule, period).join(own, on="number", how="left")
    kept = every.filter((pl.col("entitled_nh") > 0) | pl.col("jobs").is_not_null()).sort("number")
    return kept.with_columns(pl.col("jobs", "node_hours").fill_null(0)).select(
        pl.col(name).cast(kind) for name, kind in USER_COLUMNS.items()
    )


def with_jobs(users: pl.DataFrame) -> pl.DataFrame:
    """Return the users of a table with measured jobs."""
    return users.filter(pl.col("jobs") > 0)


def _measured_jobs(schedule: Schedule, measured: Bools | None) -> pl.DataFrame:
    jobs: JobTable = schedule.jobs if measured is None else schedule.jobs.rows(measured)
    wait_s = schedule.wait_s if measured is None else schedule.wait_s[measured]
    return pl.DataFrame(
        {
            "number": jobs.user,
            "wait_s": wait_s,
            "slowdown": slowdown(wait_s, jobs.runtime_s),
            "nodes": jobs.nodes,
            "runtime": jobs.runtime_s / HOUR_S,
            "size": jobs.node_seconds / HOUR_S,
        }
    )


def _p99_wait_h() -> pl.Expr:
    return (pl.col("wait_s").sort().get(p99_rank(pl.len()) - 1) / HOUR_S).alias("p99_wait_h")


def _sizes() -> list[pl.Expr]:
    return [
        expression.alias(f"{of}_{what}{unit}")
        for of, unit in _SIZES
        for what, expression in (
            ("min", pl.col(of).min()),
            ("avg", pl.col(of).mean()),
            ("median", pl.col(of).median()),
            ("max", pl.col(of).max()),
        )
    ]


def _shares_of_time(schedule: Schedule, period: Period | None) -> pl.DataFrame:
    used, entitled = used_and_entitled(schedule, edges_of(schedule, period))
    usage_nh, entitled_nh = used[:, 0] / HOUR_S, entitled[:, 0] / HOUR_S
    names = schedule.jobs.users
    return pl.DataFrame(
        {
            "number": np.arange(len(names)),
            "user": pl.Series(names, dtype=pl.String),
            "usage_nh": usage_nh,
            "entitled_nh": entitled_nh,
            "dev_nh": usage_nh - entitled_nh,
        }
    )
