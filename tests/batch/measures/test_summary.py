"""One row for a schedule: the table of KTH that a reference made, and small schedules reckoned by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.measures.slowdown import SlowdownForm, p99, slowdown
from fsconsole.batch.measures.summary import summarise
from fsconsole.batch.months import Period
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.simulate import simulate
from tests.batch.measures.schedules import by_hand, kth_jobs, kth_schedule
from tests.texts import refuses

HOUR = 3600
DAY = 24 * HOUR


# The table of the batch rules: avg bounded slowdown, avg wait, max wait, p99 wait (hours).
KTH = {
    "kth-fcfs-backfill": (26.687, 1.765, 71.89, 19.84),
    "kth-lxf-backfill": (12.030, 1.263, 127.47, 17.62),
    "kth-relshare-1d": (18.543, 1.757, 221.82, 24.73),
    "kth-relshare-1d-no-expected": (20.035, 1.778, 242.37, 24.34),
}


@pytest.mark.parametrize("name", KTH)
def test_kth(shared: Path, name: str) -> None:
    summary = summarise(kth_schedule(shared, name))
    found = (summary.avg_bounded_slowdown, summary.avg_wait_h, summary.max_wait_h, summary.p99_wait_h)
    assert found == pytest.approx(KTH[name], abs=0.0051)
    assert found[:2] == pytest.approx(KTH[name][:2], abs=0.00051)
    assert (summary.jobs, summary.users, summary.active_users) == (28_481, 214, 214)
    assert summary.demand == pytest.approx(0.69, abs=0.005)  # said beside the trace


def test_the_bundled_trace_under_fcfs() -> None:
    summary = summarise(simulate(kth_jobs(), 100, BatchPolicy("fcfs")))
    found = (summary.avg_bounded_slowdown, summary.avg_wait_h, summary.max_wait_h, summary.p99_wait_h)
    assert found == pytest.approx(KTH["kth-fcfs-backfill"], abs=0.0051)
    assert summary.jobs_per_s is not None


def test_the_three_forms_of_a_slowdown() -> None:
    wait_s, runtime_s = np.array([0, 30, 120, 90]), np.array([6, 30, 30, 180])
    forms = {form: slowdown(wait_s, runtime_s, form).tolist() for form in SlowdownForm}
    assert forms == {
        SlowdownForm.BOUNDED: [0.1, 1.0, 2.5, 1.5],
        SlowdownForm.AT_LEAST_1: [1.0, 1.0, 2.5, 1.5],
        SlowdownForm.MINUTE_JOB: [1.0, 1.5, 3.0, 1.5],
    }


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=50), st.integers(1, 10**5))
def test_the_forms_are_in_order(waits: list[int], runtime: int) -> None:
    wait_s = np.array(waits)
    plain, at_least_1, minute = (
        slowdown(wait_s, np.full(len(waits), runtime), form) for form in SlowdownForm
    )
    assert (plain <= at_least_1).all()
    assert (at_least_1 <= minute + 1e-12).all()


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (2, 2), (99, 99), (100, 99), (101, 100), (200, 198)])
def test_the_99th_percentile_is_a_nearest_rank(count: int, expected: int) -> None:
    assert p99(np.arange(count, 0, -1)) == expected


def test_there_is_no_percentile_of_nothing() -> None:
    with refuses(ValueError, "batch.measures.percentile-needs-at-least-one"):
        p99(np.zeros(0, dtype=np.int64))


def test_measured_jobs_and_a_period() -> None:
    # 10 nodes, a day measured. `before` runs into it, `late` runs out of it, `next` is not measured.
    rows = [
        ("before", 0, 0, DAY + 6 * HOUR, 4),
        ("late", DAY + 12 * HOUR, DAY + 18 * HOUR, 10 * HOUR, 6),
        ("next", 2 * DAY, 2 * DAY + 12 * HOUR, HOUR, 10),
    ]
    schedule = by_hand(rows, 10, simulation_s=0.5)
    summary = summarise(schedule, np.array([False, True, False]), Period(DAY, 2 * DAY, "days"), dropped=3)
    assert (summary.jobs, summary.users, summary.active_users, summary.dropped) == (1, 1, 2, 3)
    assert summary.avg_wait_h == summary.max_wait_h == summary.p99_wait_h == 6
    assert summary.avg_bounded_slowdown == 1.6
    assert summary.utilisation == (4 * 6 + 6 * 6) / 240
    assert summary.demand == 60 / 240
    assert summary.jobs_per_s == 6
    assert (summary.under_shared, summary.over_shared) == (0, 0)


def test_50_node_hours_are_not_over_or_under_shared_yet() -> None:
    def counts(minutes: int) -> tuple[int, int]:
        # `a` has both nodes where one was entitled to each: 50 hours make 50 node-hours.
        length = 50 * HOUR + 60 * minutes
        summary = summarise(
            by_hand([("a", 0, 0, length, 2), ("b", 0, length, 1, 2)], 2), None, Period(0, length, "days")
        )
        return summary.under_shared, summary.over_shared

    assert counts(0) == (0, 0)
    assert counts(1) == (1, 1)


def test_nothing_measured() -> None:
    schedule = by_hand([("a", 0, 0, HOUR, 1)], 1)
    summary = summarise(schedule, np.array([False]))
    assert (summary.jobs, summary.users, summary.demand, summary.utilisation) == (0, 0, 0, 1)
    assert summary.avg_wait_h is summary.avg_bounded_slowdown is summary.jobs_per_s is None
    assert summary.to_json()["p99_wait_h"] is None


@given(
    st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 9000), st.integers(1, 4)), min_size=1, max_size=9)
)
def test_demand_and_utilisation_have_one_denominator(jobs: list[tuple[int, int, int]]) -> None:
    """Without a period all that is demanded is used by the last end."""
    rows = [
        (f"u{at}", submit, submit, length, nodes) for at, (submit, length, nodes) in enumerate(sorted(jobs))
    ]
    summary = summarise(by_hand(rows, 40))
    assert summary.demand == pytest.approx(summary.utilisation)
