"""Fairness measures: by hand, by definition; fair start times by simulating all that came before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.measures.entitlement import edges_of
from fsconsole.batch.measures.fair_start import FairStart, fair_starts, summarise_fair_starts
from fsconsole.batch.measures.fairness import gini, jain_index, share_errors
from fsconsole.batch.measures.summary import summarise
from fsconsole.batch.policy import POLICIES, BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.simulate import simulate
from tests.batch.drawn_policies import policies_with_several_reservations, shares_of
from tests.batch.measures.schedules import by_hand, schedules
from tests.batch.workloads import table_of, workloads
from tests.texts import refuses

HOUR = 3600
DAY = 24 * HOUR
_VALUES = st.lists(st.floats(0, 1e6), min_size=1, max_size=20).map(np.array)


def test_jain_and_gini_of_known_values() -> None:
    # Jain, Chiu and Hawe: if k of n get the same and the others nothing, the index is k/n.
    assert jain_index(np.array([3.0, 3, 3, 0, 0, 0, 0, 0, 0, 0])) == pytest.approx(0.3)
    assert jain_index(np.array([2.0, 2, 2])) == 1
    # One of n has all: 1 - 1/n. Of 1, 2, 3, 4 the mean absolute difference is 1.25, the mean 2.5.
    assert gini(np.array([0.0, 0, 0, 8])) == 0.75
    assert gini(np.array([4.0, 2, 3, 1])) == 0.25
    assert gini(np.array([5.0, 5])) == 0
    for nothing in (np.zeros(0), np.zeros(3)):
        assert jain_index(nothing) is gini(nothing) is None


@given(_VALUES, st.floats(0.01, 100))
def test_they_do_not_depend_on_the_unit_and_stay_in_their_limits(values: Floats, factor: float) -> None:
    many = len(values)
    for measure, low, high in ((jain_index, 1 / many, 1.0), (gini, 0.0, 1 - 1 / many)):
        found, scaled = measure(values), measure(values * factor)
        if found is not None and values.max() > 1e-3:
            assert low - 1e-9 <= found <= high + 1e-9
            assert scaled == pytest.approx(found)


def test_what_was_due_on_one_day_and_came_on_the_next_is_missed_by_days_alone() -> None:
    # Two users wait for the one node from 0 on; `a` has it on the first day, `b` on the second.
    schedule = by_hand([("a", 0, 0, DAY, 1), ("b", 0, DAY, DAY, 1)], 1)
    by_day = share_errors(schedule, np.array([0, DAY, 2 * DAY]))
    assert by_day.entitled.tolist() == [DAY, DAY]
    assert by_day.by_bin.tolist() == [0.5, 0]  # on the second day only `b` is there
    assert by_day.mean == 0.25
    summary = summarise(schedule)
    assert summary.share_error == 0.25
    # Used 24 h each; entitled to 12 h and 36 h.
    assert summary.jain_share == pytest.approx((2 + 2 / 3) ** 2 / (2 * (4 + 4 / 9)))
    assert summary.gini_wait == 0.5  # waits of 0 and a day


@given(schedules())
def test_finer_bins_never_miss_less(schedule: Schedule) -> None:
    edges = edges_of(schedule, None)
    whole = share_errors(schedule, edges)
    middle = int(edges.mean())
    if edges[0] < middle < edges[1]:
        halves = share_errors(schedule, np.array([edges[0], middle, edges[1]]))
        assert halves.missed.sum() >= whole.missed.sum() - 1e-6
        assert halves.entitled.sum() == pytest.approx(whole.entitled.sum())


def _plainly(jobs: JobTable, nodes: int, policy: BatchPolicy, shares: Floats) -> list[int]:
    """Each job with all that arrived before it, and nothing behind."""
    return [
        int(simulate(jobs.rows(slice(0, row + 1)), nodes, policy, shares).start_s[-1])
        for row in range(len(jobs))
    ]


@given(workloads(most=20), policies_with_several_reservations(), shares_of(4))
def test_fair_starts_are_those_without_later_jobs(
    workload: tuple[JobTable, int], policy: BatchPolicy, shares: Floats
) -> None:
    jobs, nodes = workload
    schedule = simulate(jobs, nodes, policy, shares)
    waits = schedule.start_s > jobs.submit_s
    expected = np.where(waits, _plainly(jobs, nodes, policy, shares), schedule.start_s)
    assert fair_starts(schedule).tolist() == expected.tolist()


def test_usage_before_an_idle_hour_decides_who_is_first_within_a_window() -> None:
    """`a` has used the machine, which was empty since; so `b`, who comes later, goes before it."""
    jobs = table_of([(0, 1000, 2, 0), (5000, 500, 2, 2), (5010, 100, 2, 0), (5020, 100, 2, 1)], 3)
    schedule = simulate(jobs, 2, replace(POLICIES["relshare"], window_s=DAY))
    assert schedule.start_s.tolist() == [0, 5000, 5600, 5500]
    assert fair_starts(schedule).tolist() == [0, 5000, 5500, 5500]


def test_a_later_job_that_goes_ahead_delays_an_earlier_one() -> None:
    # Largest slowdown first: the short job overtakes the long one, which would have started at 100.
    jobs = table_of([(0, 100, 2, 0), (10, 1000, 2, 0), (20, 20, 2, 0)])
    schedule = simulate(jobs, 2, POLICIES["lxf-backfill"])
    assert schedule.start_s.tolist() == [0, 120, 100]
    fair_s = fair_starts(schedule)
    assert fair_s.tolist() == [0, 100, 100]
    one = summarise_fair_starts(schedule, fair_s)
    assert one.jobs == 3
    assert one.unfair == pytest.approx(1 / 3)
    assert one.max_miss_h == pytest.approx(20 / HOUR)
    assert one.avg_miss_h == pytest.approx(20 / HOUR / 3)
    assert summarise_fair_starts(schedule, fair_s, np.zeros(3, dtype=np.bool_)) == FairStart(0, 0, 0, 0)


def test_without_backfilling_in_order_of_arrival_nothing_is_unfair() -> None:
    jobs = table_of([(0, 100, 2, 0), (10, 50, 1, 0), (20, 70, 2, 0), (30, 10, 2, 0)])
    schedule = simulate(jobs, 2, POLICIES["fcfs-backfill"])
    assert summarise_fair_starts(schedule, fair_starts(schedule)).unfair == 0


def test_it_is_cancelled_and_says_how_far_it_is() -> None:
    jobs = table_of([(0, 100, 2, 0), (10, 1000, 2, 0), (20, 20, 2, 0)])
    schedule = simulate(jobs, 2, POLICIES["lxf-backfill"])
    parts: list[float] = []
    found = fair_starts(schedule, progress=parts.append, cancelled=lambda: True)
    assert (parts, found.tolist()) == ([0.0], schedule.start_s.tolist())
    with refuses(ValueError, "batch.measures.fair-start-times-need-policy"):
        fair_starts(by_hand([("a", 0, 0, 1, 1)], 1))
