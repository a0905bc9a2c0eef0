"""The table of a study as plain data: columns, a row for each policy on each workload, the best values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from fsconsole.figures.study_numbers import Spread, StudyNumbers

if TYPE_CHECKING:
    from fsconsole.app.study.significance import Interval, Significance

Better = Literal["low", "high", ""]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table.

    Attributes:
        name: column of the summary.
        title: header, with its unit.
        about: what it is, for the tooltip.
        digits: behind the point.
        better: which end is best; empty for what is neither good nor bad.
        scale: what values are multiplied by to be shown.
        least: the least value that can be best; below it values are not comparable.
        is_shown: whether it is there before a person chooses columns.
    """

    name: str
    title: str
    about: str
    digits: int = 0
    better: Better = ""
    scale: float = 1.0
    least: float = -math.inf
    is_shown: bool = True


MEASURED = (
    Column(
        "avg_bounded_slowdown", "Avg slowdown",
        "As the paper prints it: average of (wait + T)/max(60 s, T), below 1 for short jobs", 2, "low",
        least=1.0,
    ),
    Column(
        "avg_bounded_slowdown_at_least_1", "Avg slowdown ≥ 1",
        "Bounded slowdown as defined elsewhere: average of max(1, (wait + T)/max(60 s, T))", 2, "low",
    ),
    Column("avg_wait_h", "Avg wait, h", "Average wait of the measured jobs", 2, "low"),
    Column("p99_wait_h", "p99 wait, h", "99th-percentile wait, nearest rank", 1, "low"),
    Column("max_wait_h", "Max wait, h", "Longest wait of a measured job", 1, "low"),
    Column(
        "over_shared", "Over-shared", "Users with over 50 node-hours more than entitled", 0, "low"
    ),
    Column(
        "under_shared", "Under-shared", "Users with over 50 node-hours less than entitled", 0, "low"
    ),
    Column(
        "share_error", "Share error, %",
        "Share of the entitled node-hours that users did not get, day by day", 1, "low", scale=100.0,
    ),
    Column(
        "jain_share", "Jain index",
        "Jain's index of users' used divided by entitled node-hours. 1: the same for all", 3, "high",
        is_shown=False,
    ),
    Column(
        "gini_wait", "Gini of waits",
        "Gini's coefficient of users' average waits. 0: the same for all", 3, "low", is_shown=False,
    ),
    Column(
        "unfair_starts", "Unfair starts, %",
        "Jobs that start later than without later arrivals. `study fair-start` computes it", 1,
        "low", scale=100.0, is_shown=False,
    ),
    Column(
        "fair_start_miss_h", "Fair start missed, h",
        "Mean hours between a job's fair start time and its start. `study fair-start` computes it", 2,
        "low", is_shown=False,
    ),
    Column(
        "avg_slowdown_minute_job", "Avg slowdown, 1 min",
        "Average slowdown, with jobs below a minute counted as 1-minute jobs", 2, "low", is_shown=False,
    ),
    Column("jobs", "Jobs", "Measured jobs", is_shown=False),
    Column("users", "Users", "Users who own measured jobs", is_shown=False),
    Column("active_users", "Active users", "Users with a waiting or running job", is_shown=False),
    Column("utilisation", "Used, %", "Used share of the machine", 1, scale=100.0, is_shown=False),
    Column("demand", "Demand, %", (
        "Requested node-hours, divided by "
        "all node-hours"
    ), 1, scale=100.0, is_shown=False),
    Column(
        "jobs_per_s", "Jobs/s", "Jobs simulated per second, without compiling", 0, is_shown=False
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A policy on a workload: means over seeds, in the order of MEASURED; of all workloads where `mean_of`.

    `best` has the places of columns in which no policy on this workload is better (none where all are equal),
    `tied` those in which the policy is not decided against the best, `heat` how near each value is to the
    worst one: 0 best, 1 worst, None where that means nothing. `intervals` are of the values, empty where
    nothing is known of them.
    """

    workload: str
    policy: str
    values: tuple[Spread, ...]
    best: frozenset[int] = frozenset()
    heat: tuple[float | None, ...] = field(default=())
    tied: frozenset[int] = frozenset()
    intervals: tuple[Interval, ...] = ()
    mean_of: str = ""

    @property
    def seeds(self) -> int:
        """Number of seeds in the means."""
        return max((one.seeds for one in self.values), default=0)


def study_rows(numbers: StudyNumbers) -> tuple[StudyRow, ...]:
    """Return a row for each policy on each workload with a finished run, in the study's order."""
    rows: list[StudyRow] = []
    for workload in numbers.workloads:
        found = [
            StudyRow(
                workload,
                policy,
                tuple(numbers.spread(workload, policy, column.name) for column in MEASURED),
            )
            for policy in numbers.policies
            if numbers.has(workload, policy)
        ]
        rows += _compared(found)
    return tuple(rows)


def mean_rows(numbers: StudyNumbers) -> tuple[StudyRow, ...]:
    """Return a row for each policy that is done on all workloads, with means over them; none for one
    workload.
    """
    workloads = numbers.workloads
    if len(workloads) < 2:
        return ()
    found = [
        StudyRow("", policy, values, mean_of=f"Mean of {len(workloads)}")
        for policy in numbers.policies
        if all(numbers.has(workload, policy) for workload in workloads)
        for values in [tuple(_mean(numbers, policy, column.name) for column in MEASURED)]
    ]
    return tuple(_compared(found))


def _mean(numbers: StudyNumbers, policy: str, measure: str) -> Spread:
    """Return the mean over workloads, and the least and the largest of them."""
    known = [numbers.spread(workload, policy, measure).mean for workload in numbers.workloads]
    return Spread(sum(known) / len(known), min(known), max(known))


def with_significance(rows: Sequence[StudyRow], known: Significance) -> tuple[StudyRow, ...]:
    """Return the rows with what is known of them: intervals of values, and what is not decided against the
    best.

    A policy that lacks runs was not compared: it is not decided, and nothing is where it is the best.
    """
    compared = set(known.units.policies) if known.units is not None else set()
    best = [{row.policy for row in rows if place in row.best} for place in range(len(MEASURED))]
    made = []
    for row in rows:
        tied = frozenset(
            place
            for place, column in enumerate(MEASURED)
            if column.name in known.tied
            and best[place]
            and (row.policy in known.tied[column.name] or not {row.policy, *best[place]} <= compared)
        )
        intervals = tuple(known.interval(row.policy, column.name) for column in MEASURED)
        made.append(replace(row, tied=tied - row.best, intervals=intervals))
    return tuple(made)


def _compared(rows: Sequence[StudyRow]) -> Iterable[StudyRow]:
    """Yield the rows of one workload, with the best values marked."""
    spans = [_span(rows, place) for place in range(len(MEASURED))]
    for row in rows:
        best = frozenset(
            place
            for place, span in enumerate(spans)
            if span is not None
            and span[0] != span[1]
            and row.values[place].mean == span[0] >= MEASURED[place].least
        )
        heat = tuple(_part(row.values[place].mean, span) for place, span in enumerate(spans))
        yield replace(row, best=best, heat=heat)


def _span(rows: Sequence[StudyRow], place: int) -> tuple[float, float] | None:
    """Return the best and the worst value of a column; None if all are equal."""
    better = MEASURED[place].better
    known = [row.values[place].mean for row in rows if row.values[place].is_known]
    if not better or not known:
        return None
    return (min(known), max(known)) if better == "low" else (max(known), min(known))


def _part(value: float, span: tuple[float, float] | None) -> float | None:
    if span is None or value != value:
        return None
    best, worst = span
    return 0.0 if best == worst else (value - best) / (worst - best)
