"""How fast schedules are measured: the entitled share of 200,000 jobs below 2 s."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from fsconsole.batch.job_table import JobTable, job_table
from fsconsole.batch.measures.days import day_edges, user_days
from fsconsole.batch.measures.entitlement import edges_of, used_and_entitled
from fsconsole.batch.measures.summary import summarise
from fsconsole.batch.measures.users import user_table
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.simulate import simulate
from fsconsole.batch.traces.read import read_trace
from tests.batch.measures.schedules import entitled_plainly, kth_jobs

GOAL_S = 2.0
JOBS = 200_000
PLAIN_JOBS = 20_000  # of the same schedule; the plain measure takes too long for all of them


def repeated(jobs: JobTable, times: int) -> JobTable:
    """A trace again and again, one after another, with the same users."""
    length_s = int(jobs.submit_s[-1]) + 1
    rounds = np.repeat(np.arange(times), len(jobs))
    columns = [np.tile(column, times) for column in (jobs.submit_s, jobs.runtime_s, jobs.nodes, jobs.user)]
    submit_s, runtime_s, nodes, user = columns
    return job_table(np.arange(len(rounds)), submit_s + rounds * length_s, runtime_s, nodes, user, jobs.users)


@pytest.fixture(scope="module", params=["KTH-SP2, eight times", "HPC2N"])
def schedule(request: pytest.FixtureRequest) -> Schedule:
    if request.param == "HPC2N":
        folder = request.config.rootpath.parent / "shared" / "traces"
        if not folder.is_dir():
            pytest.skip("HPC2N is not part of the project")
        imported = read_trace(folder / "HPC2N-2002-2.1-cln.swf.gz")
        assert imported.cluster_nodes is not None
        return simulate(imported.jobs, imported.cluster_nodes, BatchPolicy("fcfs"))
    return simulate(repeated(kth_jobs(), 8), 100, BatchPolicy("fcfs"))


def test_entitled_share(benchmark: Any, schedule: Schedule) -> None:
    """Over the whole schedule; the plain measure of its first jobs in the same run is the baseline."""
    assert len(schedule.jobs) > JOBS
    edges_s = edges_of(schedule, None)
    _, entitled = benchmark.pedantic(used_and_entitled, (schedule, edges_s), rounds=7, warmup_rounds=1)
    begun = perf_counter()
    part = replace(
        schedule, jobs=schedule.jobs.rows(slice(PLAIN_JOBS)), start_s=schedule.start_s[:PLAIN_JOBS]
    )
    plain = entitled_plainly(part, edges_of(part, None))
    plain_s = (perf_counter() - begun) * len(schedule.jobs) / PLAIN_JOBS
    assert used_and_entitled(part, edges_of(part, None))[1] == pytest.approx(plain, rel=1e-9)
    assert (entitled > 0).all()
    if benchmark.stats is not None:
        median = benchmark.stats.stats.median
        benchmark.extra_info["plain_s"] = round(plain_s, 1)
        benchmark.extra_info["times"] = round(plain_s / median)
        assert median < GOAL_S


def test_entitled_share_by_day(benchmark: Any, schedule: Schedule) -> None:
    days = benchmark.pedantic(user_days, (schedule, day_edges(schedule)), rounds=5, warmup_rounds=1)
    assert days["new"].sum() == len(schedule.jobs)
    if benchmark.stats is not None:
        assert benchmark.stats.stats.median < GOAL_S


def test_summary_and_users(benchmark: Any, schedule: Schedule) -> None:
    """What is measured of each cell of a study."""

    def measured() -> int:
        return summarise(schedule).users + len(user_table(schedule))

    assert benchmark.pedantic(measured, rounds=5, warmup_rounds=1) == 2 * len(schedule.jobs.users)
    if benchmark.stats is not None:
        assert benchmark.stats.stats.median < GOAL_S
