"""How fast schedules are looked into: lanes of 200,000 jobs in a second, why a job waits while one drags."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from fsconsole.batch.insight.lanes import Lanes, lanes_of
from fsconsole.batch.insight.losses import held_spans, losses_of
from fsconsole.batch.insight.why_waiting import why_waiting
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.simulate import simulate
from tests.batch.measures.schedules import kth_jobs
from tests.benchmarks.measure import Benchmark
from tests.benchmarks.test_measures import repeated

BYTES_A_JOB = 300
PLAIN_JOBS = 2_000  # of the same schedule


@pytest.fixture(scope="module")
def schedule() -> Schedule:
    """KTH-SP2 eight times, with reservations."""
    return simulate(repeated(kth_jobs(), 8), 100, BatchPolicy("relshare"), reservations=True)


def lanes_plainly(schedule: Schedule, jobs: int) -> list[list[int]]:
    """Lanes of the first jobs to start, place by place: the lowest gap wide enough, else what is free."""
    end_s, nodes = schedule.end_s.tolist(), schedule.jobs.nodes.tolist()
    free = [True] * schedule.cluster_nodes
    running: list[tuple[int, list[int]]] = []
    found: list[list[int]] = []
    for row in np.argsort(schedule.start_s, kind="stable").tolist()[:jobs]:
        start = int(schedule.start_s[row])
        for other, lanes in [item for item in running if end_s[item[0]] <= start]:
            running.remove((other, lanes))
            for lane in lanes:
                free[lane] = True
        own = _lowest(free, nodes[row])
        for lane in own:
            free[lane] = False
        running.append((row, own))
        found.append(own)
    return found


def _lowest(free: list[bool], nodes: int) -> list[int]:
    run: list[int] = []
    for lane, is_free in enumerate(free):
        run = [*run, lane] if is_free else []
        if len(run) == nodes:
            return run
    return [lane for lane, is_free in enumerate(free) if is_free][:nodes]


def test_lanes(bench: Benchmark, schedule: Schedule) -> None:
    """No more lanes than the plain way needs for the first jobs."""
    lanes: Lanes = bench(lanes_of, schedule)
    plain = lanes_plainly(schedule, PLAIN_JOBS)
    assert sum(map(len, plain)) <= int(lanes.wide.sum()) == int(schedule.jobs.nodes.sum())


def test_memory_of_lanes(bench: Benchmark, schedule: Schedule) -> None:
    """At most, while they are being chosen."""
    lanes_of(schedule)

    def bytes_a_job() -> float:
        tracemalloc.start()
        lanes_of(schedule)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most / len(schedule.jobs)

    most = bytes_a_job()
    bench.megabytes(most / 1e6)
    assert most < BYTES_A_JOB


def test_why_a_job_waits(bench: Benchmark, schedule: Schedule) -> None:
    """At moments all over the trace, under fair share with a window of a day."""
    random = np.random.default_rng(2)
    rows = random.choice(np.flatnonzero(schedule.wait_s > 600), 50, replace=False).tolist()
    moments = [
        (row, int(random.integers(schedule.jobs.submit_s[row], schedule.start_s[row]))) for row in rows
    ]

    def explain() -> int:
        return sum(why_waiting(schedule, row, at_s).agrees is True for row, at_s in moments)

    assert bench(explain) == len(moments)


def test_all_losses(bench: Benchmark, schedule: Schedule) -> None:
    """Of the first year; each is held against the pass as it would have been."""
    spans = held_spans(schedule)
    rows = range(len(kth_jobs()))
    losses = bench(losses_of, schedule, rows, spans, rounds=2)
    assert {loss.cause for loss in losses} == {"own easy jobs", "arrival", "new window", "order"}
