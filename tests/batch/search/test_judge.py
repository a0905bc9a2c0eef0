from __future__ import annotations

from math import ceil
from pathlib import Path

import numpy as np
import pytest

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.months import months_of, simulate_month
from fsconsole.batch.policy import DAY_S, HOUR_S, BatchPolicy
from fsconsole.batch.search.judge import Asked, Case, Judge, weights_of
from fsconsole.batch.traces.read import read_trace
from tests.batch.search.small_search import write_trace

A = (0, 1)  # numbers of the users of the group
POLICY = BatchPolicy("relshare", window_s=2 * DAY_S)


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> JobTable:
    return read_trace(write_trace(tmp_path_factory.mktemp("trace"))).jobs


def case_of(jobs: JobTable, *asked: Asked) -> Case:
    return Case(8, months_of(jobs)[:3], asked, BatchPolicy())


def by_hour(jobs: JobTable, begin_s: list[int], end_s: list[int], hours: range, users: set[int]) -> float:
    """Node-seconds that jobs have in hours of the trace, second spans clipped one by one."""
    total = 0.0
    for row in range(len(jobs)):
        if int(jobs.user[row]) in users:
            first, last = max(begin_s[row], hours.start * HOUR_S), min(end_s[row], hours.stop * HOUR_S)
            total += int(jobs.nodes[row]) * max(0, last - first)
    return total


def plain_share_miss(jobs: JobTable, target: float, days: int) -> list[float]:
    """The worst stretch of days of each month, by the definition."""
    found = []
    for period in months_of(jobs)[:3]:
        schedule = simulate_month(jobs, period, 8, POLICY).schedule
        start, end, submit = (
            column.tolist() for column in (schedule.start_s, schedule.end_s, schedule.jobs.submit_s)
        )
        worst = 0.0
        length = (period.end_s - period.start_s) // DAY_S
        for day in range(length - days + 1):
            first = period.start_s // HOUR_S + 24 * day
            hours = range(first, first + 24 * days)
            others = set(range(len(jobs.users))) - set(A)
            own = by_hour(schedule.jobs, start, end, hours, set(A))
            rest = by_hour(schedule.jobs, start, end, hours, others)
            own_waited = by_hour(schedule.jobs, submit, start, hours, set(A))
            rest_waited = by_hour(schedule.jobs, submit, start, hours, others)
            due = target * (own + rest)
            missed = max(min(due, own + own_waited) - own, min(own - due, rest_waited), 0.0)
            worst = max(worst, 100 * missed / max(own + rest, 1))
        found.append(worst)
    return found


def test_a_share_miss_is_the_worst_stretch_of_days(jobs: JobTable) -> None:
    verdict = Judge(case_of(jobs, Asked("share", A, 0.3, 7)), jobs).verdict(POLICY, None)
    assert verdict.monthly[0] == pytest.approx(plain_share_miss(jobs, 0.3, 7))
    assert verdict.values[0] == verdict.monthly[0].max()


def test_waits_are_those_of_the_jobs_of_the_months(jobs: JobTable) -> None:
    asked = [Asked(name, A) for name in ("avg_wait_h", "p95_wait_h", "p99_wait_h", "max_wait_h")]
    verdict = Judge(case_of(jobs, *asked), jobs).verdict(POLICY, None)
    waits = []
    for period in months_of(jobs)[:3]:
        run = simulate_month(jobs, period, 8, POLICY)
        own = run.measured & np.isin(run.schedule.jobs.user, A)
        waits.append(sorted((run.schedule.wait_s[own] / HOUR_S).tolist()))

    def plain(values: list[float]) -> list[float]:
        ranked = [values[ceil(len(values) * part) - 1] for part in (0.95, 0.99)]
        return [sum(values) / len(values), *ranked, values[-1]]

    together = sorted(value for month in waits for value in month)
    assert verdict.values.tolist() == pytest.approx(plain(together))
    for month in range(3):
        assert verdict.monthly[:, month].tolist() == pytest.approx(plain(waits[month]))


def test_means_over_all_months_are_monthly_means_by_their_weights(jobs: JobTable) -> None:
    case = case_of(jobs, Asked("avg_wait_h", A), Asked("avg_bounded_slowdown"), Asked("utilisation"))
    verdict, weights = Judge(case, jobs).verdict(POLICY, None), weights_of(case, jobs)
    assert verdict.values == pytest.approx((verdict.monthly * weights).sum(axis=1) / weights.sum(axis=1))


def test_growth_is_the_worst_ratio_of_a_user_with_enough_jobs(jobs: JobTable) -> None:
    case = case_of(jobs, Asked("wait_growth", fewest_jobs=3, floor_s=600))
    verdict = Judge(case, jobs).verdict(POLICY, None)

    def percentiles(policy: BatchPolicy) -> dict[int, int]:
        waits: dict[int, list[int]] = {}
        for period in case.periods:
            run = simulate_month(jobs, period, 8, policy)
            for user, wait in zip(
                run.schedule.jobs.user[run.measured].tolist(),
                run.schedule.wait_s[run.measured].tolist(),
                strict=True,
            ):
                waits.setdefault(user, []).append(wait)
        return {user: sorted(own)[ceil(len(own) * 0.95) - 1] for user, own in waits.items()}

    now, before = percentiles(POLICY), percentiles(BatchPolicy())
    assert verdict.values[0] == pytest.approx(
        max(max(now[user], 600) / max(before[user], 600) for user in now)
    )
    baseline = Judge(case, jobs).verdict(BatchPolicy(), None)
    assert baseline.values[0] == 1
    few = Judge(case_of(jobs, Asked("wait_growth", fewest_jobs=10_000)), jobs).verdict(POLICY, None)
    assert np.isnan(few.values).all()


def test_values_do_not_depend_on_how_far_the_simulation_goes_first(
    jobs: JobTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = case_of(jobs, Asked("max_wait_h"), Asked("share", A, 0.3), Asked("utilisation"))
    short = Judge(case, jobs).verdict(POLICY, None)
    monkeypatch.setattr("fsconsole.batch.search.judge.FIRST_COOL_DOWN_S", 60 * DAY_S)
    long = Judge(case, jobs).verdict(POLICY, None)
    assert (short.monthly == long.monthly).all()


def test_a_path_is_not_needed_for_groups_of_all_users(tmp_path: Path, jobs: JobTable) -> None:
    everyone = Judge(case_of(jobs, Asked("share", tuple(range(5)), 1.0)), jobs).verdict(POLICY, None)
    assert everyone.values.tolist() == [0.0]
