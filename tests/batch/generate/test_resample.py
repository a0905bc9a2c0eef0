"""Resampled traces: whole users at their weekdays and times of day, as many, and the same for a seed."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.batch.generate.resample import WEEK_S, resample_users
from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import DAY_S
from tests.batch.workloads import kth, table_of


def test_each_user_has_all_jobs_of_one_of_the_trace_shifted_by_whole_weeks() -> None:
    jobs = kth()
    made, drawn = resample_users(jobs, 1)
    assert len(drawn) == len(made.users) == len(jobs.users) == len(set(made.users))
    counts = np.bincount(jobs.user)
    assert np.bincount(made.user).tolist() == counts[drawn].tolist()
    weeks = int(jobs.submit_s[-1] - jobs.submit_s[0]) // WEEK_S + 1
    assert jobs.submit_s[0] <= made.submit_s.min()
    assert made.submit_s.max() < jobs.submit_s[0] + weeks * WEEK_S
    for user in range(0, len(drawn), 20):
        own, origin = made.submit_s[made.user == user], jobs.submit_s[jobs.user == drawn[user]]
        own_in_week, its_in_week = ((times - jobs.submit_s[0]) % WEEK_S for times in (own, origin))
        assert sorted(own_in_week.tolist()) == sorted(its_in_week.tolist())
        assert made.users[user].split(".")[0] == jobs.users[drawn[user]]


def test_the_daily_rhythm_stays() -> None:
    jobs = kth()
    made, _ = resample_users(jobs, 3)

    def by_hour(table: JobTable) -> np.ndarray:
        hours = (table.submit_s - jobs.submit_s[0]) % DAY_S // 3600
        found: np.ndarray = np.bincount(hours, minlength=24) / len(table)
        return found

    assert np.corrcoef(by_hour(jobs), by_hour(made))[0, 1] > 0.9


def test_a_seed_gives_the_same_trace_and_another_one_another() -> None:
    jobs = kth()
    first, again, other = (resample_users(jobs, seed)[0] for seed in (7, 7, 8))
    assert first.submit_s.tolist() == again.submit_s.tolist()
    assert first.users == again.users
    assert first.users != other.users


def test_long_and_short_users_are_drawn_apart() -> None:
    # Users 0 and 1 are active for 13 weeks, 2 to 9 for a day.
    rows = [(week * WEEK_S, 10, 1, user) for user in (0, 1) for week in (0, 13)]
    rows += [(user * DAY_S, 20, 1, user) for user in range(2, 10)]
    jobs = table_of(rows, 10)
    for seed in range(20):
        _, drawn = resample_users(jobs, seed)
        assert (len(drawn), int((drawn < 2).sum())) == (10, 2)


def test_all_users_and_weeks_are_drawn_alike() -> None:
    jobs = table_of([(0, 10, 1, 0), (DAY_S, 10, 1, 1), (4 * WEEK_S - 1, 10, 1, 2), (5, 10, 1, 3)], 4)
    weeks, users = np.zeros(4), np.zeros(4)
    for seed in range(1000):
        made, drawn = resample_users(jobs, seed)
        weeks += np.bincount(made.submit_s // WEEK_S, minlength=4)
        users += np.bincount(drawn, minlength=4)
    assert weeks == pytest.approx(np.full(4, 1000.0), rel=0.1)
    assert users == pytest.approx(np.full(4, 1000.0), rel=0.1)


def test_a_trace_without_jobs_stays_so() -> None:
    empty = table_of([], 2)
    assert resample_users(empty, 1)[0] is empty
