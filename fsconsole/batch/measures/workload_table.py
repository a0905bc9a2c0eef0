"""Table I: the figures of months of a workload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from fsconsole.batch.job_table import Floats, Ints, JobTable
from fsconsole.batch.measures.table_form import MONTH, Column, Table, statistics
from fsconsole.batch.months import MonthRun
from fsconsole.batch.policy import HOUR_S

_WHICH = ("avg", "median", "max")
_COLUMNS = (
    MONTH,
    Column("demand", "Proc. demand", "fraction"),
    Column("users", "Users"),
    Column("jobs", "Jobs"),
    *statistics("user_jobs", "", "Jobs per user", "", _WHICH),
    *statistics("size", "_nh", "Job size N x T", "node-h", _WHICH),
    *statistics("user", "_nh", "Demand per user", "node-h", _WHICH),
    *statistics("nodes", "", "Job size N", "nodes", _WHICH),
    *statistics("runtime", "_h", "Job size T", "h", _WHICH),
)


@dataclass(frozen=True, eq=False, slots=True)
class MonthOfJobs:
    """The jobs submitted in a month.

    Attributes:
        name: name of the month.
        jobs: only the jobs submitted in it.
        cluster_nodes: nodes of the machine.
        length_s: length of the month, above 0.
    """

    name: str
    jobs: JobTable
    cluster_nodes: int
    length_s: int


def month_of_jobs(run: MonthRun) -> MonthOfJobs:
    """Return the measured jobs of a run of a month."""
    jobs, period = run.schedule.jobs.rows(run.measured), run.period
    return MonthOfJobs(period.name, jobs, run.schedule.cluster_nodes, period.end_s - period.start_s)


def workload_table(months: Sequence[MonthOfJobs]) -> Table:
    """Return Table I, a row for each month.

    `demand` is the node-time that the month's jobs request as a fraction of the machine's, as in the paper:
    its columns agree (2,191 jobs of 34.5 node-hours are 82 % of 128 nodes for the 30 days of June 2003).
    """
    rows = [_row(month) for month in months]
    schema = {column.name: _kind(column.name) for column in _COLUMNS}
    return Table("Table I", "Characteristics of the workload", _COLUMNS, pl.DataFrame(rows, schema=schema))


def _kind(name: str) -> type[pl.DataType]:
    if name == MONTH.name:
        return pl.String
    return pl.Int64 if name in ("users", "jobs") else pl.Float64


def _row(month: MonthOfJobs) -> dict[str, object]:
    jobs = month.jobs
    _, user = np.unique(jobs.user, return_inverse=True)
    size_nh = jobs.node_seconds / HOUR_S
    return {
        "month": month.name,
        "demand": float(size_nh.sum()) * HOUR_S / (month.cluster_nodes * month.length_s),
        "users": int(user.max(initial=-1)) + 1,
        "jobs": len(jobs),
        **_three("user_jobs", "", np.bincount(user)),
        **_three("size", "_nh", size_nh),
        **_three("user", "_nh", np.bincount(user, size_nh)),
        **_three("nodes", "", jobs.nodes),
        **_three("runtime", "_h", jobs.runtime_s / HOUR_S),
    }


def _three(of: str, suffix: str, values: Floats | Ints) -> dict[str, float | None]:
    names = [f"{of}_{what}{suffix}" for what in _WHICH]
    if not len(values):
        return dict.fromkeys(names)
    found = (float(values.mean()), float(np.median(values)), float(values.max()))
    return dict(zip(names, found, strict=True))
