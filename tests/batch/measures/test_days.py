"""Users day by day: the paper's definitions (V-B), applied one job and one day at a time, and laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.job_table import Ints
from fsconsole.batch.measures.days import day_edges, user_days
from fsconsole.batch.measures.users import user_table
from fsconsole.batch.months import Period
from fsconsole.batch.schedule import Schedule
from tests.batch.measures.schedules import by_hand, schedules
from tests.batch.measures.test_summary import DAY, HOUR

edges = st.lists(st.integers(0, 200), min_size=2, max_size=6, unique=True).map(
    lambda found: np.array(sorted(found))
)


def days_of(schedule: Schedule, user: str, edges_s: Ints | None = None) -> dict[str, list[Any]]:
    table = user_days(schedule, day_edges(schedule) if edges_s is None else edges_s)
    return table.filter(pl.col("user") == user).to_dict(as_series=False)


def test_the_papers_job_of_ten_hours_an_hour_before_the_day_ends() -> None:
    # "it could receive at most one node-hour today"; it waits for 30 hours: all of it counts in each day
    # of its backlog, and what is left of it once it runs.
    schedule = by_hand([("a", 23 * HOUR, 53 * HOUR, 10 * HOUR, 1), ("b", 0, 0, 72 * HOUR, 1)], 2)
    days = days_of(schedule, "a")
    assert days["demand_nh"] == [1, 10, 10]
    assert days["usage_nh"] == [0, 0, 10]
    assert days["waiting"] == [0, 1, 1]
    assert days["new"] == [1, 0, 0]
    assert days["started"] == [0, 0, 1]
    assert days["entitled_nh"] == [1, 24, 15]
    assert days["mean_demand_nh"] == [12.5, 17, 17]


def test_what_already_runs_asks_for_what_is_left_of_it() -> None:
    days = days_of(by_hand([("a", 20 * HOUR, 22 * HOUR, 30 * HOUR, 2)], 2), "a")
    assert days["demand_nh"] == [8, 48, 8]
    assert days["usage_nh"] == [4, 48, 8]
    assert days["started"] == [1, 0, 0]


def test_the_second_in_which_a_day_begins() -> None:
    days = days_of(by_hand([("a", DAY, 2 * DAY, HOUR, 1)], 2), "a", np.arange(4) * DAY)
    assert days["new"] == [0, 1, 0]
    assert days["waiting"] == [0, 0, 1]
    assert days["started"] == [0, 0, 1]


def test_the_mean_over_those_who_have_a_demand() -> None:
    schedule = by_hand([("a", 0, 0, HOUR, 6), ("b", DAY, DAY, HOUR, 2), ("b", 0, 0, HOUR, 2)], 8)
    days = days_of(schedule, "a")
    assert days["mean_demand_nh"] == [4, 1]
    assert days["mean_demand_active_nh"] == [4, 2]


def test_where_days_begin() -> None:
    schedule = by_hand([("a", DAY + 5, DAY + 5, DAY, 1)], 1)
    assert day_edges(schedule).tolist() == [DAY, 2 * DAY, 3 * DAY]
    assert day_edges(schedule, Period(HOUR, 2 * DAY, "days")).tolist() == [HOUR, DAY + HOUR, 2 * DAY]
    assert day_edges(schedule, None, 3 * HOUR)[0] == DAY


def by_definition(schedule: Schedule, user: int, begin: int, until: int) -> tuple[int, int, int, int]:
    """Demand in node-seconds, jobs waiting, new and started, of one user and day."""
    demand = waiting = new = started = 0
    jobs = schedule.jobs
    for row in np.flatnonzero(jobs.user == user):
        submit, start, end = int(jobs.submit_s[row]), int(schedule.start_s[row]), int(schedule.end_s[row])
        nodes, runtime = int(jobs.nodes[row]), int(jobs.runtime_s[row])
        if start < begin < end:
            demand += nodes * min(end - begin, until - begin)
        elif submit < begin <= start:
            demand += nodes * min(runtime, until - begin)
        elif begin <= submit < until:
            demand += nodes * min(runtime, until - submit)
        waiting += submit < begin <= start
        new += begin <= submit < until
        started += begin <= start < until
    return demand, waiting, new, started


@given(schedules(), edges)
def test_equals_the_definition_job_by_job(schedule: Schedule, edges_s: Ints) -> None:
    table = user_days(schedule, edges_s)
    for row in table.iter_rows(named=True):
        user = schedule.jobs.users.index(row["user"])
        begin, until = int(edges_s[row["day"]]), int(edges_s[row["day"] + 1])
        demand, *counts = by_definition(schedule, user, begin, until)
        assert row["demand_nh"] * HOUR == pytest.approx(demand)
        assert [row["waiting"], row["new"], row["started"]] == counts
        assert row["start_s"] == begin


@given(schedules(), st.integers(5, 60))
def test_jobs_come_and_go_and_nobody_uses_more_than_the_demand(schedule: Schedule, day_s: int) -> None:
    table = user_days(schedule, day_edges(schedule, None, day_s))
    assert (table["usage_nh"] <= table["demand_nh"] + 1e-9).all()
    for _, days in table.group_by("user"):
        left = days["waiting"] + days["new"] - days["started"]
        assert left[:-1].to_list() == days["waiting"][1:].to_list()
        assert left[-1] == 0
    totals = table.group_by("user", maintain_order=True).agg(pl.col("new", "usage_nh", "entitled_nh").sum())
    users = user_table(schedule)
    assert totals["user"].to_list() == users["user"].to_list()
    assert totals["new"].to_list() == users["jobs"].to_list()
    assert totals["usage_nh"].to_list() == pytest.approx(users["usage_nh"].to_list())
    assert totals["entitled_nh"].to_list() == pytest.approx(users["entitled_nh"].to_list())


def test_users_who_do_nothing_in_these_days_are_left_out() -> None:
    schedule = by_hand([("a", 0, 0, HOUR, 1), ("b", DAY, DAY, HOUR, 1)], 1)
    assert user_days(schedule, np.array([DAY, 2 * DAY]))["user"].to_list() == ["b"]
    nothing = user_days(by_hand([], 1), np.array([0, DAY]))
    assert nothing.is_empty()
    assert nothing.schema["user"] == pl.String
