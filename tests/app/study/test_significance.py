"""Units, intervals and tests of studies: frames whose truth is known, and KTH's published schedules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from fsconsole.app.study.rows import MEASURED, StudyRow, with_significance
from fsconsole.app.study.significance import (
    UnknownPolicyError,
    compare,
    plain_differences,
    policy_meant,
    significance_of,
)
from fsconsole.app.study.units import drawn_p99, units_of_runs, units_of_summary
from fsconsole.app.study.user_measures import drawn_gini, drawn_jain
from fsconsole.batch.measures.fairness import gini, jain_index
from fsconsole.batch.measures.slowdown import p99
from fsconsole.batch.measures.summary import summarise
from fsconsole.batch.months import MonthRun, Period, whole_period
from fsconsole.batch.policy import DAY_S, POLICIES
from fsconsole.batch.significance.bootstrap import draw_counts
from fsconsole.batch.simulate import simulate
from fsconsole.figures.study_numbers import Spread
from tests.batch.measures.schedules import kth_jobs
from tests.texts import refuses_naming, says, wording


def summary(
    months: int = 10, seeds: int = 1, *, better: float = 0.0, name: str = "KTH 1996-{:02}", seed: int = 1
) -> pl.DataFrame:
    """Waits of two policies that share what a month is like; the second is `better` hours shorter."""
    rng = np.random.default_rng(seed)
    rows = []
    for month in range(1, months + 1):
        like = rng.gamma(4.0, 1.0)
        for own in range(seeds):
            for policy, less in (("FCFS-backfill", 0.0), ("LXF-backfill", better)):
                wait = like - less + 0.2 * rng.normal()
                rows.append((name.format(month), policy, own if seeds > 1 else None, wait, 2500))
    schema = {
        "workload": pl.String, "policy": pl.String, "seed": pl.UInt64, "avg_wait_h": pl.Float64,
        "jobs": pl.Int64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_ten_months_are_ten_units_whatever_jobs_they_have() -> None:
    units = units_of_summary(summary())
    assert units is not None
    assert (units.count, units.unit, units.words) == (10, "month", "10 months")
    assert set(units.measures) == {"avg_wait_h"}


def test_seeds_of_a_month_are_not_further_months() -> None:
    several = units_of_summary(summary(6, seeds=5))
    one = units_of_summary(summary(1, seeds=7))
    assert several is not None
    assert one is not None
    assert (several.words, one.words) == ("6 months", "7 seeds")
    assert units_of_summary(summary(1)) is None


def test_other_workloads_are_called_so_and_unfinished_policies_are_left_out() -> None:
    frame = summary(6, name="trace {}")
    units = units_of_summary(frame.head(11))
    assert units is not None
    assert (units.words, units.policies) == ("6 workloads", ("FCFS-backfill",))


def test_a_policy_that_lacks_a_seed_of_one_month_is_not_compared() -> None:
    known = significance_of(summary(6, seeds=2, better=1.0).head(23), None)
    assert known.units is not None
    assert (known.units.policies, known.units.incomplete) == (("FCFS-backfill",), ("LXF-backfill",))
    assert says(known.words, "app.study.not-compared-since-cells-are", missing="LXF-backfill")
    assert not known.contrasts


def test_policies_done_on_different_months_have_no_units() -> None:
    frame = summary(2)
    apart = pl.concat([frame[0], frame[3]])
    assert apart["policy"].n_unique() == apart["workload"].n_unique() == 2
    assert significance_of(apart, None).reason == wording("app.study.no-intervals-each-policy-lacks")


def test_a_measure_that_some_months_lack_is_not_tested() -> None:
    frame = summary().with_columns(share_error=pl.col("avg_wait_h"))
    gap = frame.with_columns(pl.when(pl.int_range(pl.len()) > 0).then(pl.col("share_error")))
    known = significance_of(gap, None)
    assert set(known.tied) == {"avg_wait_h"}
    assert known.words.endswith(wording("app.study.not-tested", untested="Share error") + ", %")


def test_a_row_that_could_not_be_compared_is_not_decided() -> None:
    place = next(at for at, column in enumerate(MEASURED) if column.name == "avg_wait_h")
    known = significance_of(summary(6, seeds=2, better=1.0).head(23), None)
    values = tuple(Spread(1.0, 1.0, 1.0) for _ in MEASURED)
    rows = [
        StudyRow("", "FCFS-backfill", values, frozenset({place})),
        StudyRow("", "LXF-backfill", values),
    ]
    assert [place in row.tied for row in with_significance(rows, known)] == [False, True]
    turned = [replace(row, best=frozenset({place}) - row.best) for row in rows]
    assert [place in row.tied for row in with_significance(turned, known)] == [True, False]


def test_a_clear_difference_is_decided_and_none_is_not() -> None:
    clear = significance_of(summary(better=1.0), None)
    contrast = clear.contrasts["LXF-backfill", "avg_wait_h"]
    assert contrast.is_decided
    assert (contrast.lower, contrast.higher) == (10, 0)
    assert contrast.interval.low <= -1.0 <= contrast.interval.high
    assert clear.tied["avg_wait_h"] == frozenset()
    # Months differ far more than policies do: only pairs can decide.
    assert (
        clear.interval("FCFS-backfill", "avg_wait_h").low < clear.interval("LXF-backfill", "avg_wait_h").high
    )
    alike = significance_of(summary(), None)
    assert not alike.contrasts["LXF-backfill", "avg_wait_h"].is_decided
    assert len(alike.tied["avg_wait_h"]) == 1


def test_an_interval_of_a_count_does_not_reach_below_0_but_one_of_a_difference_does() -> None:
    """One month in ten has a large count; its bootstrap-t interval is wide and not symmetric."""
    frame = summary()
    waits = [0.0] * 16 + [1.0, 0.0, 100.0, 50.0]
    units = units_of_summary(frame.with_columns(pl.Series("avg_wait_h", waits)))
    assert units is not None
    found = compare(units, "FCFS-backfill")
    ends = [found.interval(policy, "avg_wait_h") for policy in units.policies]
    assert [one.low for one in ends] == [0.0, 0.0]
    assert found.contrasts["LXF-backfill", "avg_wait_h"].interval.low < 0


def test_policies_that_are_alike_are_decided_in_about_5_percent_of_studies() -> None:
    found = [
        significance_of(summary(8, seed=seed), None).contrasts["LXF-backfill", "avg_wait_h"].is_decided
        for seed in range(300)
    ]
    assert 0.025 <= np.mean(found) <= 0.075


def test_too_few_months_have_a_reason_in_place_of_intervals() -> None:
    known = significance_of(summary(4), None)
    assert known.words == wording("app.study.no-intervals-but-at-least", words="4 months", fewest="5")
    assert not known.interval("FCFS-backfill", "avg_wait_h").is_known
    assert not known.contrasts
    assert significance_of(summary(1), None).words == wording("app.study.no-intervals-there-is-one")


def test_differences_without_intervals_are_of_means_over_workloads() -> None:
    frame = summary(4, seeds=3, better=1.0)
    known = significance_of(frame, None)
    found = plain_differences(frame, known)
    waits = frame.group_by("policy").agg(pl.col("avg_wait_h").mean())
    of = dict(waits.iter_rows())
    expected = of["LXF-backfill"] - of["FCFS-backfill"]
    assert found["LXF-backfill", "avg_wait_h"] == pytest.approx(expected)
    assert {policy for policy, _ in found} == {"LXF-backfill"}


LABELS = ("FCFS-backfill", "RelShare(4h)", "RelShare(1d)", "RelShare(1d), no expected usage")


@pytest.mark.parametrize(
    ("text", "label"),
    [("relshare(4H)", LABELS[1]), ("RELSHARE, no expected usage", LABELS[3]), ("fcfs-backfill", LABELS[0])],
)
def test_a_policy_is_meant_in_any_case_and_without_its_only_window(text: str, label: str) -> None:
    assert policy_meant(LABELS, text) == label
    assert policy_meant((*LABELS[:1], *LABELS[2:]), "relshare") == LABELS[2]


def test_a_policy_with_several_windows_needs_one() -> None:
    with refuses_naming(UnknownPolicyError, "RelShare(4h)", "RelShare(1d)"):
        policy_meant(LABELS, "relshare")


def test_a_policy_that_is_not_there_cannot_be_compared_with() -> None:
    with refuses_naming(UnknownPolicyError, "FCFS-backfill", "LXF-backfill"):
        significance_of(summary(), None, against="LXF")


@pytest.mark.parametrize("jobs", [60, 3000])
def test_percentiles_of_samples_are_those_of_the_jobs_drawn(jobs: int) -> None:
    rng = np.random.default_rng(jobs)
    values, unit = rng.integers(0, 500, jobs), rng.integers(0, 6, jobs)
    counts = draw_counts(6, 20)
    drawn = [np.concatenate([np.repeat(values[unit == k], int(row[k])) for k in range(6)]) for row in counts]
    assert drawn_p99(values, unit, counts).tolist() == [p99(one) for one in drawn]


@pytest.fixture(scope="module")
def kth_runs() -> dict[str, MonthRun]:
    """The whole trace of KTH under two policies."""
    jobs, found = kth_jobs(), {}
    for name in ("fcfs-backfill", "relshare"):
        schedule = simulate(jobs, 100, POLICIES[name])
        every = np.ones(len(jobs), dtype=np.bool_)
        found[POLICIES[name].label] = MonthRun(schedule, every, whole_period(schedule))
    return found


def test_weeks_of_one_run_are_units_in_blocks(kth_runs: dict[str, MonthRun]) -> None:
    units = units_of_runs(kth_runs)
    assert units is not None
    assert units.words.split() == ["12", "blocks", "of", "4", "weeks"]
    known = compare(units, "FCFS-backfill")
    waits = known.contrasts["RelShare(1d)", "avg_wait_h"]
    # The means over all jobs of the table of the batch rules: 1.765 and 1.757 hours.
    assert waits.difference == pytest.approx(1.757 - 1.765, abs=1e-3)
    assert waits.interval.low < 0 < waits.interval.high
    assert not waits.is_decided
    assert known.contrasts["RelShare(1d)", "max_wait_h"].is_decided
    assert not known.interval("RelShare(1d)", "max_wait_h").is_known  # the longest wait of one trace
    low, high = (getattr(known.interval("FCFS-backfill", "p99_wait_h"), end) for end in ("low", "high"))
    assert low < 19.84 < high


def test_differences_of_one_run_are_those_of_the_values_shown(kth_runs: dict[str, MonthRun]) -> None:
    units = units_of_runs(kth_runs)
    assert units is not None
    known = compare(units, "FCFS-backfill")
    first, second = (summarise(run.schedule, run.measured, run.period) for run in kth_runs.values())
    for name in ("p99_wait_h", "max_wait_h", "jain_share", "gini_wait"):
        one = known.contrasts["RelShare(1d)", name]
        assert one.difference == pytest.approx(getattr(second, name) - getattr(first, name)), name
        assert not one.interval.is_known or one.interval.low <= one.difference <= one.interval.high, name
    untested = known.words.partition("not tested: ")[2]
    assert untested.split(", ")[:2] == ["Over-shared", "Under-shared"]


def test_fairness_among_users_has_an_interval_over_weeks_of_one_run(kth_runs: dict[str, MonthRun]) -> None:
    units = units_of_runs(kth_runs)
    assert units is not None
    known = compare(units, "FCFS-backfill")
    for label, run in kth_runs.items():
        whole = summarise(run.schedule, run.measured, run.period)
        for name in ("jain_share", "gini_wait"):
            value, interval = getattr(whole, name), known.interval(label, name)
            assert interval.is_known
            assert 0 <= interval.low < value < interval.high <= 1, (label, name)


@pytest.mark.parametrize("seed", [1, 2])
def test_fairness_of_samples_is_that_of_the_weeks_drawn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    used, entitled = rng.integers(0, 50, (9, 5)).astype(float), rng.integers(0, 40, (9, 5)).astype(float)
    counts = draw_counts(5, 20)
    for row, jain, of_waits in zip(
        counts, drawn_jain(used, entitled, counts), drawn_gini(used, entitled, counts), strict=True
    ):
        weeks = np.repeat(np.arange(5), row.astype(int))
        above, below = used[:, weeks].sum(axis=1), entitled[:, weeks].sum(axis=1)
        ratio = above[below > 0] / below[below > 0]
        assert jain == pytest.approx(jain_index(ratio))
        assert of_waits == pytest.approx(gini(ratio))


def test_a_short_run_has_no_units(kth_runs: dict[str, MonthRun]) -> None:
    run = kth_runs["FCFS-backfill"]
    start_s = run.period.start_s
    first = run.schedule.jobs.submit_s < start_s + 30 * DAY_S
    month = MonthRun(run.schedule, first, Period(start_s, start_s + 30 * DAY_S, "first"))
    assert units_of_runs({"FCFS-backfill": month}) is None
