"""How fast settings are searched on KTH's months, each of them distinct."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path

from fsconsole.batch.search.bundled import bundled_searches
from fsconsole.batch.search.run import run_search
from fsconsole.batch.search.search_file import read_search
from fsconsole.batch.study.executors import LocalExecutor
from tests.benchmarks.measure import Benchmark, all_processes

CORES = 1  # What two at once cost one another is not measured here.
SETTINGS = 200


def test_hundreds_of_settings(bench: Benchmark, tmp_path: Path) -> None:
    """All of it: reading the trace, starting processes, simulating, measuring, the front, held-out months."""
    path = bundled_searches()["kth-group-share"]
    spec = replace(read_search(path), budget=SETTINGS)

    folders = (tmp_path / str(number) for number in count())

    def run() -> None:
        with LocalExecutor(CORES) as executor:
            folder = run_search(spec, path.read_text("utf-8"), next(folders), executor)
        settings = folder.settings()
        assert len(settings) == SETTINGS
        keys = ["policy", "set:shares.project", "set:shares.others"]
        assert settings.select(keys).unique().height == SETTINGS
        assert folder.points() is not None

    bench(run, rounds=3, warm=False, clock=all_processes)
