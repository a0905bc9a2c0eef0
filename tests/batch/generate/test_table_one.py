"""The figures of Table I, held against each other: a scan that was misread would not agree with itself."""

from __future__ import annotations

import pytest

from fsconsole.batch.generate.table_one import (
    CLUSTER_NODES,
    MONTHS,
    PrintedMonth,
    period_of_month,
    printed_month,
)
from fsconsole.batch.policy import HOUR_S

each_month = pytest.mark.parametrize("month", MONTHS, ids=[month.name for month in MONTHS])


@each_month
def test_jobs_by_users_are_the_average(month: PrintedMonth) -> None:
    assert month.jobs / month.users == pytest.approx(month.user_jobs.avg, abs=0.0501)


@each_month
def test_three_ways_to_the_node_hours_agree_within_their_rounding(month: PrintedMonth) -> None:
    machine_nh = CLUSTER_NODES * month.length_s / HOUR_S
    by_demand = ((month.demand - 0.005) * machine_nh, (month.demand + 0.005) * machine_nh)
    by_jobs = ((month.size_nh.avg - 0.05) * month.jobs, (month.size_nh.avg + 0.05) * month.jobs)
    by_users = ((month.user_nh.avg - 0.05) * month.users, (month.user_nh.avg + 0.05) * month.users)
    ways = (by_demand, by_jobs, by_users)
    assert max(least for least, _ in ways) <= min(most for _, most in ways)


@each_month
def test_the_largest_job_fits_the_machine_and_the_limit(month: PrintedMonth) -> None:
    assert month.size_nh.largest <= CLUSTER_NODES * month.runtime_h.largest
    assert month.user_nh.largest >= month.size_nh.largest
    assert month.runtime_h.largest == (12 if month.year_and_month <= (2003, 11) else 24)  # section III-A


def test_months_are_the_ten_from_june_2003_in_order() -> None:
    texts = [month.year_and_month for month in MONTHS]
    assert texts == [(2003, month) for month in range(6, 13)] + [(2004, month) for month in range(1, 4)]


def test_the_months_in_which_table_v_counts_other_users_say_so() -> None:
    assert [month.name for month in MONTHS if month.note] == ["8/03", "10/03"]


def test_a_month_begins_a_week_into_its_workload() -> None:
    february = period_of_month("2/04")
    assert (february.start_s, february.end_s - february.start_s) == (7 * 86400, 29 * 86400)


def test_an_unknown_month_is_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"no month '07/03'. Did you mean 7/03"):
        printed_month("07/03")
