"""Workloads for tests: the bundled trace, small random ones, and what must hold of every schedule."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from fsconsole.batch.job_table import JobTable, job_table
from fsconsole.batch.schedule import Schedule
from fsconsole.resources import resource

KTH_NODES = 100

# sha256 of the lines "job id, start" by job id, of the expected schedules of KTH that are published beside
# the rules: FCFS by another published simulator, the others by an exact, slow reference.
KTH_STARTS = {
    "fcfs-backfill": "5a98437fc0e7705b7a202d6bc1d8f3c76e2421b31c66cc3d46cbdd57af712c67",
    "lxf-backfill": "baeda24ff71244798a83e9e4d970eef5dc1aad13edf435fe81c987641502fa44",
    "relshare": "883aec3e0114ca98f677c3575498dfed25a2b6428c68488e427d018588940e2b",
    "relshare-no-expected": "6d9e09e6fbe5b0ae811b2c46568cfd9be4da78709475b8b51e2f19c6be86142b",
}


@cache
def kth() -> JobTable:
    """The bundled trace, by `trace_of`."""
    return trace_of(resource("traces/KTH-SP2-1996-2.swf.gz"), KTH_NODES)


def trace_of(path: Path, cluster_nodes: int) -> JobTable:
    """A trace by the input rule of the paper's study: runtimes above 0, sizes up to that of the machine."""
    with gzip.open(path, "rt") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith(";")]
    fields = np.array([[int(float(field)) for field in row] for row in rows])
    nodes = np.where(fields[:, 4] > 0, fields[:, 4], fields[:, 7])
    kept = (fields[:, 1] >= 0) & (fields[:, 3] > 0) & (nodes > 0) & (nodes <= cluster_nodes)
    fields, nodes = fields[kept], nodes[kept]
    names, user = np.unique(fields[:, 11], return_inverse=True)
    return job_table(
        fields[:, 0], fields[:, 1], fields[:, 3], nodes, user, tuple(map(str, names)), name=path.name
    )


def starts_digest(schedule: Schedule) -> str:
    """What `KTH_STARTS` holds, of a schedule."""
    order = np.argsort(schedule.jobs.job_id)
    pairs = zip(schedule.jobs.job_id[order].tolist(), schedule.start_s[order].tolist(), strict=True)
    return hashlib.sha256("".join(f"{job} {start}\n" for job, start in pairs).encode()).hexdigest()


def table_of(rows: list[tuple[int, int, int, int]], users: int = 1) -> JobTable:
    """Jobs 1, 2, ... of (submit, runtime, nodes, user)."""
    submit_s, runtime_s, nodes, user = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    names = tuple(f"u{at}" for at in range(users))
    return job_table(np.arange(1, len(rows) + 1), submit_s, runtime_s, nodes, user, names)


@st.composite
def workloads(draw: st.DrawFn, most: int = 40, users: int = 4) -> tuple[JobTable, int]:
    """Jobs that compete and tie: few nodes, short times, some of one second; and the machine's nodes."""
    nodes = draw(st.integers(1, 12))
    horizon = draw(st.sampled_from([1, 10, 60, 400]))
    longest = draw(st.sampled_from([1, 4, 30, 200]))
    job = st.tuples(
        st.integers(0, horizon), st.integers(1, longest), st.integers(1, nodes), st.integers(0, users - 1)
    )
    return table_of(draw(st.lists(job, max_size=most)), users), nodes


def random_workload(seed: int, jobs: int, nodes: int, load: float) -> JobTable:
    """Poisson arrivals at a load, sizes and runtimes over orders of magnitude."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(np.exp(rng.uniform(0, np.log(nodes), jobs)).astype(np.int64), nodes)
    runtimes = np.exp(rng.uniform(0, np.log(50_000), jobs)).astype(np.int64)
    span = float((sizes * runtimes).sum()) / nodes / load
    submits = np.sort(rng.uniform(0, span, jobs)).astype(np.int64)
    user = rng.integers(0, 7, jobs)
    return job_table(np.arange(jobs), submits, runtimes, sizes, user, tuple("abcdefg"))


def assert_same(made: Schedule, expected: Schedule) -> None:
    """Job for job, and reservation for reservation."""
    np.testing.assert_array_equal(made.start_s, expected.start_s)
    assert made.reservations is not None
    assert expected.reservations is not None
    for column in ("at_s", "rank", "job", "start_s"):
        np.testing.assert_array_equal(
            getattr(made.reservations, column), getattr(expected.reservations, column), column
        )


def assert_lawful(schedule: Schedule) -> None:
    """What holds for every policy with one reservation."""
    jobs = schedule.jobs
    # A job starts before its submit time.
    assert (schedule.start_s >= jobs.submit_s).all()
    at_s, busy = busy_nodes(schedule)
    # Processors are oversubscribed.
    assert busy.max(initial=0) <= schedule.cluster_nodes
    # Work is lost.
    assert (busy[:-1] * np.diff(at_s)).sum() == jobs.node_seconds.sum()
    assert_first_never_fits(schedule)
    assert_holders_not_delayed(schedule)


def busy_nodes(schedule: Schedule) -> tuple[np.ndarray, np.ndarray]:
    """The moments at which the number of nodes in use changes, and that number from each on."""
    nodes = schedule.jobs.nodes
    moments = np.concatenate([schedule.start_s, schedule.end_s])
    at_s, index = np.unique(moments, return_inverse=True)
    changes = np.zeros(len(at_s), dtype=np.int64)
    np.add.at(changes, index, np.concatenate([nodes, -nodes]))
    return at_s, np.cumsum(changes)


def assert_first_never_fits(schedule: Schedule) -> None:
    """While jobs wait, the machine is too full for one of them: the one that is first."""
    jobs = schedule.jobs
    at_s, busy = busy_nodes(schedule)
    for at, in_use in zip(at_s.tolist(), busy.tolist(), strict=True):
        waiting = (jobs.submit_s <= at) & (schedule.start_s > at)
        if waiting.any():
            largest = int(jobs.nodes[waiting].max())
            # All that wait fit, and none is started.
            assert largest > schedule.cluster_nodes - in_use


def assert_holders_not_delayed(schedule: Schedule) -> None:
    """With all that starts while a job holds the reservation, it still fits when it is planned to start."""
    jobs, log = schedule.jobs, schedule.reservations
    assert log is not None
    until_s = np.append(log.at_s[1:], np.iinfo(np.int64).max)[: len(log.at_s)]
    rows = zip(log.job.tolist(), log.start_s.tolist(), until_s.tolist(), strict=True)
    for job, planned, until in rows:
        if job >= 0:
            beside = (schedule.start_s < min(until, planned)) & (schedule.end_s > planned)
            in_use = int(jobs.nodes[beside].sum() + jobs.nodes[job])
            # What was backfilled delays who has the reservation.
            assert in_use <= schedule.cluster_nodes
