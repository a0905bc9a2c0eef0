"""How fast settings are searched: 10,000 distinct ones on KTH's months within 4 minutes on two cores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from fsconsole.batch.search.bundled import bundled_searches
from fsconsole.batch.search.run import run_search
from fsconsole.batch.search.search_file import read_search
from fsconsole.batch.study.executors import LocalExecutor

GOAL_S = 240.0
CORES = 2
SETTINGS = 10_000


def test_ten_thousand_settings(benchmark: Any, tmp_path: Path) -> None:
    """All of it: reading the trace, starting processes, simulating, measuring, the front, held-out months."""
    path = bundled_searches()["kth-group-share"]
    spec = replace(read_search(path), budget=SETTINGS)

    def run() -> None:
        with LocalExecutor(CORES) as executor:
            folder = run_search(spec, path.read_text("utf-8"), tmp_path / "out", executor)
        settings = folder.settings()
        assert len(settings) == SETTINGS
        keys = ["policy", "set:shares.project", "set:shares.others"]
        assert settings.select(keys).unique().height == SETTINGS
        assert folder.points() is not None

    benchmark.pedantic(run, rounds=1)
    assert benchmark.stats.stats.max < GOAL_S
