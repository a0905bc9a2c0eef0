"""Months of a trace, and one of them simulated with what is around it."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.batch.job_table import JobTable, job_table
from fsconsole.batch.months import days_from, jobs_in, months_of, period_of, simulate_month
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.simulate import simulate
from fsconsole.batch.traces import read_trace
from fsconsole.resources import resource
from tests.texts import refuses, wording

DAY = 86400


@pytest.fixture(scope="module")
def kth() -> JobTable:
    return read_trace(resource("traces/KTH-SP2-1996-2.swf.gz")).jobs


def undated(*submit_s: int, runtime_s: int = 60, nodes: int = 1) -> JobTable:
    ones = np.ones(len(submit_s), dtype=np.int64)
    ids = np.arange(len(submit_s)) + 1
    return job_table(ids, np.array(submit_s), runtime_s * ones, nodes * ones, 0 * ones, ("a",))


def dated(start: int, zone: str, *submit_s: int) -> JobTable:
    ones = np.ones(len(submit_s), dtype=np.int64)
    ids = np.arange(len(submit_s)) + 1
    return job_table(
        ids, np.array(submit_s), ones, ones, 0 * ones, ("a",), unix_start_s=start, time_zone=zone
    )


def test_months_of_kth_are_those_of_stockholm(kth: JobTable) -> None:
    months = months_of(kth)
    assert [month.name for month in months] == [
        *("1996-09", "1996-10", "1996-11", "1996-12"),
        *(f"1997-0{month}" for month in range(1, 9)),
    ]
    assert [month.name for month in months if not month.is_whole] == ["1996-09", "1997-08"]
    # 1 October 1996 0:00 in summer time, 1 November in winter time; seconds since 1970 by `date -d`.
    assert (months[1].start_s + 843480031, months[1].end_s + 843480031) == (844120800, 846802800)
    assert sum(int(jobs_in(kth, month).sum()) for month in months) == len(kth)


def test_a_month_without_jobs_is_none() -> None:
    # Second 0 is 1 January 1970 1:00 on a machine at GMT+1.
    months = months_of(dated(3600, "", 0, 70 * DAY))
    assert [month.name for month in months] == ["1970-01", "1970-03"]


def test_a_zone_that_nobody_knows_counts_as_utc() -> None:
    assert months_of(dated(3600, "Middle/Earth", 0))[0].start_s == -3600


def test_a_trace_without_dates_has_spans_of_30_days() -> None:
    months = months_of(undated(5, 31 * DAY, 61 * DAY))
    assert [(month.start_s, month.end_s, month.name) for month in months] == [
        (0, 30 * DAY, wording("batch.days-to", edge="1", edge_2="30")),
        (30 * DAY, 60 * DAY, wording("batch.days-to", edge="31", edge_2="60")),
        (60 * DAY, 90 * DAY, wording("batch.days-to", edge="61", edge_2="90")),
    ]
    assert [month.is_whole for month in months] == [False, True, False]
    assert months_of(undated()) == ()


@pytest.mark.parametrize(
    ("start", "end", "name"),
    [
        ("1996-10", "1996-11", "1996-10"),
        ("1996-10-01", "1996-11-01", "1996-10"),
        ("1996-10-01T00:00", "1996-11-01 00:00:00", "1996-10"),
        ("640769", "3322769", "640769 to 3322769"),
    ],
)
def test_a_period_by_its_ends(kth: JobTable, start: str, end: str, name: str) -> None:
    period = period_of(kth, start, end)
    assert (period.start_s, period.end_s, period.name) == (640769, 3322769, name)


def test_a_time_that_clocks_jump_over_and_one_that_they_show_twice(kth: JobTable) -> None:
    # Clocks in Stockholm went from 2:00 to 3:00 on 30 March 1997, from 3:00 back to 2:00 on 27 October 1996.
    jumped, landed = (period_of(kth, f"1997-03-30T0{hour}:30", "1997-04") for hour in (2, 3))
    assert jumped.start_s == landed.start_s
    before, after = (period_of(kth, f"1996-10-27T0{hour}", "1996-12") for hour in ("1:59", "2:01"))
    assert after.start_s - before.start_s == 120


@pytest.mark.parametrize(("month", "odd_day", "hours"), [("1996-10", 27, 25), ("1997-03", 30, 23)])
def test_a_day_is_longer_or_shorter_where_clocks_are_changed(
    kth: JobTable, month: str, odd_day: int, hours: int
) -> None:
    period = next(one for one in months_of(kth) if one.name == month)
    days = [*days_from(kth, period.start_s, period.end_s), period.end_s]
    lengths = np.diff(days) // 3600
    assert len(lengths) == 31
    assert {day + 1: int(length) for day, length in enumerate(lengths) if length != 24} == {odd_day: hours}


def test_days_without_dates_are_of_24_hours() -> None:
    assert days_from(undated(0), 100, 100 + 2 * DAY) == [100, 100 + DAY]
    assert days_from(undated(0), 100, 101 + 2 * DAY) == [100, 100 + DAY, 100 + 2 * DAY]


def test_a_period_without_dates_is_in_seconds() -> None:
    jobs = undated(0, 5 * DAY)
    assert (period_of(jobs, "86400", "6d").start_s, period_of(jobs, "1d", "518400").end_s) == (DAY, 6 * DAY)
    with refuses(ValueError, "batch.is-not-second-of-trace", text="'1996-10-01'"):
        period_of(jobs, "1996-10-01", "1996-11-01")


@pytest.mark.parametrize(
    ("start", "end", "says"),
    [
        (
            "2003-07",
            "2003-08",
            "no job was submitted from 2003-07 to 2003-08 .exclusive.. The trace has arrivals from",
        ),
        ("1996-11", "1996-10", "the period from 1996-11 to 1996-10 ends before it begins"),
        ("1996-10", "1996-10", "ends before it begins"),
        ("October", "1996-11", "'October' is not a date. Write 1996-10-01"),
        ("1996-02-30", "1996-11", "'1996-02-30' is not a date"),
    ],
)
def test_a_period_that_is_none(kth: JobTable, start: str, end: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        period_of(kth, start, end)


def test_a_month_begins_with_an_empty_machine_a_week_before(kth: JobTable) -> None:
    month = months_of(kth)[3]
    run = simulate_month(kth, month, 100, BatchPolicy())
    taken = run.schedule.jobs
    assert taken.submit_s[0] >= month.start_s - 7 * DAY > taken.submit_s[0] - DAY
    measured = taken.rows(run.measured)
    assert measured.job_id.tolist() == kth.job_id[jobs_in(kth, month)].tolist()
    assert run.schedule.start_s[run.measured].max() <= taken.submit_s[-1]


def test_what_arrives_later_changes_nothing(kth: JobTable) -> None:
    month = months_of(kth)[5]
    run = simulate_month(kth, month, 100, BatchPolicy("relshare"))
    begin = int(np.searchsorted(kth.submit_s, month.start_s - 7 * DAY))
    whole = simulate(
        kth.rows(slice(begin, begin + len(run.schedule.jobs) + 2000)), 100, BatchPolicy("relshare")
    )
    starts = whole.start_s[: len(run.measured)]
    assert starts[run.measured].tolist() == run.schedule.start_s[run.measured].tolist()


def test_arrivals_go_on_until_all_of_the_month_have_started() -> None:
    """A job of the month waits 50 days behind others; one a day arrives for 100 days."""
    days = [0] * 55 + [DAY * day for day in range(1, 100)]
    jobs = undated(*days, runtime_s=DAY, nodes=10)
    run = simulate_month(jobs, period_of(jobs, "0", "1d"), 10, BatchPolicy())
    assert run.schedule.start_s[run.measured].max() == 54 * DAY
    assert run.schedule.jobs.submit_s[-1] >= 54 * DAY
    assert len(run.schedule.jobs) < len(jobs)


def test_the_trace_may_end_before() -> None:
    jobs = undated(0, 0, 5, runtime_s=100 * DAY, nodes=10)
    run = simulate_month(jobs, period_of(jobs, "0", "1d"), 10, BatchPolicy())
    assert run.schedule.start_s.tolist() == [0, 100 * DAY, 200 * DAY]
