"""How fast results are resampled: 1,000 bootstrap samples of the 88 cells of KTH's months within 10 s."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Any

import polars as pl
import pytest

from fsconsole.app.study.significance import significance_of
from fsconsole.app.study.user_tests import user_tests
from fsconsole.batch.significance.bootstrap import SAMPLES
from fsconsole.batch.study.bundled import bundled_studies
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.batch.study.run import run_study
from fsconsole.batch.study.spec import resampled
from fsconsole.batch.study.study_file import read_study
from tests.batch.study.small import HereExecutor

GOAL_S = 10.0
RESAMPLING_GOAL_S = 90.0
CORES = 2
DRAWS = 40


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> StudyFolder:
    folder = tmp_path_factory.mktemp("months")
    return run_study(read_study(bundled_studies()["kth-months"]), folder, HereExecutor())


def test_88_cells_are_resampled(benchmark: Any, months: StudyFolder) -> None:
    """Intervals, paired tests of all pairs and every measure."""
    summary = months.summary()
    assert (len(summary), SAMPLES) == (88, 1000)
    known = benchmark(significance_of, summary, months)
    assert known.units.count == 11
    assert benchmark.stats.stats.max < GOAL_S


def test_users_of_88_cells_are_resampled(benchmark: Any, months: StudyFolder) -> None:
    users: pl.DataFrame = months.users()
    found = benchmark(user_tests, users, months, "RelShare(1d)", "FCFS-backfill")
    assert not found.reason
    assert benchmark.stats.stats.max < GOAL_S


def test_users_of_the_trace_are_drawn_and_simulated(benchmark: Any, tmp_path: Path) -> None:
    """As many draws as an interval needs, all policies on each, in one process; processor time by core."""
    spec = resampled(read_study(bundled_studies()["kth-windows"]), DRAWS)

    def run() -> float:
        begun = process_time()
        run_study(spec, tmp_path, HereExecutor())
        return process_time() - begun

    took_s = benchmark.pedantic(run, rounds=1)
    assert took_s / CORES < RESAMPLING_GOAL_S
    assert len(StudyFolder(tmp_path).finished()) == DRAWS * 8
