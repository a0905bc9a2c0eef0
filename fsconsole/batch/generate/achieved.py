"""The figures of a month of jobs compared with Table I."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from fsconsole.batch.generate.table_one import (
    CLUSTER_NODES,
    PrintedMonth,
    Stats,
    period_of_month,
    printed_month,
)
from fsconsole.batch.job_table import JobTable
from fsconsole.batch.measures.workload_table import MonthOfJobs, workload_table
from fsconsole.batch.months import jobs_in

_WHICH = ("average", "median", "maximum")
_COLUMNS = ("avg", "median", "max")
_FLOATING = 1e-9


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of Table I.

    Attributes:
        quantity: its name, with its unit if it has one.
        printed: value in the paper.
        achieved: value of the generated jobs.
        tolerance: half a unit of the last printed digit; 0 for counts.
    """

    quantity: str
    printed: float
    achieved: float
    tolerance: float

    @property
    def holds(self) -> bool:
        """True if the jobs' figure rounds to the printed one."""
        return abs(self.achieved - self.printed) <= self.tolerance + _FLOATING

    def to_json(self) -> dict[str, Any]:
        """Return the figure as plain data."""
        return asdict(self) | {"holds": self.holds}


def achieved_table(month: str, jobs: JobTable) -> tuple[Figure, ...]:
    """Return the month's figures in a workload of `generate_month`, in the order of the table.

    Raises:
        ValueError: Table I has no such month, or the workload has no jobs in it.
    """
    chosen = jobs.rows(jobs_in(jobs, period_of_month(month)))
    return figures_of(printed_month(month), chosen)


def figures_of(month: PrintedMonth, jobs: JobTable) -> tuple[Figure, ...]:
    """Return the figures of the jobs of a month, in the order of Table I.

    Raises:
        ValueError: there are no jobs.
    """
    if not len(jobs):
        msg = f"{month.name} has no jobs"
        raise ValueError(msg)
    row = workload_table([MonthOfJobs(month.name, jobs, CLUSTER_NODES, month.length_s)]).frame.row(
        0, named=True
    )
    return (
        Figure("Processor demand, fraction of the machine", month.demand, row["demand"], 0.005),
        Figure("Users", month.users, row["users"], 0),
        Figure("Jobs", month.jobs, row["jobs"], 0),
        *_three("Jobs per user", month.user_jobs, row, ("user_jobs", ""), (0.05, 0, 0)),
        *_three("Nodes x runtime of a job, node-h", month.size_nh, row, ("size", "_nh"), (0.05, 0.05, 0.05)),
        *_three("Nodes x runtime of a user, node-h", month.user_nh, row, ("user", "_nh"), (0.05, 0.05, 0.5)),
        *_three("Nodes of a job", month.nodes, row, ("nodes", ""), (0.05, 0, 0)),
        *_three("Runtime of a job, h", month.runtime_h, row, ("runtime", "_h"), (0.05, 0.005, 0)),
    )


def _three(
    what: str,
    printed: Stats,
    row: dict[str, float],
    column: tuple[str, str],
    tolerances: tuple[float, float, float],
) -> list[Figure]:
    values = (printed.avg, printed.median, printed.largest)
    first, last = column
    thing, comma, unit = what.partition(", ")
    found = [row[f"{first}_{name}{last}"] for name in _COLUMNS]
    return [
        Figure(f"{thing}, {which}{comma}{unit}", *numbers)
        for which, *numbers in zip(_WHICH, values, found, tolerances, strict=True)
    ]
