"""How fast policies by user and several reservations are, beside the plain loop in the same run."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass, replace

import numpy as np
import pytest

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.simulate import simulate
from fsconsole.batch.traces.read import read_trace
from tests.batch.workloads import KTH_NODES, kth
from tests.benchmarks.measure import Benchmark

TIMES_PLAIN = 20
MOST_BYTES = 300  # a job
PLAIN_JOBS = 1_000  # the plain loop takes too long for all of them
RELSHARE = BatchPolicy("relshare")
BY_USER = [
    RELSHARE,
    BatchPolicy("relshare", expected_usage=False),
    BatchPolicy("relshare", form="difference", decay=0.5),
    BatchPolicy("relshare", carry_reservation=True),
    BatchPolicy("upper"),
    BatchPolicy("weighted"),
]
SEVERAL = [
    BatchPolicy("fcfs", reservations=2),
    BatchPolicy("relshare", reservations=2),
    BatchPolicy("lxf", reservations=2),
]


@dataclass(frozen=True)
class _Trace:
    jobs: JobTable
    nodes: int


@pytest.fixture(scope="module", params=["KTH-SP2", "HPC2N"])
def trace(request: pytest.FixtureRequest) -> _Trace:
    if request.param == "KTH-SP2":
        return _Trace(kth(), KTH_NODES)
    folder = request.config.rootpath.parent / "shared" / "traces"
    if not folder.is_dir():
        pytest.skip("HPC2N is not part of the project")
    imported = read_trace(folder / "HPC2N-2002-2.1-cln.swf.gz")
    assert imported.cluster_nodes is not None
    return _Trace(imported.jobs, imported.cluster_nodes)


def _measure(bench: Benchmark, trace: _Trace, policy: BatchPolicy, plain_jobs: int = PLAIN_JOBS) -> None:
    """Beside the plain loop, with the same schedule."""
    bench(simulate, trace.jobs, trace.nodes, policy)
    part = trace.jobs.rows(slice(plain_jobs))
    plain = simulate_plainly(part, trace.nodes, policy)
    np.testing.assert_array_equal(plain.start_s, simulate(part, trace.nodes, policy).start_s)
    plain_per_s = len(part) / plain.simulation_s
    assert len(trace.jobs) / min(bench.seconds) > TIMES_PLAIN * plain_per_s


@pytest.mark.parametrize("policy", BY_USER, ids=lambda policy: policy.label)
def test_policies_by_user(bench: Benchmark, trace: _Trace, policy: BatchPolicy) -> None:
    _measure(bench, trace, policy)


def test_thousands_waiting(bench: Benchmark, trace: _Trace) -> None:
    """The trace in two fifths of its time: the machine is overloaded, and most jobs wait."""
    crowded = _Trace(replace(trace.jobs, submit_s=trace.jobs.submit_s * 2 // 5), trace.nodes)
    mean = _mean_waiting(crowded.jobs, simulate(crowded.jobs, crowded.nodes, RELSHARE).start_s)
    assert mean > 1000
    _measure(bench, crowded, RELSHARE, 200)


def _mean_waiting(jobs: JobTable, start_s: np.ndarray) -> float:
    """How many jobs wait when one arrives, on average."""
    started = np.searchsorted(np.sort(start_s), jobs.submit_s, side="right")
    return float((np.arange(1, len(jobs) + 1) - started).mean())


@pytest.mark.parametrize("policy", SEVERAL, ids=lambda policy: policy.label)
def test_several_reservations(bench: Benchmark, trace: _Trace, policy: BatchPolicy) -> None:
    _measure(bench, trace, policy)


@pytest.mark.parametrize(
    "policy", [RELSHARE, BatchPolicy("lxf", reservations=2)], ids=lambda policy: policy.label
)
def test_memory(bench: Benchmark, trace: _Trace, policy: BatchPolicy) -> None:
    """All arrays of a simulation with its log, and the workload itself, at their most."""
    simulate(trace.jobs.rows(slice(100)), trace.nodes, policy, reservations=True)

    def measure() -> float:
        tracemalloc.start()
        try:
            jobs = trace.jobs.rows(np.arange(len(trace.jobs)))
            simulate(jobs, trace.nodes, policy, reservations=True)
            return tracemalloc.get_traced_memory()[1] / len(jobs)
        finally:
            tracemalloc.stop()

    bytes_a_job = measure()
    bench.megabytes(bytes_a_job / 1e6)
    assert bytes_a_job < MOST_BYTES
