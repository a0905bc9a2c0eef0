"""Fair start times of a study: each cell once, what is stored stays, and nothing goes on once cancelled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fsconsole.batch.study.fair_starts import FairStartTask, compute_fair_starts, fair_start_of
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.batch.study.run import run_study
from fsconsole.batch.study.spec import StudyError
from fsconsole.batch.study.study_file import read_study
from tests.batch.study.small import HereExecutor, write_small


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    """Three runs that are done."""
    return run_study(read_study(write_small(tmp_path)), tmp_path / "out", HereExecutor())


def test_they_are_those_of_the_stored_runs(folder: StudyFolder) -> None:
    calls: list[tuple[int, int]] = []
    compute_fair_starts(folder, HereExecutor(), lambda *counts: calls.append(counts))
    assert calls == [(done, 3) for done in range(4)]
    made = [fair_start_of(folder.month_run(cell)) for cell in folder.cells()]
    assert folder.summary()["unfair_starts"].to_list() == [one.unfair for one in made]
    assert folder.summary()["fair_start_miss_h"].to_list() == [one.avg_miss_h for one in made]


def test_what_is_under_way_ends_when_it_is_cancelled_and_the_rest_is_computed_later(
    folder: StudyFolder,
) -> None:
    first, done = HereExecutor(), [0]

    def progress(count: int, _of: int) -> None:
        done.append(count)

    compute_fair_starts(folder, first, progress, cancelled=lambda: done[-1] == 1)
    assert not first.waiting
    assert folder.summary()["unfair_starts"].null_count() == 2
    second = HereExecutor()
    compute_fair_starts(folder, second)
    assert len(second.worked_out) == 2
    assert not folder.summary()["unfair_starts"].null_count()


def test_a_cell_that_cannot_be_computed_is_named(folder: StudyFolder) -> None:
    cell = folder.cells()[0]
    with pytest.raises(StudyError, match=re.escape(f"{cell.words}: it was told to fail")):
        compute_fair_starts(folder, HereExecutor(fails={cell.words}))
    jobs = folder.jobs_of(cell)
    answer = FairStartTask(cell, (1.0,)).compute(jobs)
    assert (answer.kind, answer.files) == ("failed", None)
    assert answer.text
