"""Tables I to VII: the paper's printed users come out as its tables have them; small months by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from fsconsole.batch.measures.benefit import benefit
from fsconsole.batch.measures.change_tables import benefiting_tables, suffering_tables
from fsconsole.batch.measures.policy_runs import (
    PolicyRun,
    family,
    labels,
    months,
    users_under,
    usual_pair,
)
from fsconsole.batch.measures.policy_tables import (
    benefit_table,
    shared_table,
    window_deviation_table,
    window_table,
)
from fsconsole.batch.measures.summary import summarise
from fsconsole.batch.measures.table_form import Table
from fsconsole.batch.measures.tables import notable_users, tables_of, worst_month
from fsconsole.batch.measures.users import user_table
from fsconsole.batch.measures.workload_table import MonthOfJobs, month_of_jobs, workload_table
from fsconsole.batch.months import MonthRun, Period
from fsconsole.batch.policy import BatchPolicy
from tests.batch.measures.printed import (
    DAY,
    DEVIATIONS,
    FARES,
    FCFS,
    HOUR,
    JOBS,
    LXF,
    RELSHARE,
    WINDOWS,
    run,
    tables_ii_and_iv,
    tables_vi_and_vii,
)
from tests.batch.measures.schedules import by_hand, kth_schedule
from tests.texts import refuses

PAIR = (FCFS.label, RELSHARE[DAY].label)
_ENDS = tuple(one.label for place, one in enumerate(RELSHARE.values()) if place in (0, len(RELSHARE) - 1))
SHOWN = (FCFS.label, LXF.label, RELSHARE[DAY].label)


def assert_is_whole(table: Table) -> None:
    """The columns are those of the frame, none twice, each with something to read over it."""
    assert [column.name for column in table.columns] == table.frame.columns
    assert len(set(table.frame.columns)) == len(table.columns)
    assert all(column.title or column.group for column in table.columns)


def test_table_ii_has_the_users_that_the_paper_has() -> None:
    fare, jobs = suffering_tables(
        tables_ii_and_iv(), *PAIR, types={("7/03", "8"): "S1", ("7/03", "71"): "S2"}
    )
    assert fare.frame["user"].to_list() == ["8", "24", "71", "49", "21"]  # the largest growth first
    for row, sizes in zip(fare.frame.iter_rows(named=True), jobs.frame.iter_rows(named=True), strict=True):
        for label, printed in zip(SHOWN, FARES[row["month"], row["user"]], strict=True):
            own = [
                row[f"{label} {name}"]
                for name in ("dev_nh", "max_wait_h", "avg_wait_h", "avg_bounded_slowdown")
            ]
            assert tuple(own) == printed
        assert tuple(sizes.values()) == (row["user"], row["month"], *JOBS[row["user"]])
    assert fare.frame["type"].to_list() == ["S1", None, "S2", None, None]
    assert_is_whole(fare)
    assert_is_whole(jobs)


def test_table_iv_has_the_users_that_the_paper_has_and_neither_small_nor_suffering_ones() -> None:
    runs = tables_ii_and_iv()
    small = {"max_wait_h": 90.0, "nodes_min": 1, "nodes_max": 16, "runtime_min_h": 0, "runtime_max_h": 2.0}
    uniform = small | {"nodes_min": 100, "nodes_max": 128, "runtime_min_h": 6.0, "runtime_max_h": 12.0}
    for label, wait_h in ((FCFS, 90.0), (LXF, 90.0), (RELSHARE[DAY], 1.0)):
        others = run(
            "9/03",
            label,
            {"small": small | {"max_wait_h": wait_h}, "uniform": uniform | {"max_wait_h": wait_h}},
        )
        runs.append(others)
    fare, jobs = benefiting_tables(runs, *PAIR)
    assert fare.frame["user"].to_list() == ["70", "166", "103", "113"]
    assert fare.frame["month"].to_list() == ["7/03", "11/03", "11/03", "8/03"]
    assert fare.frame[f"{LXF.label} max_wait_h"].to_list() == [60.0, 37.8, 32.4, 28.7]
    assert tuple(jobs.frame.row(0)) == ("70", "7/03", *JOBS["70"])
    assert "type" not in fare.frame.columns
    assert_is_whole(fare)


def test_table_iii_by_month() -> None:
    runs = [*tables_ii_and_iv(), run("only FCFS", FCFS, {"1": {"max_wait_h": 2}})]
    table = benefit_table(runs, *PAIR)
    assert table.frame["month"].to_list() == ["7/03", "8/03", "11/03"]
    july = table.frame.row(0, named=True)
    # Five of Table II suffer by more than 10 hours, #70 benefits by more; the one added waits the same.
    assert july == pytest.approx(
        {"month": "7/03", "users": 7, "benefit_considerably": 1 / 7, "suffer_considerably": 5 / 7}
        | {"benefit": 1 / 7, "suffer": 5 / 7, "neither": 1 / 7}
    )
    assert table.frame["benefit_considerably"][1] == 0  # 35.6 to 30.6 hours
    assert_is_whole(table)


def test_table_v_counts_who_was_active_under_any_policy() -> None:
    one = run("m", FCFS, {"a": {"dev_nh": -50.0}, "b": {"dev_nh": -50.5}, "c": {"dev_nh": 51.0}})
    other = run("m", LXF, {"a": {"dev_nh": 0.0}, "b": {"dev_nh": 50.0}, "d": {"dev_nh": 60.0, "jobs": 0}})
    next_month = run("n", FCFS, {"a": {"dev_nh": -60.0}})
    table = shared_table([one, other, next_month])
    assert table.frame.rows() == [("m", 4, 0.25, 0.0, 0.25, 0.25), ("n", 1, 1.0, None, 0.0, None)]
    assert [column.group for column in table.columns[2:]] == ["Under-shared"] * 2 + ["Over-shared"] * 2
    assert_is_whole(table)


def test_table_vi_has_the_marks_that_the_paper_printed() -> None:
    table = window_table(tables_vi_and_vii(), "7/03", list(WINDOWS), *PAIR)
    assert table.frame["policy"].to_list() == [
        FCFS.label,
        LXF.label,
        *(one.label for one in RELSHARE.values()),
    ]
    for user, printed in WINDOWS.items():
        marks = table.frame[f"User {user} mark"].to_list()
        waits = table.frame[f"User {user} max_wait_h"].to_list()
        assert tuple(f"{mark or ''}{wait}" for mark, wait in zip(marks, waits, strict=True)) == printed
    assert_is_whole(table)


def test_table_vii_has_a_column_for_each_policy() -> None:
    table = window_deviation_table(tables_vi_and_vii(), "7/03", ["24", "nobody", "71"])
    rows = {row[0]: row[1:] for row in table.frame.rows()}
    assert rows["24"] == DEVIATIONS["24"]
    assert rows["71"] == DEVIATIONS["71"]
    assert set(rows["nobody"]) == {None}
    assert_is_whole(table)


def test_windows_are_of_one_family_and_marked_among_themselves_only() -> None:
    runs = tables_vi_and_vii()
    plain = BatchPolicy("relshare", expected_usage=False)
    runs.append(run("7/03", plain, {"71": {"max_wait_h": 900.0}}))
    assert family(runs, PAIR[1]) == tuple(policy.label for policy in RELSHARE.values())
    assert family(runs, plain.label) == (plain.label,)
    marks = window_table(runs, "7/03", ["71"], *PAIR).frame["User 71 mark"].to_list()
    assert marks == [None, None, None, None, None, "#", "#", None]


def test_two_windows_are_enough_for_marks_and_one_is_not() -> None:
    """User 71 of Table VI under 4 h and 7 d alone: 127.2 and 451.1 h, of a mean of 289.15 h."""
    runs = [one for one in tables_vi_and_vii() if one.label in (FCFS.label, *_ENDS)]
    assert window_table(runs, "7/03", ["71"], *PAIR).frame["User 71 mark"].to_list() == [None, None, None]
    subject = (FCFS.label, _ENDS[1])
    marks = window_table(runs, "7/03", ["71"], *subject).frame["User 71 mark"].to_list()
    assert marks == [None, None, "#"]
    alone = [one for one in runs if one.label != _ENDS[0]]
    assert window_table(alone, "7/03", ["71"], *subject).frame["User 71 mark"].to_list() == [None, None]


def test_table_i_by_hand() -> None:
    rows = [
        ("a", 0, 0, HOUR, 1),
        ("a", 5, 5, 2 * HOUR, 2),
        ("a", 6, 6, 3 * HOUR, 9),
        ("b", 7, 7, 24 * HOUR, 1),
    ]
    rows += [("early", 8, 8, HOUR, 1)]
    schedule = by_hand(rows, 10)
    measured = np.array([True, True, True, True, False])
    month = month_of_jobs(MonthRun(schedule, measured, Period(0, 2 * DAY, "7/03")))
    table = workload_table([month])
    assert table.frame.row(0, named=True) == pytest.approx(
        {
            "month": "7/03",
            "demand": 56 / 480,
            "users": 2,
            "jobs": 4,
            "user_jobs_avg": 2,
            "user_jobs_median": 2,
            "user_jobs_max": 3,
            "size_avg_nh": 14,
            "size_median_nh": 14,
            "size_max_nh": 27,
            "user_avg_nh": 28,
            "user_median_nh": 28,
            "user_max_nh": 32,
            "nodes_avg": 3.25,
            "nodes_median": 1.5,
            "nodes_max": 9,
            "runtime_avg_h": 7.5,
            "runtime_median_h": 2.5,
            "runtime_max_h": 24,
        }
    )
    assert summarise(schedule, measured, Period(0, 2 * DAY, "7/03")).demand == table.frame["demand"][0]
    assert_is_whole(table)


def test_a_month_without_jobs() -> None:
    table = workload_table([MonthOfJobs("empty", by_hand([], 4).jobs, 4, DAY)])
    assert table.frame.row(0)[:4] == ("empty", 0.0, 0, 0)
    assert set(table.frame.row(0)[4:]) == {None}


def test_what_is_compared_where_nobody_says_it() -> None:
    runs = tables_vi_and_vii()
    assert usual_pair(runs) == PAIR
    assert usual_pair(list(reversed(runs))) == PAIR
    imported = PolicyRun("7/03", runs[0].users, None, "as it was")
    assert usual_pair([runs[3], imported]) == ("as it was", RELSHARE[12 * HOUR].label)
    assert usual_pair(runs[:2]) is None
    assert usual_pair([]) is None


def test_users_whom_tables_vi_and_vii_show() -> None:
    runs = tables_ii_and_iv()
    assert worst_month(runs, *PAIR) == "7/03"
    assert notable_users(runs, *PAIR, "7/03") == ("8", "24", "70")
    assert notable_users(runs, *PAIR, "11/03") == ("166",)


def test_all_tables_of_a_study() -> None:
    names = [table.name for table in tables_of(tables_ii_and_iv())]
    expected = ["II(a)", "II(b)", "III", "IV(a)", "IV(b)", "V", "VI", "VII"]
    assert names == [f"Table {name}" for name in expected]
    assert [table.name for table in tables_of(tables_ii_and_iv()[:2])] == ["Table V"]
    month = MonthOfJobs("m", by_hand([("a", 0, 0, 1, 1)], 1).jobs, 1, DAY)
    assert [table.name for table in tables_of([], [month])] == ["Table I"]


def test_a_policy_that_nothing_ran_under() -> None:
    runs = tables_vi_and_vii()[:2]
    with refuses(
        ValueError, "batch.measures.no-run-with-there-are", label="LRU", value="FCFS-backfill, LXF-backfill"
    ):
        users_under(runs, "LRU")
    assert labels(runs) == (FCFS.label, LXF.label)
    assert months(runs) == ("7/03",)


def test_kth_from_an_exact_reference(shared: Path) -> None:
    fcfs, relshare = (kth_schedule(shared, name) for name in ("kth-fcfs-backfill", "kth-relshare-1d"))
    before, after = user_table(fcfs), user_table(relshare)
    runs = [
        PolicyRun("all", before, None, fcfs.label),
        PolicyRun("all", after, RELSHARE[DAY], RELSHARE[DAY].label),
    ]
    fare, _ = suffering_tables(runs, "kth-fcfs-backfill", RELSHARE[DAY].label)
    growth = (
        fare.frame.get_column("RelShare(1d) max_wait_h") - fare.frame["kth-fcfs-backfill max_wait_h"]
    ).to_list()
    assert growth == sorted(growth, reverse=True)
    worse = better = 0
    for user in range(len(fcfs.jobs.users)):
        own = fcfs.jobs.user == user
        change = relshare.wait_s[own].max() - fcfs.wait_s[own].max()
        worse, better = worse + (change > 0), better + (change < 0)
    found = benefit(before, after)
    assert (found.suffer, found.benefit) == (worse, better)
    shared_users = shared_table(runs).frame.row(0, named=True)
    summary = summarise(fcfs)
    assert shared_users["kth-fcfs-backfill under_shared"] == summary.under_shared / 214
    reference = pl.read_csv(shared / "traces" / "expected" / "kth-relshare-1d-users.csv.gz")
    under = (reference["dev_nh"] < -50).sum()
    assert shared_users["RelShare(1d) under_shared"] == under / 214
