"""How fast results are resampled: 1,000 bootstrap samples of the 88 cells of KTH's months."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

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
from tests.benchmarks.measure import Benchmark

DRAWS = 5


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> StudyFolder:
    folder = tmp_path_factory.mktemp("months")
    return run_study(read_study(bundled_studies()["kth-months"]), folder, HereExecutor())


def test_88_cells_are_resampled(bench: Benchmark, months: StudyFolder) -> None:
    """Intervals, paired tests of all pairs and every measure."""
    summary = months.summary()
    assert (len(summary), SAMPLES) == (88, 1000)
    known = bench(significance_of, summary, months)
    assert known.units is not None
    assert known.units.count == 11


def test_users_of_88_cells_are_resampled(bench: Benchmark, months: StudyFolder) -> None:
    users: pl.DataFrame = months.users()
    found = bench(user_tests, users, months, "RelShare(1d)", "FCFS-backfill")
    assert not found.reason


def test_users_of_the_trace_are_drawn_and_simulated(bench: Benchmark, tmp_path: Path) -> None:
    """All policies on each draw, in one process."""
    spec = resampled(read_study(bundled_studies()["kth-windows"]), DRAWS)
    afresh = partial(shutil.rmtree, tmp_path)
    bench(run_study, spec, tmp_path, HereExecutor(), setup=afresh, rounds=3, warm=False)
    assert len(StudyFolder(tmp_path).finished()) == DRAWS * 8
