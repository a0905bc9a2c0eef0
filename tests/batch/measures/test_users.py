"""The table of users: a real trace against an exact reference, and who is in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from fsconsole.batch.measures.summary import summarise
from fsconsole.batch.measures.users import USER_COLUMNS, user_table, with_jobs
from fsconsole.batch.months import Period
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.simulate import simulate
from tests.batch.measures.schedules import by_hand, kth_jobs, kth_schedule, schedules
from tests.batch.measures.test_summary import DAY, HOUR


def test_kth_under_relshare_equals_an_exact_reference(shared: Path) -> None:
    expected = pl.read_csv(shared / "traces" / "expected" / "kth-relshare-1d-users.csv.gz")
    expected = expected.rename({"avg_bsld": "avg_bounded_slowdown"})
    table = user_table(kth_schedule(shared, "kth-relshare-1d"))
    assert table["user"].cast(pl.Int64).to_list() == expected["user"].to_list()
    for name in expected.columns[1:]:
        assert table[name].to_list() == pytest.approx(expected[name].to_list(), abs=1e-6), name


# Rows of the same reference, for where its file is not at hand: jobs, node-hours used, entitled, difference,
# maximum and average wait (h), average bounded slowdown.
KTH_RELSHARE_1D = {
    "1": (28, 12091.964722, 9976.255790, 2115.708933, 59.718333, 3.066935, 2.003133),
    "2": (51, 9537.562500, 19228.770676, -9691.208176, 221.815556, 40.592168, 443.233505),
    "3": (251, 42402.048333, 70686.665606, -28284.617273, 201.351111, 42.662900, 93.247823),
    "59": (105, 1334.014722, 1446.578644, -112.563922, 9.583056, 0.650690, 7.169326),
    "84": (146, 35718.709722, 21759.273768, 13959.435954, 72.458611, 6.710578, 27.795218),
    "149": (1, 0.2525, 0.2525, 0.0, 0.0, 0.0, 1.0),
    "214": (1, 0.044444, 0.044444, 0.0, 0.0, 0.0, 0.333333),
}


def test_users_of_the_bundled_trace_under_relshare() -> None:
    table = user_table(simulate(kth_jobs(), 100, BatchPolicy("relshare")))
    names = ("jobs", "usage_nh", "entitled_nh", "dev_nh", "max_wait_h", "avg_wait_h", "avg_bounded_slowdown")
    found = {row["user"]: tuple(row[name] for name in names) for row in table.iter_rows(named=True)}
    assert len(found) == 214
    for user, expected in KTH_RELSHARE_1D.items():
        assert found[user] == pytest.approx(expected, abs=1e-6), user


def test_a_user_by_hand() -> None:
    rows = [
        ("a", 0, 0, HOUR, 1),
        ("a", 0, HOUR, 3 * HOUR, 2),
        ("a", 0, 4 * HOUR, 2 * HOUR, 6),
        ("b", 0, 0, HOUR, 1),
    ]
    row = user_table(by_hand(rows, 8)).row(0, named=True)
    assert row == pytest.approx(
        {
            "user": "a",
            "jobs": 3,
            "node_hours": 19,
            "usage_nh": 19,
            "entitled_nh": 7
            + 3 * 8
            + 2 * 6,  # nine nodes requested at first, eight from hour 1 on, six from 4
            "dev_nh": 19 - 43,
            "max_wait_h": 4,
            "avg_wait_h": 5 / 3,
            "p99_wait_h": 4,
            "avg_bounded_slowdown": (1 + 4 / 3 + 3) / 3,
            "nodes_min": 1,
            "nodes_avg": 3,
            "nodes_median": 2,
            "nodes_max": 6,
            "runtime_min_h": 1,
            "runtime_avg_h": 2,
            "runtime_median_h": 2,
            "runtime_max_h": 3,
            "size_min_nh": 1,
            "size_avg_nh": 19 / 3,
            "size_median_nh": 6,
            "size_max_nh": 12,
        }
    )


def test_who_was_active_without_a_measured_job_is_there_too() -> None:
    rows = [
        ("gone", 0, 0, DAY, 1),
        ("left over", 0, 0, DAY + HOUR, 1),
        ("own", DAY, DAY, HOUR, 1),
        ("next", 2 * DAY, 2 * DAY, HOUR, 1),
    ]
    table = user_table(by_hand(rows, 4), np.array([False, False, True, False]), Period(DAY, 2 * DAY, "days"))
    assert table["user"].to_list() == ["left over", "own"]
    assert table["jobs"].to_list() == [0, 1]
    assert table["usage_nh"].to_list() == [1, 1]
    assert table["max_wait_h"].to_list() == [None, 0]
    assert table["node_hours"].to_list() == [0, 1]
    assert with_jobs(table)["user"].to_list() == ["own"]


def test_a_table_of_nobody_has_all_columns() -> None:
    table = user_table(by_hand([], 4))
    assert dict(table.schema) == USER_COLUMNS
    assert table.is_empty()


@given(schedules())
def test_agrees_with_the_summary(schedule: Schedule) -> None:
    table, summary = user_table(schedule), summarise(schedule)
    assert table["jobs"].sum() == summary.jobs
    assert (len(table), len(with_jobs(table))) == (summary.active_users, summary.users)
    assert table["max_wait_h"].max() == pytest.approx(summary.max_wait_h)
    mean = (table["avg_bounded_slowdown"] * table["jobs"]).sum() / summary.jobs
    assert mean == pytest.approx(summary.avg_bounded_slowdown)
    assert table["usage_nh"].sum() == pytest.approx(schedule.jobs.node_seconds.sum() / HOUR)
