"""Tests of each user: longer or shorter waits under one policy than under another, by more than chance.

A user's units are the months (or weeks of one run) in which the user's jobs were submitted: thousands of jobs
of one week are one observation. All users who can be decided are one family, whose p-values are corrected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from fsconsole.app.study.units import Weeks, has_enough_weeks, unit_of
from fsconsole.batch.job_table import Floats, Ints
from fsconsole.batch.measures.slowdown import slowdown
from fsconsole.batch.months import MonthRun
from fsconsole.batch.policy import HOUR_S
from fsconsole.batch.significance.bootstrap import (
    FEWEST,
    draw_counts,
    ratio_interval,
    ratio_of_sums,
    widening,
)
from fsconsole.batch.significance.corrections import Correction, corrected
from fsconsole.batch.significance.paired import ALPHA, effect_size, paired_p, sign_flips
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.batch.study.folder import StudyFolder

MEASURES = {
    "avg_wait_h": "average wait, h",
    "max_wait_h": "maximum wait, h",
    "avg_bounded_slowdown": "average bounded slowdown",
}
HIGHER, LOWER, OPEN, FEW = "higher", "lower", "not decided", "too few"
FEWEST_TESTED = 6  # With fewer units that differ no test can reach 5 %.
COLUMNS: dict[str, type[pl.DataType]] = {
    "user": pl.String, "jobs": pl.Int64, "units": pl.Int64, "difference": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "p_value": pl.Float64, "p_adjusted": pl.Float64, "effect": pl.Float64,
    "lower": pl.Int64, "higher": pl.Int64, "verdict": pl.String,
}  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class UserTests:
    """Differences of users between two policies.

    Attributes:
        policy, against: labels.
        measure: column of MEASURES.
        unit: what users' units are, in words such as `49 weeks`.
        correction: how p-values are corrected.
        frame: a row for each user with jobs, COLUMNS; smallest p-value first. `difference` is the mean under
            the policy less that under the other, over all jobs of the user; of maximum waits, over units.
        reason: why there is nothing; empty where there is.
    """

    policy: str
    against: str
    measure: str
    unit: str = ""
    correction: Correction = "holm"
    frame: pl.DataFrame = field(default_factory=partial(pl.DataFrame, schema=COLUMNS))
    reason: str = ""

    def count(self, verdict: str) -> int:
        """Count the users with a verdict."""
        return int((self.frame["verdict"] == verdict).sum())

    @property
    def words(self) -> str:
        """`5 users with a higher average wait, 8 with a lower one, 60 not decided; …`."""
        if self.reason:
            return self.reason
        rest = count_words(self.count(FEW), "user")
        return (
            f"{count_words(self.count(HIGHER), 'user')} with a higher "
            f"{MEASURES[self.measure].split(',')[0]}, "
            f"{self.count(LOWER)} with a lower one, {self.count(OPEN)} not decided; {rest} with jobs in "
            f"too few units to decide"
        )


@dataclass(frozen=True, eq=False, slots=True)
class _ByUnit:
    """Sums of a measure under two policies by user and unit, and their divisors, [users, units].

    Weeks depend on each other, which tests and intervals allow for.
    """

    users: Sequence[str]
    jobs: Floats
    policy: Floats
    against: Floats
    weights: Floats
    unit: str
    are_weeks: bool = False


def user_tests(
    users: pl.DataFrame,
    folder: StudyFolder | None,
    policy: str,
    against: str,
    *,
    measure: str = "avg_wait_h",
    correction: Correction = "holm",
) -> UserTests:
    """Compare users under two policies of a study.

    Args:
        users: a row for each user and finished run, as `StudyFolder.users` has it.
        folder: where schedules are, for a study of one run a policy.
        policy: label of the policy that is judged.
        against: label of the one it is compared with.
        measure: one of MEASURES.
        correction: for the number of users tested.

    Raises:
        StudyError: a schedule cannot be read.
    """
    empty = UserTests(policy, against, measure, correction=correction)
    if users.is_empty():
        return empty
    if users["seed"].drop_nulls().n_unique() > 1:
        reason = "No tests by user: each seed has different users"
        return UserTests(policy, against, measure, reason=reason)
    pair = [users.filter(pl.col("policy") == label) for label in (policy, against)]
    both = set(pair[0]["workload"]) & set(pair[1]["workload"])
    if folder is not None and len({one.source for one in folder.cells() if one.workload in both}) > 1:
        reason = "Users of different traces are different people: no tests by user"
        return UserTests(policy, against, measure, reason=reason)
    if len(both) > 1:
        found: _ByUnit | None = _by_workload(pair, sorted(both), measure)
    else:
        found = (
            _by_week(folder, policy, against, both.pop(), measure) if folder is not None and both else None
        )
    if found is None or found.weights.shape[1] < FEWEST:
        reason = "No tests by user: too few months or weeks"
        return UserTests(policy, against, measure, reason=reason)
    frame = _tested(found, correction)
    return UserTests(policy, against, measure, found.unit, correction, frame)


def _by_workload(pair: Sequence[pl.DataFrame], workloads: Sequence[str], measure: str) -> _ByUnit:
    names = pl.concat(pair)["user"].unique(maintain_order=True).to_list()
    place = {name: row for row, name in enumerate(names)}
    column_of = {name: column for column, name in enumerate(workloads)}
    sums = [np.zeros((len(names), len(workloads))) for _ in range(3)]
    for table, made in zip(pair, sums, strict=False):
        own = table.filter((pl.col("jobs") > 0) & pl.col("workload").is_in(workloads))
        for name, workload, jobs, value in own.select("user", "workload", "jobs", measure).iter_rows():
            made[place[name], column_of[workload]] = value * (1 if measure == "max_wait_h" else jobs)
            sums[2][place[name], column_of[workload]] = jobs
    weights = (sums[2] > 0).astype(np.float64) if measure == "max_wait_h" else sums[2]
    unit = count_words(len(workloads), unit_of(workloads))
    return _ByUnit(names, sums[2].sum(axis=1), sums[0], sums[1], weights, unit)


def _by_week(folder: StudyFolder, policy: str, against: str, workload: str, measure: str) -> _ByUnit | None:
    cells = {cell.policy.label: cell for cell in folder.finished() if cell.workload == workload}
    runs = [folder.month_run(cells[label]) for label in (policy, against)]
    if not has_enough_weeks(runs[0].period):
        return None
    first = runs[0]
    weeks, jobs = Weeks.of(first), first.schedule.jobs
    many, shape = len(weeks.block), (len(jobs.users), len(weeks.block))
    key = jobs.user[first.measured] * many + weeks.of_job
    count = np.bincount(key, minlength=shape[0] * many).astype(np.float64).reshape(shape)
    values = [_values(run, key, shape[0] * many, measure).reshape(shape) for run in runs]
    weights = (count > 0).astype(np.float64) if measure == "max_wait_h" else count
    unit = count_words(many, "week")
    return _ByUnit(jobs.users, count.sum(axis=1), values[0], values[1], weights, unit, are_weeks=True)


def _values(run: MonthRun, key: Ints, size: int, measure: str) -> Floats:
    wait_s = run.schedule.wait_s[run.measured]
    if measure == "max_wait_h":
        longest = np.zeros(size)
        np.maximum.at(longest, key, wait_s / HOUR_S)
        return longest
    if measure == "avg_wait_h":
        own = wait_s / HOUR_S
    else:
        own = slowdown(wait_s, run.schedule.jobs.runtime_s[run.measured])
    return np.asarray(np.bincount(key, own, size), dtype=np.float64)


def _tested(found: _ByUnit, correction: Correction) -> pl.DataFrame:
    differences = found.policy - found.against
    units = differences.shape[1]
    counts, flips = draw_counts(units), sign_flips(units)
    shown = ratio_of_sums(differences, found.weights)
    rest = differences - np.nan_to_num(shown)[:, None] * found.weights
    factor = widening(rest, 1) if found.are_weeks else np.ones(len(differences))
    single = paired_p(differences, flips, factor)
    testable = (differences != 0).sum(axis=1) >= FEWEST_TESTED
    adjusted = corrected(np.where(testable, single, np.nan), correction)
    low, high = ratio_interval(differences, found.weights, counts)
    low, high = shown - (shown - low) * factor, shown + (high - shown) * factor
    rows = []
    for place, name in enumerate(found.users):
        own = found.weights[place] > 0
        if not own.any():
            continue
        by_unit = differences[place, own] / found.weights[place, own]
        verdict = FEW if not testable[place] else OPEN
        if testable[place] and adjusted[place] <= ALPHA:
            verdict = HIGHER if shown[place] > 0 else LOWER
        rows.append(
            (
                name, int(found.jobs[place]), int(own.sum()), float(shown[place]), float(low[place]),
                float(high[place]), float(single[place]), float(adjusted[place]), effect_size(by_unit),
                int((by_unit < 0).sum()), int((by_unit > 0).sum()), verdict,
            )
        )  # fmt: skip
    frame = pl.DataFrame(rows, schema=COLUMNS, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))
    return frame.sort("p_adjusted", "p_value", nulls_last=True, maintain_order=True)
