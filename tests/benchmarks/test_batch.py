"""How fast and how small schedules are made: compiled loops beside the plain one, in the same run."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from fsconsole.batch.job_table import JobTable, job_table
from fsconsole.batch.policy import POLICIES, BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.simulate import simulate
from tests.batch.workloads import kth, trace_of
from tests.benchmarks.measure import Benchmark

_SHARED = Path(__file__).resolve().parents[3] / "shared" / "traces"
_PLAIN_JOBS = 1000


@cache
def hpc2n() -> JobTable:
    """HPC2N, 202,871 jobs of three and a half years, where it stands beside the checkout."""
    path = _SHARED / "HPC2N-2002-2.1-cln.swf.gz"
    if not path.is_file():
        pytest.skip("no ../shared beside this checkout: the trace is not part of the project")
    return trace_of(path, 240)


def crowded() -> JobTable:
    """KTH five times, one after the other, in less than half the time, so that thousands wait."""
    jobs, times = kth(), 5
    span_s = int(jobs.submit_s[-1]) + 1
    submit_s = np.concatenate([jobs.submit_s + at * span_s for at in range(times)]) * 9 // 20
    return job_table(
        np.arange(len(submit_s)),
        submit_s,
        np.tile(jobs.runtime_s, times),
        np.tile(jobs.nodes, times),
        np.tile(jobs.user, times),
        jobs.users,
    )


WORKLOADS: dict[str, tuple[Callable[[], JobTable], int]] = {
    "kth": (kth, 100),
    "hpc2n": (hpc2n, 240),
    "crowded": (crowded, 100),
}
RUNS = (
    *(("fcfs-backfill", name) for name in WORKLOADS),
    *(("sjf-backfill", name) for name in ("kth", "crowded")),
    *(("conservative-backfill", name) for name in ("kth", "crowded")),
    *(("slurm-multifactor", name) for name in ("kth", "crowded")),
    *(("lxf-backfill", name) for name in WORKLOADS),
    *(("relshare", name) for name in WORKLOADS),
)


@pytest.mark.parametrize(("name", "workload"), RUNS)
def test_jobs_a_second(bench: Benchmark, name: str, workload: str) -> None:
    _measure(bench, POLICIES[name], workload)


@pytest.mark.parametrize("reservations", [2, 4])
def test_lxf_with_several_reservations_and_thousands_waiting(bench: Benchmark, reservations: int) -> None:
    _measure(bench, BatchPolicy("lxf", reservations=reservations), "crowded")


def _measure(bench: Benchmark, policy: BatchPolicy, workload: str) -> None:
    """Goal: the first jobs take less than a twentieth of the time that the plain loop takes for them."""
    make, nodes = WORKLOADS[workload]
    jobs = make()
    bench(simulate, jobs, nodes, policy)
    few = jobs.rows(slice(_PLAIN_JOBS))
    plain_s = _spent_s(lambda: simulate_plainly(few, nodes, policy))
    assert plain_s > 20 * min(_spent_s(lambda: simulate(few, nodes, policy)) for _ in range(5))


def _spent_s(run: Callable[[], object]) -> float:
    begun = process_time()
    run()
    return process_time() - begun


@pytest.mark.parametrize(
    "name", ["fcfs-backfill", "lxf-backfill", "relshare", "slurm-multifactor", "conservative-backfill"]
)
def test_memory_of_a_job(bench: Benchmark, name: str) -> None:
    """All arrays of a simulation with its log, and the workload itself, at their most: below 300 bytes."""
    source = crowded()

    def measure() -> float:
        tracemalloc.start()
        try:
            jobs = source.rows(np.arange(len(source)))
            made = simulate(jobs, 100, POLICIES[name], reservations=True)
            assert made.reservations is not None
            return tracemalloc.get_traced_memory()[1] / len(jobs)
        finally:
            tracemalloc.stop()

    simulate(source.rows(slice(100)), 100, POLICIES[name], reservations=True)
    bytes_a_job = measure()
    bench.megabytes(bytes_a_job / 1e6)
    assert bytes_a_job < 300


_COMPILE = """
import time
import numba
import numpy as np
from fsconsole.batch.job_table import job_table
from fsconsole.batch.policy import POLICIES
from fsconsole.batch.simulate import simulate
none = np.zeros(0, dtype=np.int64)
jobs = job_table(none, none, none, none, none, ())
began = time.process_time()
simulate(jobs, 4, POLICIES["{name}"], reservations=True)
print(time.process_time() - began)
"""


@pytest.mark.parametrize("name", ["fcfs-backfill", "lxf-backfill", "relshare", "slurm-multifactor"])
def test_compiling(bench: Benchmark, name: str, tmp_path: Path) -> None:
    """Cold, then from the cache, which takes less than a quarter."""

    def seconds() -> float:
        program = _COMPILE.format(name=name)
        ran = subprocess.run(
            [sys.executable, "-c", program],
            env={"NUMBA_CACHE_DIR": str(tmp_path), "PATH": ""},
            cwd=Path(__file__).resolve().parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
        return float(ran.stdout)

    cold = bench.seconds_of(seconds, name="cold")
    kept = bench.seconds_of(seconds, rounds=3, name="from_cache")
    assert kept < cold / 4
