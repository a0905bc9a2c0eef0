"""Units of a study's results, a column each: months, seeds, or blocks of weeks of one run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from fsconsole.app.study.user_measures import drawn_gini, drawn_jain
from fsconsole.batch.job_table import Floats, Ints
from fsconsole.batch.measures.entitlement import used_and_entitled
from fsconsole.batch.measures.fairness import share_errors_of
from fsconsole.batch.measures.slowdown import SlowdownForm, p99, p99_rank, slowdown
from fsconsole.batch.months import MonthRun, Period
from fsconsole.batch.policy import DAY_S, HOUR_S
from fsconsole.batch.significance.bootstrap import FEWEST, block_of_week, draw_counts, ratio_of_sums
from fsconsole.text.words import count_words

WEEK_S = 7 * DAY_S
_NOT_MEASURES = ("workload", "policy", "seed", "window_s", "jobs", "users", "dropped", "jobs_per_s", "demand")
_MONTH = re.compile(r"(^| )(\d{4}-\d{2}|\d{1,2}/\d{2}|days \d+ to \d+)$")
_FORMS = {
    "avg_bounded_slowdown": SlowdownForm.BOUNDED,
    "avg_bounded_slowdown_at_least_1": SlowdownForm.AT_LEAST_1,
    "avg_slowdown_minute_job": SlowdownForm.MINUTE_JOB,
}
_OF_WHOLE_RUNS = ("over_shared", "under_shared")  # These counts cannot be summed over weeks.
_NUMBERS_AT_ONCE = 1 << 22
_TOP = 10  # The tenth of jobs with the longest waits nearly always contains the 99th percentile of a sample.


@dataclass(frozen=True, eq=False, slots=True)
class Measured:
    """A measure by unit, for all policies.

    Attributes:
        values: sums (or means, or a percentile) by unit, [policies, units].
        weights: what they are divided by to be means over all units, [units].
        weekly, weekly_weights: the same by week, where units are blocks of weeks; else None.
        whole: value over all units together, [policies], where that is not a mean of them; None elsewhere.
        drawn: values of bootstrap samples, [policies, samples], where the value of all units together is
            neither a mean nor a ratio; None elsewhere.
        has_interval: whether resampling says anything of the value shown; not of a longest wait of one run.
    """

    values: Floats
    weights: Floats
    weekly: Floats | None = None
    weekly_weights: Floats | None = None
    whole: Floats | None = None
    drawn: Floats | None = None
    has_interval: bool = True

    @property
    def shown(self) -> Floats:
        """Value of each policy over all units, [policies]."""
        return ratio_of_sums(self.values, self.weights) if self.whole is None else self.whole


@dataclass(frozen=True, eq=False, slots=True)
class Units:
    """Results of policies by unit.

    Attributes:
        unit: what a unit is: `month`, `workload`, `seed`, `block of 4 weeks`.
        count: how many there are.
        policies: labels, in the study's order.
        measures: by their names in summaries.
        untested: names of measures that are there, but not by unit.
        incomplete: labels of policies that lack runs, and so are not compared.
        weeks_of_block: weeks of a block; 1 where units are not blocks.
        is_resampled: whether units are resampled traces: draws of a bootstrap, not a sample.
    """

    unit: str
    count: int
    policies: tuple[str, ...]
    measures: Mapping[str, Measured] = field(default_factory=dict)
    untested: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    weeks_of_block: int = 1
    is_resampled: bool = False

    @property
    def words(self) -> str:
        """`11 months`, `12 blocks of 4 weeks`."""
        if self.unit.startswith("block"):
            return f"{count_words(self.count, 'block')}{self.unit.removeprefix('block')}"
        return count_words(self.count, self.unit)


def units_of_summary(summary: pl.DataFrame, *, is_resampled: bool = False) -> Units | None:
    """Build units of months (or other workloads), else seeds; None for a study of one run a policy.

    Seeds of one workload are averaged where there are several workloads: they are not further months.
    Of resampled traces each is a unit, over all its months. Policies that lack a run are left out, so that
    all comparisons are paired.
    """
    if summary.is_empty():
        return None
    workloads = summary["workload"].unique(maintain_order=True).to_list()
    by = "workload" if len(workloads) > 1 and not is_resampled else "seed"
    names = summary[by].unique(maintain_order=True).to_list()
    if len(names) < 2:
        return None
    columns = [name for name in summary.columns if name not in _NOT_MEASURES]
    means = summary.group_by("policy", by, maintain_order=True).agg(
        pl.col(name).cast(pl.Float64).mean() for name in columns
    )
    runs = summary.group_by("policy", maintain_order=True).len()
    is_complete = pl.col("len") == summary.select("workload", "seed").n_unique()
    policies = tuple(runs.filter(is_complete)["policy"])
    if not policies:
        return None
    incomplete = tuple(runs.filter(~is_complete)["policy"])
    ones = np.ones(len(names))
    measures, untested = {}, []
    for name in columns:
        rows = {(row[0], row[1]): row[2] for row in means.select("policy", by, name).iter_rows()}
        found = [[rows[policy, unit] for unit in names] for policy in policies]
        is_known = [value is not None for row in found for value in row]
        if all(is_known):
            measures[name] = Measured(np.array(found, dtype=np.float64), ones)
        elif any(is_known):
            untested.append(name)
    unit = "resampled trace" if is_resampled else "seed" if by == "seed" else unit_of(workloads)
    return Units(unit, len(names), policies, measures, tuple(untested), incomplete, is_resampled=is_resampled)


def unit_of(workloads: Sequence[str]) -> str:
    """Return the word for workloads as units: `month`, or `workload` where not all are months."""
    return "month" if all(map(_MONTH.search, workloads)) else "workload"


def weeks_in(period: Period) -> int:
    """Divide a period into weeks; the last one has 4 to 10 days."""
    return max(1, round((period.end_s - period.start_s) / WEEK_S))


def has_enough_weeks(period: Period) -> bool:
    """Return True if a run of this length has enough blocks of weeks for an interval."""
    return int(block_of_week(weeks_in(period))[-1]) + 1 >= FEWEST


@dataclass(frozen=True, eq=False, slots=True)
class Weeks:
    """Division of a run: the week of each measured job, edges of weeks, the block of each week."""

    of_job: Ints
    edges_s: Ints
    block: Ints

    @staticmethod
    def of(run: MonthRun) -> Weeks:
        """Build weeks that begin with the period; jobs belong to the week in which they were submitted."""
        period, count = run.period, weeks_in(run.period)
        submit_s = run.schedule.jobs.submit_s[run.measured]
        of_job = np.minimum((submit_s - period.start_s) // WEEK_S, count - 1)
        edges_s = period.start_s + WEEK_S * np.arange(count + 1, dtype=np.int64)
        edges_s[-1] = period.end_s
        return Weeks(of_job, edges_s, block_of_week(count))

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return int(self.block[-1]) + 1

    def by_block(self, weekly: Floats) -> Floats:
        """Return sums by block, [..., blocks], of values by week, [..., weeks]."""
        starts = np.searchsorted(self.block, np.arange(self.blocks))
        found: Floats = np.add.reduceat(weekly, starts, axis=-1)
        return found


def units_of_runs(runs: Mapping[str, MonthRun]) -> Units | None:
    """Build units of consecutive weeks of one workload; None where it is too short.

    `runs` are of the same jobs, by label of their policy.
    """
    first = next(iter(runs.values()), None)
    if first is None or not has_enough_weeks(first.period) or not first.measured.any():
        return None
    cut = {label: Weeks.of(run) for label, run in runs.items()}
    weeks = next(iter(cut.values()))
    if len({(len(one.edges_s), len(one.of_job)) for one in cut.values()}) > 1:
        # Schedules of a whole trace end at different times. The weeks are those of arrivals in the shortest
        # one.
        shortest = min(runs.values(), key=lambda run: run.period.end_s).period
        runs = {label: MonthRun(run.schedule, run.measured, shortest) for label, run in runs.items()}
        weeks = Weeks.of(next(iter(runs.values())))
    jobs = np.bincount(weeks.of_job, minlength=len(weeks.block)).astype(np.float64)
    waits = [run.schedule.wait_s[run.measured] for run in runs.values()]
    measures = {"avg_wait_h": _mean([wait / HOUR_S for wait in waits], weeks, jobs)}
    runtime_s = first.schedule.jobs.runtime_s[first.measured]
    for name, form in _FORMS.items():
        measures[name] = _mean([slowdown(wait, runtime_s, form) for wait in waits], weeks, jobs)
    measures["p99_wait_h"] = _percentile(waits, weeks)
    measures["max_wait_h"] = _longest(waits, weeks)
    measures |= _of_time(list(runs.values()), weeks)
    measures["gini_wait"] = _gini_of_waits(list(runs.values()), weeks)
    measures = {name: one for name, one in measures.items() if np.isfinite(one.shown).all()}
    per_block = round(len(weeks.block) / weeks.blocks)
    unit = "block of " + count_words(per_block, "week") if per_block > 1 else "week"
    return Units(unit, weeks.blocks, tuple(runs), measures, _OF_WHOLE_RUNS, weeks_of_block=per_block)


def _mean(values: Sequence[Floats], weeks: Weeks, jobs: Floats) -> Measured:
    """Return a mean over jobs."""
    weekly: Floats = np.stack([np.bincount(weeks.of_job, one, len(weeks.block)) for one in values])
    return _weekly(weekly, jobs, weeks)


def _of_time(runs: Sequence[MonthRun], weeks: Weeks) -> dict[str, Measured]:
    """Return used part of the machine, and the share error day by day; all jobs count."""
    days_s = np.unique(np.concatenate([np.arange(weeks.edges_s[0], weeks.edges_s[-1], DAY_S), weeks.edges_s]))
    week = np.searchsorted(weeks.edges_s, days_s[:-1], side="right") - 1
    many = len(weeks.block)
    used, missed, entitled, jain = [], [], [], []
    first = np.searchsorted(weeks.block[week], np.arange(weeks.blocks))
    counts = _counts_of_users(weeks)
    for run in runs:
        tables = used_and_entitled(run.schedule, days_s)
        errors = share_errors_of(*tables)
        used.append(np.bincount(week, tables[0].sum(axis=0), many))
        own, due = (np.add.reduceat(table, first, axis=1).astype(np.float64) for table in tables)
        jain.append(drawn_jain(own, due, counts))
        missed.append(np.bincount(week, errors.missed, many))
        entitled.append(np.bincount(week, errors.entitled, many))
    room = np.diff(weeks.edges_s).astype(np.float64) * runs[0].schedule.cluster_nodes
    # Entitled shares depend slightly on the schedule. A common weight keeps the differences paired.
    common = np.stack(entitled).mean(axis=0)
    scaled = np.stack(missed) / np.where(np.stack(entitled) > 0, np.stack(entitled), 1) * common
    return {
        "utilisation": _weekly(np.stack(used), room, weeks),
        "share_error": _weekly(scaled, common, weeks),
        "jain_share": _of_users(np.stack(jain), weeks),
    }


def _gini_of_waits(runs: Sequence[MonthRun], weeks: Weeks) -> Measured:
    counts = _counts_of_users(weeks)
    block, found = weeks.block[weeks.of_job], []
    for run in runs:
        user = run.schedule.jobs.user[run.measured]
        place, shape = user * weeks.blocks + block, (int(user.max()) + 1, weeks.blocks)
        waits = np.bincount(place, run.schedule.wait_s[run.measured], shape[0] * shape[1]).astype(np.float64)
        jobs = np.bincount(place, minlength=shape[0] * shape[1]).astype(np.float64)
        found.append(drawn_gini(waits.reshape(shape), jobs.reshape(shape), counts))
    return _of_users(np.stack(found), weeks)


def _counts_of_users(weeks: Weeks) -> Floats:
    """Return the weight of each block: alone, with all others, then in each sample."""
    return np.concatenate([np.eye(weeks.blocks), np.ones((1, weeks.blocks)), draw_counts(weeks.blocks)])


def _of_users(values: Floats, weeks: Weeks) -> Measured:
    """Return a measure among users, from its values by `_counts_of_users`, [policies, counts].

    A block in which nothing is measured counts as the mean of the others.
    """
    own, whole, drawn = np.split(values, [weeks.blocks, weeks.blocks + 1], axis=1)
    mean = np.nanmean(own, axis=1, keepdims=True) if np.isfinite(own).any(axis=1).all() else 0.0
    own = np.where(np.isnan(own), mean, own)
    return Measured(own, np.ones(weeks.blocks), whole=whole[:, 0], drawn=drawn)


def _weekly(weekly: Floats, weights: Floats, weeks: Weeks) -> Measured:
    return Measured(weeks.by_block(weekly), weeks.by_block(weights), weekly, weights)


def _by_block(waits: Sequence[Ints], weeks: Weeks, of: str) -> Floats:
    """Compute the longest or p99 wait of each block's jobs, hours, [policies, blocks]; 0 without jobs."""
    block = weeks.block[weeks.of_job]
    made = np.zeros((len(waits), weeks.blocks))
    for place in range(weeks.blocks):
        own = np.flatnonzero(block == place)
        if len(own):
            for row, wait in enumerate(waits):
                made[row, place] = (p99(wait[own]) if of == "p99" else wait[own].max()) / HOUR_S
    return made


def _longest(waits: Sequence[Ints], weeks: Weeks) -> Measured:
    """Compare the longest waits of blocks, as samples of a trace do not show its longest wait."""
    whole = np.array([wait.max() for wait in waits]) / HOUR_S
    return Measured(_by_block(waits, weeks, "max"), np.ones(weeks.blocks), whole=whole, has_interval=False)


def _percentile(waits: Sequence[Ints], weeks: Weeks) -> Measured:
    counts = draw_counts(weeks.blocks)
    block = weeks.block[weeks.of_job]
    drawn = np.stack([drawn_p99(wait, block, counts) / HOUR_S for wait in waits])
    whole = np.array([p99(wait) for wait in waits]) / HOUR_S
    return Measured(_by_block(waits, weeks, "p99"), np.ones(weeks.blocks), whole=whole, drawn=drawn)


def drawn_p99(values: Ints, unit: Ints, counts: Floats) -> Floats:
    """Compute the 99th percentile, nearest rank, of all values in each bootstrap sample, [samples].

    Args:
        values: such as waits of jobs, [jobs].
        unit: the unit of each, [jobs].
        counts: `draw_counts`, [samples, units].
    """
    order = np.argsort(-values, kind="stable")
    total = counts @ np.bincount(unit, minlength=counts.shape[1])
    whole = np.maximum(total.astype(np.int64), 1)
    from_top = whole - p99_rank_of(whole) + 1
    found = np.full(len(counts), np.nan)
    for taken in (len(order) // _TOP, len(order)):
        rest = np.flatnonzero(np.isnan(found))
        if not taken or not len(rest):
            continue
        size = max(1, _NUMBERS_AT_ONCE // taken)
        for start in range(0, len(rest), size):
            rows = rest[start : start + size]
            reached = np.cumsum(counts[np.ix_(rows, unit[order[:taken]])], axis=1) >= from_top[rows, None]
            there = reached[:, -1]
            found[rows[there]] = values[order[:taken]][reached[there].argmax(axis=1)]
    return found


def p99_rank_of(counts: Ints) -> Ints:
    """Return the nearest rank of the 99th percentile, from 1, of so many values each; any shape, [...]."""
    found: Ints = p99_rank(counts)  # type: ignore[type-var] # whole numbers too
    return found
