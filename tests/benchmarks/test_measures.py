"""How fast schedules are measured: the entitled share of 200,000 jobs below 2 s."""

from __future__ import annotations

from dataclasses import replace

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
from tests.benchmarks.calibrators import SORT
from tests.benchmarks.measure import Benchmark

JOBS = 200_000
PLAIN_JOBS = 5_000  # of the same schedule; the plain measure takes too long for all of them


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


def test_entitled_share(bench: Benchmark, schedule: Schedule) -> None:
    """Over the whole schedule; of its first jobs beside the plain measure."""
    assert len(schedule.jobs) > JOBS
    edges_s = edges_of(schedule, None)
    _, entitled = bench(used_and_entitled, schedule, edges_s, of=SORT)
    part = replace(
        schedule, jobs=schedule.jobs.rows(slice(PLAIN_JOBS)), start_s=schedule.start_s[:PLAIN_JOBS]
    )
    plain = entitled_plainly(part, edges_of(part, None))
    assert used_and_entitled(part, edges_of(part, None))[1] == pytest.approx(plain, rel=1e-9)
    assert (entitled > 0).all()


def test_entitled_share_by_day(bench: Benchmark, schedule: Schedule) -> None:
    days = bench(user_days, schedule, day_edges(schedule), of=SORT)
    assert days["new"].sum() == len(schedule.jobs)


def test_summary_and_users(bench: Benchmark, schedule: Schedule) -> None:
    """What is measured of each cell of a study."""

    def measured() -> int:
        return summarise(schedule).users + len(user_table(schedule))

    assert bench(measured, of=SORT) == 2 * len(schedule.jobs.users)
