"""Generated months have the figures of the paper's table."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from fsconsole.batch.generate import (
    MONTHS,
    achieved_table,
    generate_month,
    jobs_of_month,
    period_of_month,
    printed_month,
)
from fsconsole.batch.generate import month as month_module
from fsconsole.batch.generate.achieved import figures_of
from fsconsole.batch.job_table import JobTable
from fsconsole.batch.months import jobs_in
from tests.texts import Expected, naming, refuses, worded

NAMES = [month.name for month in MONTHS]
generated = cache(generate_month)


def of_the_month(name: str, jobs: JobTable) -> JobTable:
    return jobs.rows(jobs_in(jobs, period_of_month(name)))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_every_figure_rounds_to_the_printed_one(name: str, seed: int) -> None:
    figures = achieved_table(name, generated(name, seed))
    assert len(figures) == 18
    assert [figure for figure in figures if not figure.holds] == []


@pytest.mark.parametrize("name", ["6/03", "7/03", "3/04"])
def test_users_with_given_jobs_leave_the_figures_as_they_are(name: str) -> None:
    jobs = generated(name, 1, ("S1", "S2"))
    assert {"S1", "S2"} <= {jobs.users[user] for user in of_the_month(name, jobs).user.tolist()}
    assert all(figure.holds for figure in achieved_table(name, jobs))


@pytest.mark.parametrize("name", NAMES)
def test_no_job_is_larger_or_longer_than_the_machine_allows(name: str) -> None:
    jobs, month = of_the_month(name, generated(name, 1)), printed_month(name)
    assert jobs.nodes.min() >= 1
    assert jobs.nodes.max() <= 128
    assert jobs.runtime_s.min() >= 1
    assert jobs.runtime_s.max() <= month.limit_s
    assert len(np.unique(jobs.job_id)) == len(jobs)


def test_there_are_jobs_from_a_week_before_the_month_to_the_end_of_the_next_one() -> None:
    jobs, july = generated("7/03", 1), period_of_month("7/03")
    assert 0 <= jobs.submit_s[0] < 86400
    assert july.end_s + 30 * 86400 < jobs.submit_s[-1] < july.end_s + 31 * 86400
    assert (np.diff(jobs.submit_s) >= 0).all()
    assert jobs.unix_start_s == 1056412800  # 24 June 2003, 00:00 UTC


def test_what_comes_after_a_month_is_the_next_month() -> None:
    june, july = generated("6/03", 1), generated("7/03", 1)
    cool_down = june.rows(june.submit_s >= period_of_month("6/03").end_s)
    assert (cool_down.nodes == of_the_month("7/03", july).nodes).all()
    assert (cool_down.runtime_s == of_the_month("7/03", july).runtime_s).all()


def test_a_month_alone_is_the_month_of_the_workload() -> None:
    alone, part = jobs_of_month("3/04", 1), of_the_month("3/04", generated("3/04", 1))
    assert (alone.submit_s + 7 * 86400 == part.submit_s).all()
    assert (alone.nodes == part.nodes).all()
    assert (alone.runtime_s == part.runtime_s).all()
    assert [alone.users[user] for user in alone.user] == [part.users[user] for user in part.user]


def test_a_seed_gives_the_same_jobs_again_and_another_one_others() -> None:
    first, other = generated("1/04", 3), generated("1/04", 1)
    month_module._drawn.cache_clear()
    again = generate_month("1/04", 3)
    for column in ("job_id", "submit_s", "runtime_s", "nodes", "user"):
        assert (getattr(first, column) == getattr(again, column)).all()
    assert first.users == again.users
    assert first.runtime_s.sum() != other.runtime_s.sum()


def test_more_jobs_come_by_day_and_from_monday_to_friday() -> None:
    jobs = generated("10/03", 1)
    hour = jobs.submit_s // 3600 % 24
    assert ((hour >= 9) & (hour < 18)).mean() > 9 / 24
    weekday = ((jobs.unix_start_s or 0) + jobs.submit_s) // 86400 % 7  # 1970 began on a Thursday
    assert np.isin(weekday, [2, 3]).mean() < 2 / 7


def test_figures_tell_what_does_not_hold() -> None:
    month = printed_month("7/03")
    fewer = of_the_month("7/03", generated("7/03", 1)).rows(slice(0, 700))
    fields = {figure.quantity: figure for figure in figures_of(month, fewer)}
    assert not fields["Jobs"].holds
    assert fields["Jobs"].to_json() == {
        "quantity": "Jobs", "printed": 1400, "achieved": 700, "tolerance": 0, "holds": False,
    }  # fmt: skip
    with refuses(ValueError, "batch.generate.has-no-jobs"):
        figures_of(month, fewer.rows(slice(0, 0)))


@pytest.mark.parametrize(
    ("month", "seed", "plant", "message"),
    [
        ("5/03", 1, (), worded("batch.generate.table-i-has-no-month")),
        ("7/03", -1, (), worded("batch.generate.seed-is-it-must-be", seed="-1")),
        ("7/03", 1, ("S3",), worded("batch.generate.unknown-type-of-planted-user", kind_2="'S3'")),
        ("7/03", 1, ("S2",) * 30, naming("figures of 7/03 with planted users")),
    ],
)
def test_what_cannot_be_generated_is_reported(
    month: str, seed: int, plant: tuple[str, ...], message: Expected
) -> None:
    with refuses(ValueError, message):
        generate_month(month, seed, plant)
