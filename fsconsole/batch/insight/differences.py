"""Comparison of two schedules job by job: earlier and later starts, and jobs in only one."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from fsconsole.batch.schedule import Schedule

START_COLUMNS = ("job_id", "submit_s", "start_s", "end_s")  # A frame of starts must have these columns.
_ABOUT = ("user", "nodes")  # A frame of starts may have these columns too.


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of jobs, and the shifts of their starts from the first schedule to the second.

    Attributes:
        same, earlier, later: jobs of both, by their start in the second schedule.
        only_first, only_second: jobs in only one.
        unlike: jobs of both with different submit times or lengths.
        mean_shift_s: mean shift of starts from the first to the second, of jobs in both; None without any.
        most_earlier_s, most_later_s: largest shifts to either side, seconds, 0 or more.
        most_earlier_job, most_later_job: jobs with these shifts, or None.
        first_differing_job: first of the jobs of both, in the order of arrival, with another start.
    """

    same: int
    earlier: int
    later: int
    only_first: int
    only_second: int
    unlike: int
    mean_shift_s: float | None
    most_earlier_s: int
    most_earlier_job: int | None
    most_later_s: int
    most_later_job: int | None
    first_differing_job: int | None

    @property
    def are_equal(self) -> bool:
        """True if both have the same jobs with equal starts and lengths."""
        return not (self.earlier or self.later or self.only_first or self.only_second or self.unlike)

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return asdict(self)


@dataclass(frozen=True, eq=False, slots=True)
class Differences:
    """The differences between two schedules of the same jobs.

    Attributes:
        frame: a row for each job, by submit time: `job_id`, `user` and `nodes` (where known), `submit_s`,
            `first_start_s`, `second_start_s`, `shift_s` (second minus first; null for jobs in only one) and
            `verdict`: `earlier`, `later` or `same` in the second, `only in first`, `only in second`.
        totals: the counts.
    """

    frame: pl.DataFrame
    totals: Totals


def compare_schedules(first: Schedule, second: Schedule) -> Differences:
    """Compare two schedules by the ids of their jobs; either may be a policy's or another simulator's."""
    return compare_starts(starts_of(first), starts_of(second))


def starts_of(schedule: Schedule) -> pl.DataFrame:
    """Return START_COLUMNS of a schedule, with owner and nodes of each job."""
    jobs = schedule.jobs
    users = pl.Series(jobs.users, dtype=pl.String).gather(jobs.user)
    columns = (jobs.job_id, jobs.submit_s, schedule.start_s, schedule.end_s)
    named = dict(zip(START_COLUMNS, columns, strict=True))
    return pl.DataFrame({**named, "user": users, "nodes": jobs.nodes})


def compare_starts(first: pl.DataFrame, second: pl.DataFrame) -> Differences:
    """Compare the starts in two frames with START_COLUMNS, and `user` and `nodes` if they have them.

    Times are whole seconds; ids must be distinct within a frame.
    """
    both = first.join(second, on="job_id", how="full", coalesce=True, suffix="_second")
    shift = pl.col("start_s_second") - pl.col("start_s")
    verdict = (
        pl.when(pl.col("start_s").is_null())
        .then(pl.lit("only in second"))
        .when(pl.col("start_s_second").is_null())
        .then(pl.lit("only in first"))
        .when(shift < 0)
        .then(pl.lit("earlier"))
        .when(shift > 0)
        .then(pl.lit("later"))
        .otherwise(pl.lit("same"))
    )
    compared = both.select(
        "job_id",
        *_about(both),
        pl.coalesce("submit_s", "submit_s_second").alias("submit_s"),
        pl.col("start_s").alias("first_start_s"),
        pl.col("start_s_second").alias("second_start_s"),
        shift.alias("shift_s"),
        verdict.alias("verdict"),
    ).sort("submit_s", "job_id")
    return Differences(compared, _totals(compared, _unlike(both)))


def _about(both: pl.DataFrame) -> list[pl.Expr]:
    """Return expressions for the facts on a job, from either side."""
    known = [[name for name in (item, f"{item}_second") if name in both.columns] for item in _ABOUT]
    return [pl.coalesce(names).alias(item) for item, names in zip(_ABOUT, known, strict=True) if names]


def _unlike(both: pl.DataFrame) -> int:
    """Return the number of jobs of both that differ in submit time or length."""
    length = pl.col("end_s") - pl.col("start_s") != pl.col("end_s_second") - pl.col("start_s_second")
    submit = pl.col("submit_s") != pl.col("submit_s_second")
    return len(both.filter(length | submit))


def _totals(compared: pl.DataFrame, unlike: int) -> Totals:
    counts = dict(compared["verdict"].value_counts().iter_rows())
    moved = compared.filter(pl.col("shift_s") != 0)
    mean = compared["shift_s"].mean()
    earliest = moved.filter(pl.col("shift_s") < 0).sort("shift_s", maintain_order=True).head(1)
    latest = moved.filter(pl.col("shift_s") > 0).sort("shift_s", descending=True, maintain_order=True).head(1)
    return Totals(
        same=counts.get("same", 0),
        earlier=counts.get("earlier", 0),
        later=counts.get("later", 0),
        only_first=counts.get("only in first", 0),
        only_second=counts.get("only in second", 0),
        unlike=unlike,
        mean_shift_s=mean if isinstance(mean, float) else None,
        most_earlier_s=-earliest["shift_s"][0] if len(earliest) else 0,
        most_earlier_job=earliest["job_id"][0] if len(earliest) else None,
        most_later_s=latest["shift_s"][0] if len(latest) else 0,
        most_later_job=latest["job_id"][0] if len(latest) else None,
        first_differing_job=moved["job_id"][0] if len(moved) else None,
    )
