"""Users of the paper's types S1 and S2, planted among users with a light demand, are found, and only they."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from fsconsole.batch.insight.user_types import HEAVY_TIMES, find_user_types
from fsconsole.batch.job_table import JobTable, job_table
from fsconsole.batch.measures.benefit import CONSIDERABLE_H
from fsconsole.batch.measures.users import user_table
from fsconsole.batch.months import Period, jobs_in
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.schedule import Schedule
from tests.texts import says

_HOUR_S, _DAY_S = 3600, 86400
_NODES, _DAYS = 32, 12
_Rows = list[tuple[int, int, int, str]]


def _light(seed: int) -> _Rows:
    """Thirty users who submit a job or so a day, at any time, of 1 to 8 nodes for 1 to 7 hours."""
    random = np.random.default_rng(seed)
    return [
        (day * _DAY_S + int(random.integers(_DAY_S)), *_size(random), f"light-{user}")
        for user in range(30)
        for day in range(_DAYS)
        for _ in range(int(random.poisson(1.2)))
    ]


def _size(random: np.random.Generator) -> tuple[int, int]:
    return int(random.integers(_HOUR_S, 7 * _HOUR_S)), int(random.integers(1, 9))


def _large(*, with_small: bool) -> _Rows:
    """One job of the whole machine a day for half an hour, and sixteen small ones behind it."""
    days = range(2, _DAYS - 2)
    rows = [(day * _DAY_S + 8 * _HOUR_S, 1800, _NODES, "large") for day in days]
    small = [
        (day * _DAY_S + 8 * _HOUR_S + 60 + 1800 * step, 1800, 1, "large")
        for day in days
        for step in range(16)
    ]
    return rows + small if with_small else rows


def _heavy() -> _Rows:
    """On four days twenty jobs in a row."""
    return [
        (day * _DAY_S + 8 * _HOUR_S + 60 * step, 3 * _HOUR_S, 6, "heavy")
        for day in range(3, 7)
        for step in range(20)
    ]


def _jobs(rows: _Rows) -> JobTable:
    names = tuple(sorted({row[3] for row in rows}))
    submit, runtime, nodes = (np.array([row[index] for row in rows]) for index in range(3))
    user = np.array([names.index(row[3]) for row in rows])
    return job_table(np.arange(1, len(rows) + 1), submit, runtime, nodes, user, names)


def _both(rows: _Rows) -> tuple[Schedule, Schedule]:
    jobs = _jobs(rows)
    fcfs, relshare = BatchPolicy("fcfs"), BatchPolicy("relshare")
    return simulate_plainly(jobs, _NODES, fcfs), simulate_plainly(jobs, _NODES, relshare)


@pytest.fixture(scope="module")
def s1() -> tuple[Schedule, Schedule]:
    return _both(_light(4) + _large(with_small=True))


def test_a_user_whose_small_jobs_cost_the_large_ones_their_reservations_is_s1(
    s1: tuple[Schedule, Schedule],
) -> None:
    base, schedule = s1
    (found,) = find_user_types(base, schedule)
    assert (found.user, found.kind, found.easy_nodes, found.heavy_days) == ("large", "S1", (1, 1), 0)
    assert found.losses >= 2
    assert found.max_wait_h - found.base_max_wait_h > CONSIDERABLE_H
    assert found.dev_nh < found.base_dev_nh < -50
    job = int(np.flatnonzero(schedule.jobs.job_id == found.job_id)[0])
    assert schedule.jobs.nodes[job] == _NODES
    assert f"Job {found.job_id} (32 nodes, 30 min) lost its reservation {found.losses} times" in found.reason
    assert f"to its owner's own small jobs ({found.easy_jobs} of 1 node)" in found.reason
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["kind"] == "S1"


def test_the_same_user_without_the_small_jobs_is_not() -> None:
    """The advice of the paper: jobs that are spread out do not cost each other reservations."""
    assert find_user_types(*_both(_light(4) + _large(with_small=False))) == ()


def test_a_user_with_a_heavy_demand_on_some_days_is_s2() -> None:
    (found,) = find_user_types(*_both(_light(4) + _heavy()))
    assert (found.user, found.kind, found.losses, found.job_id) == ("heavy", "S2", 0, None)
    assert found.heavy_days >= 4
    assert found.most_times_mean > HEAVY_TIMES
    assert says(found.reason, "batch.insight.its-demand-was-at-least", heavy_times="5")
    assert says(found.reason, "batch.insight.its-demand-was-at-least", row=found.heavy_days, row_2=found.days)


def test_users_with_a_light_demand_are_neither() -> None:
    assert find_user_types(*_both(_light(4))) == ()


def test_only_measured_jobs_and_days_of_the_period_count(s1: tuple[Schedule, Schedule]) -> None:
    """On the first two days the user has no jobs; the base may have more jobs after the period."""
    base, schedule = s1
    early = Period(0, 2 * _DAY_S, "two days")
    assert find_user_types(base, schedule, jobs_in(schedule.jobs, early), early) == ()
    late = Period(2 * _DAY_S, _DAYS * _DAY_S, "the others")
    measured = jobs_in(schedule.jobs, late)
    (found,) = find_user_types(base, schedule, measured, late)
    users = user_table(base, jobs_in(base.jobs, late), late)
    row = users.row(by_predicate=pl.col("user") == "large", named=True)
    assert (found.base_max_wait_h, found.base_dev_nh) == (row["max_wait_h"], row["dev_nh"])
    assert found.days == _DAYS - 2


def test_a_schedule_from_elsewhere_can_only_have_s2(s1: tuple[Schedule, Schedule]) -> None:
    """Nobody knows why its jobs were passed over."""
    base, schedule = s1
    assert find_user_types(base, replace(schedule, policy=None, reservations=None, source="log")) == ()


def test_s1_needs_the_reservation_log(s1: tuple[Schedule, Schedule]) -> None:
    base, schedule = s1
    with pytest.raises(ValueError, match="reservation log"):
        find_user_types(base, replace(schedule, reservations=None))
