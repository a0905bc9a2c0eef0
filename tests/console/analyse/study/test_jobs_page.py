"""Two schedules job by job, as a person compares them: runs, the trace's own waits, files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from fsconsole.app.study.jobs_compared import (
    Compared,
    as_it_ran,
    compared,
    search_mask,
    shift_figure,
    trace_of,
)
from fsconsole.batch.insight.differences import compare_schedules
from fsconsole.batch.job_files import write_schedule
from fsconsole.batch.study.folder import StudyFolder
from fsconsole.batch.study.run import prepare
from fsconsole.batch.study.study_file import read_study
from fsconsole.console.analyse.study.jobs_page import AS_IT_RAN, FROM_FILE, ComparePage, signed_length
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.kit.frames import FrameModel
from fsconsole.resources import resource
from tests.batch.study.small import swf_text
from tests.console.conftest import Answers
from tests.texts import says, wording

_VERDICT, _SHIFT = 7, 6


@pytest.fixture
def page(qtbot: QtBot, kth_selection: StudySelection) -> ComparePage:
    """RelShare(1d) beside FCFS."""
    made = ComparePage(kth_selection)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    qtbot.waitUntil(lambda: made.found is not None)
    return made


@pytest.fixture(scope="module")
def found(kth_folder: StudyFolder) -> Compared:
    """FCFS and RelShare(1d)."""
    first, _, second = (kth_folder.month_run(cell).schedule for cell in kth_folder.cells())
    return compared(first, second)


def column(model: FrameModel, place: int) -> list[str]:
    return [str(model.index(row, place).data()) for row in range(model.rowCount())]


def test_the_page_counts_what_the_comparison_finds(page: ComparePage, kth_folder: StudyFolder) -> None:
    fcfs, _, relshare = (kth_folder.month_run(cell).schedule for cell in kth_folder.cells())
    totals = compare_schedules(relshare, fcfs).totals
    assert page.second.currentText() == "FCFS-backfill"
    assert page.model.rowCount() == 500
    assert says(page.totals.text(), "app.study.earlier-later", earlier=totals.earlier, later=totals.later)
    verdicts = column(page.model, _VERDICT)
    assert [verdicts.count(word) for word in ("earlier", "later", "same")] == [
        totals.earlier,
        totals.later,
        totals.same,
    ]


def test_differing_jobs_alone_and_what_is_looked_for(
    page: ComparePage, kth_selection: StudySelection
) -> None:
    assert page.found is not None
    totals = page.found.totals
    page.differing.setChecked(True)
    assert page.model.rowCount() == totals.earlier + totals.later
    QTest.keyClicks(page.filter, "later")
    assert set(column(page.model, _VERDICT)) == {"later"}
    page.filter.clear()
    page.differing.setChecked(False)
    user = str(page.found.frame["user"][0])
    QTest.keyClicks(page.filter, f"#{user}")
    assert set(column(page.model, 1)) == {f"#{user}"}


def test_a_click_on_a_header_sorts_and_a_row_selects_its_job(
    page: ComparePage, kth_selection: StudySelection
) -> None:
    assert page.found is not None
    page.view.sortByColumn(_SHIFT, Qt.SortOrder.DescendingOrder)
    shifts = page.found.frame["shift_s"]
    assert page.model.index(0, _SHIFT).data() == signed_length(shifts.max())  # type: ignore[arg-type]
    page.view.setCurrentIndex(page.model.index(0, 0))
    first = page.found.frame.sort("shift_s", descending=True, maintain_order=True)["job_id"][0]
    assert kth_selection.job == first
    page.view.sortByColumn(_SHIFT, Qt.SortOrder.AscendingOrder)
    assert page.model.value(page.view.currentIndex().row(), "job_id") == first


def test_a_job_selected_elsewhere_is_selected_here(page: ComparePage, kth_selection: StudySelection) -> None:
    job = int(page.model.value(321, "job_id"))
    kth_selection.select_job(job)
    assert page.view.currentIndex().row() == 321


def compare_with(page: ComparePage, choice: str) -> None:
    """Choose the second schedule, AS_IT_RAN or FROM_FILE, as the operator does."""
    place = page.second.findData(choice)
    page.second.setCurrentIndex(place)
    page.second.activated.emit(place)


def error_of(qtbot: QtBot, page: ComparePage) -> str:
    """What the page says that it could not do, as soon as it says so."""
    strip = page.body._error
    qtbot.waitUntil(strip.isVisible)
    return strip.text


def test_the_trace_as_it_ran(qtbot: QtBot, page: ComparePage) -> None:
    """write_swf leaves waits out unless told: the trace of this study does not know them."""
    compare_with(page, AS_IT_RAN)
    assert error_of(qtbot, page) == wording(
        "app.study.does-not-contain-waits-of",
        name=wording("console.analyse.study.cannot-compare-two", error="kth.swf"),
    )
    assert page.found is None


def test_the_bundled_trace_as_it_ran(kth_folder: StudyFolder) -> None:
    """Waits of the trace's own field 3, of the jobs of a run alone."""
    path = resource("traces/KTH-SP2-1996-2.swf.gz")
    schedule = kth_folder.month_run(kth_folder.cells()[0]).schedule
    own = as_it_ran(path, schedule)
    assert set(own.jobs.job_id.tolist()) <= set(schedule.jobs.job_id.tolist())
    with gzip.open(path, "rt") as file:
        fields = [line.split() for line in file if line.strip() and not line.startswith(";")]
    waits = {int(one[0]): int(one[2]) for one in fields}
    assert own.wait_s.tolist() == [waits[job] for job in own.jobs.job_id.tolist()]


def test_a_schedule_from_a_file(
    qtbot: QtBot, page: ComparePage, kth_folder: StudyFolder, tmp_path: Path
) -> None:
    answers = Answers()
    page.questions = answers
    lxf = kth_folder.month_run(kth_folder.cells()[1]).schedule
    answers.to_open = tmp_path / "other.csv.gz"
    write_schedule(lxf, answers.to_open, np.arange(500) < 400)
    before = page.found
    compare_with(page, FROM_FILE)
    qtbot.waitUntil(lambda: page.found is not None and page.found is not before)
    assert page.found is not None
    assert page.found.totals.only_first == 100
    assert says(page.totals.text(), "batch.of-workload-missing-from-file", missing="100 jobs")
    assert page.second.currentText() == "other.csv.gz"


def test_a_file_that_is_no_schedule_is_reported(qtbot: QtBot, page: ComparePage, tmp_path: Path) -> None:
    answers = Answers()
    page.questions = answers
    answers.to_open = tmp_path / "words.csv"
    answers.to_open.write_text("job_id,start\n1,soon\n")
    compare_with(page, FROM_FILE)
    error_of(qtbot, page)
    words = [label.text() for label in page.body.findChildren(QLabel)]
    assert any(
        says(text, "batch.is-it-must-be-whole", path="words.csv", row="2", name="start", texts="'soon'")
        for text in words
    )


def test_no_file_chosen_leaves_nothing_to_compare_with(page: ComparePage) -> None:
    page.questions = Answers()
    compare_with(page, FROM_FILE)
    assert page.second.currentIndex() == -1
    assert page.found is None


def test_another_run_is_compared_with_the_same(
    qtbot: QtBot, page: ComparePage, kth_selection: StudySelection
) -> None:
    state, before = kth_selection.state, page.found
    assert state is not None
    kth_selection.select_cell(state.cells[1])
    qtbot.waitUntil(lambda: page.found is not before and page.found is not None)
    assert page.found is not None
    assert (page.found.first, page.found.second) == ("LXF-backfill", "FCFS-backfill")


def test_enter_on_a_job_asks_for_the_machine(qtbot: QtBot, page: ComparePage) -> None:
    page.view.setCurrentIndex(page.model.index(3, 0))
    with qtbot.waitSignal(page.page_wanted) as wanted:
        QTest.keyClick(page.view, Qt.Key.Key_Return)
    assert wanted.args == ["machine"]


def test_the_classes_of_shifts_hold_each_job_that_moved_once(found: Compared) -> None:
    figure = shift_figure(found)
    counts = figure.curves[0].y
    assert counts.sum() == found.totals.earlier + found.totals.later
    kinds = figure.x_axis.kinds
    assert len(kinds) == len(counts)
    shift = found.frame["shift_s"].to_numpy()
    assert counts[kinds.index("+1 h")] == ((shift >= 3600) & (shift < 6 * 3600)).sum()
    assert counts[kinds.index("\N{MINUS SIGN}10 min")] == ((shift <= -600) & (shift > -3600)).sum()


def test_users_are_in_the_order_of_their_numbers(found: Compared) -> None:
    ordered = found.frame.sort("user_order")["user"].unique(maintain_order=True).to_list()
    assert ordered == sorted(ordered, key=int)


def test_a_job_is_found_by_the_beginning_of_its_number(found: Compared) -> None:
    mask = search_mask(found.frame, "49", differing_only=False)
    ids = found.frame.filter(mask)["job_id"].to_list()
    assert ids
    users = found.frame.filter(mask)["user"].to_list()
    assert all(str(job).startswith("49") or user == "49" for job, user in zip(ids, users, strict=True))


def test_the_trace_of_a_run_is_found_by_the_whole_name_of_its_workload(tmp_path: Path) -> None:
    for name, jobs in (("one", 12), ("two", 13)):
        (tmp_path / f"{name}.swf").write_text(swf_text(jobs))
    (tmp_path / "results").mkdir()
    (tmp_path / "s.yaml").write_text(
        "version: 1\nname: S\nworkloads:\n  - {trace: one.swf, name: KTH}\n"
        "  - {trace: two.swf, name: KTH late}\npolicies: [fcfs-backfill]\n"
    )
    folder = prepare(read_study(tmp_path / "s.yaml"), tmp_path / "results")
    found = [trace_of(folder, cell) for cell in folder.cells()]
    assert [path.name for path in found if path is not None] == ["one.swf", "two.swf"]
    (tmp_path / "one.swf").unlink()
    assert trace_of(folder, folder.cells()[0]) is None


def test_a_study_whose_file_is_damaged_is_reported(
    qtbot: QtBot, page: ComparePage, kth_folder: StudyFolder
) -> None:
    kept = (kth_folder.path / "study.yaml").read_bytes()
    try:
        (kth_folder.path / "study.yaml").write_text("version: 99\n: :")
        compare_with(page, AS_IT_RAN)
        error = error_of(qtbot, page)
    finally:
        (kth_folder.path / "study.yaml").write_bytes(kept)
    assert "study.yaml" in error


def test_a_file_that_is_chosen_again_is_read_again(
    qtbot: QtBot, page: ComparePage, answers: Answers, kth_folder: StudyFolder, tmp_path: Path
) -> None:
    page.questions = answers
    answers.to_open = path = tmp_path / "mine.csv"
    path.write_text("")
    compare_with(page, FROM_FILE)
    error_of(qtbot, page)
    write_schedule(kth_folder.month_run(kth_folder.cells()[0]).schedule, path)
    compare_with(page, FROM_FILE)
    qtbot.waitUntil(lambda: page.found is not None)
