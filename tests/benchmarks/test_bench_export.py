"""How much memory it takes to export a month of a run: 500 users, a sample each minute."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from fsconsole.recording import run_format as form
from fsconsole.recording.chunk import Chunk
from fsconsole.recording.run import RunReader
from fsconsole.recording.sample_writer import write_chunk
from tests.benchmarks.measure import Benchmark

USERS, DAYS, SAMPLE_S = 500, 30, 60
GOAL_MB = {"csv": 400, "parquet": 700}  # Parquet: the table twice, read and written
_CHUNK_TIMES = 500
_CLI = "from fsconsole.cli.main import main; main()"
_MEASURED = (
    "import atexit, sys; atexit.register(lambda: sys.stderr.write(open('/proc/self/status').read())); " + _CLI
)


def month(folder: Path) -> Path:
    """Make a run folder of that size: a recorded moment, drawn out over a month by random walks."""
    scenario, run = folder / "month.yaml", folder / "month.run"
    groups = (
        f"    - {{name: g{group}, shares: 1, children: ["
        + ", ".join(f"{{name: g{group}u{user}, shares: {user + 1}}}" for user in range(20))
        + "]}\n"
        for group in range(USERS // 20)
    )
    scenario.write_text(f"version: 1\ntree:\n  name: root\n  children:\n{''.join(groups)}", "utf-8")
    simulate = ("simulate", str(scenario), "--until", "1s", "--sample", "1s", "--out", str(run))
    subprocess.run([sys.executable, "-c", _CLI, *simulate], check=True, capture_output=True)
    first = RunReader(run).samples()
    nodes = first.filter(pl.col("time_s") == first["time_s"][0])
    for file in (*run.glob("*.parquet"), run / form.INDEX):
        file.unlink()
    rng, times = np.random.default_rng(1), np.arange(0.0, DAYS * 86400 + 1, SAMPLE_S)
    for number, at in enumerate(range(0, len(times), _CHUNK_TIMES), 1):
        part = times[at : at + _CHUNK_TIMES]
        columns = {name: np.zeros((nodes.height, len(part))) for name in form.QUANTITIES}
        columns["charge"] = np.cumsum(rng.random((nodes.height, len(part))), axis=1)
        chunk = Chunk(part, part, nodes["node"].to_numpy(), columns)
        write_chunk(run, number, 0, chunk, nodes["path"].to_list())
    return run


def peak_mb(run: Path, out: Path) -> float:
    """The most memory that an export had in use."""
    words = ("export", str(run), "--plot", "charge", "--out", str(out), "--force")
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, *words], capture_output=True, text=True, check=True
    )
    # Not the rusage of the child, which begins with the memory of the process that began it.
    shown = next(line for line in done.stderr.splitlines() if line.startswith("VmHWM:"))
    return int(shown.split()[1]) / 1024


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return month(tmp_path_factory.mktemp("month"))


@pytest.mark.parametrize("form_", ["csv", "parquet"])
def test_memory_of_a_months_export(bench: Benchmark, run: Path, tmp_path: Path, form_: str) -> None:
    found = peak_mb(run, tmp_path / f"out.{form_}")
    bench.megabytes(found)
    assert found < GOAL_MB[form_]
