"""Reading a trace of half a million jobs, beside a plain reader that goes line by line."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.traces import read_trace, write_swf
from fsconsole.resources import resource
from tests.benchmarks.calibrators import SORT
from tests.benchmarks.measure import Benchmark

JOBS = 500_000


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """KTH again and again until there are half a million jobs, with numbers and times that go on."""
    jobs = read_trace(resource("traces/KTH-SP2-1996-2.swf.gz")).jobs
    times = -(-JOBS // len(jobs))
    places = np.arange(times * len(jobs))[:JOBS]
    repeated, row = np.divmod(places, len(jobs))
    span_s = int(jobs.submit_s[-1]) + 60
    many = replace(jobs.rows(row), job_id=places + 1, submit_s=jobs.submit_s[row] + repeated * span_s)
    path = tmp_path_factory.mktemp("traces") / "many.swf"
    write_swf(many, path)
    return path


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
def test_half_a_million_jobs(bench: Benchmark, trace: Path, packed: bool) -> None:
    path = trace
    if packed:
        path = trace.with_suffix(".swf.gz")
        path.write_bytes(gzip.compress(trace.read_bytes(), 1))
    imported = bench(read_trace, path, of=SORT)
    assert (len(imported.jobs), imported.report.dropped) == (JOBS, ())
    if not packed:
        assert _line_by_line(trace) == _rows(imported.jobs)


def _line_by_line(path: Path) -> list[tuple[int, ...]]:
    """Jobs that can be simulated, as anybody would read them: no reports, no damaged lines."""
    rows: list[tuple[int, ...]] = []
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            if line.startswith(";") or not line.strip():
                continue
            field = [int(float(word)) for word in line.split()]
            nodes = field[4] if field[4] > 0 else field[7]
            if field[1] >= 0 and field[3] > 0 and 0 < nodes <= 100:
                rows.append((field[0], field[1], field[3], nodes, field[11]))
    rows.sort(key=lambda row: row[1])
    return rows


def _rows(jobs: JobTable) -> list[tuple[int, ...]]:
    owner = np.array([int(name) for name in jobs.users])[jobs.user]
    columns = (jobs.job_id, jobs.submit_s, jobs.runtime_s, jobs.nodes, owner)
    return list(zip(*(column.tolist() for column in columns), strict=True))
