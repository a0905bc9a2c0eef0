"""A small study opened, run, paused, stopped and looked at; its runs are worked out in the study's thread."""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from fsconsole.batch.study.fair_starts import fair_start_of
from fsconsole.batch.study.spec import Cell
from fsconsole.batch.study.tables import FullerFileError, check_fuller
from fsconsole.batch.study.task import CellResult
from fsconsole.cli.main import run as run_command
from fsconsole.console.analyse.study import runner
from fsconsole.console.analyse.study.controller import StudyController
from fsconsole.console.analyse.study.figures_page import FiguresPage
from fsconsole.console.analyse.study.tables_page import TablesPage
from fsconsole.console.widgets.dock_states import EmptyNotice, ErrorStrip
from tests.batch.study.small import write_small
from tests.console.analyse.study.conftest import SlowExecutor
from tests.console.conftest import Answers
from tests.texts import says, wording


class SteadyClock:
    """The clock of a computer that has been up for so long."""

    def __init__(self, up_s: float) -> None:
        self._ahead_s = time.monotonic() - up_s

    def monotonic(self) -> float:
        return time.monotonic() - self._ahead_s


def open_study(qtbot: QtBot, study_controller: StudyController, path: Path) -> None:
    study_controller.open(path)
    qtbot.waitUntil(lambda: study_controller.study is not None)


def run_study(qtbot: QtBot, study_controller: StudyController) -> None:
    study_controller.run()
    qtbot.waitUntil(lambda: not study_controller.is_running)


def states(study_controller: StudyController) -> list[str]:
    state = study_controller.selection.state
    return [state.state(cell) for cell in state.cells] if state is not None else []


def test_a_study_is_opened_run_and_opened_again(
    qtbot: QtBot, study_controller: StudyController, small: Path
) -> None:
    open_study(qtbot, study_controller, small)
    assert states(study_controller) == ["waiting"] * 3
    assert not study_controller.exports.is_possible
    assert not study_controller.page.export.isEnabled()
    with qtbot.waitSignal(study_controller.selection.cell_selected):
        run_study(qtbot, study_controller)
    assert states(study_controller) == ["done"] * 3
    assert study_controller.is_complete
    assert study_controller.page.export.isEnabled()
    assert study_controller.words == wording(
        "console.analyse.study.of-done-results", count="3", cells="3 cells", failed="", name="small.results"
    )
    state = study_controller.selection.state
    assert state is not None
    assert state.summary["policy"].to_list() == ["FCFS-backfill", "RelShare(4h)", "RelShare(1d)"]
    open_study(qtbot, study_controller, small.with_name("small.results"))
    qtbot.waitUntil(lambda: study_controller.selection.state is not state)
    again = study_controller.selection.state
    assert again is not None
    assert again.summary.equals(state.summary)


def test_a_fuller_file_that_stays_is_named_as_the_command_names_it(
    qtbot: QtBot, study_controller: StudyController, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, strip = small.with_name("small.results"), study_controller.body.findChild(ErrorStrip)
    assert isinstance(strip, ErrorStrip)
    open_study(qtbot, study_controller, small)
    run_study(qtbot, study_controller)
    fuller = results / "results.csv"
    fuller.write_text("a\n" * 99)
    shutil.rmtree(next((results / "cells").iterdir()))
    study_controller.open(results, run=True)
    qtbot.waitUntil(lambda: bool(strip.text) and not study_controller.is_running)
    assert fuller.read_text() == "a\n" * 99
    with pytest.raises(FullerFileError) as told:
        check_fuller(fuller, 3)
    assert strip.text == str(told.value)
    assert run_command(["study", "run", str(small), "--out", str(results), "--workers", "1"]) == 0
    assert strip.text in capsys.readouterr().err


@pytest.mark.parametrize("page_id", ["figures", "tables", "users"])
def test_one_notice_alone_says_that_nothing_is_done_yet(
    qtbot: QtBot, study_controller: StudyController, small: Path, page_id: str
) -> None:
    open_study(qtbot, study_controller, small)
    page = study_controller.page
    study_controller.body.window().show()
    page.show_page(page_id)
    notices = [one for one in study_controller.body.findChildren(EmptyNotice) if one.isVisible()]
    assert [one.parent() for one in notices] == [page]


def test_rows_come_while_the_study_runs(
    qtbot: QtBot, study_controller: StudyController, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "REPORT_EVERY_S", 0.0)
    seen: list[int] = []
    open_study(qtbot, study_controller, small)
    study_controller.selection.results_changed.connect(
        lambda: seen.append(
            study_controller.selection.state.summary.height if study_controller.selection.state else -1
        )
    )
    run_study(qtbot, study_controller)
    assert seen == sorted(seen)
    assert {1, 2, 3} <= set(seen)


def test_a_run_that_fails_is_reported_and_the_others_go_on(
    qtbot: QtBot, study_controller: StudyController, small: Path, executor: SlowExecutor
) -> None:
    executor.fails = {"RelShare(4h) on small"}
    open_study(qtbot, study_controller, small)
    run_study(qtbot, study_controller)
    assert states(study_controller) == ["done", "failed", "done"]
    state = study_controller.selection.state
    assert state is not None
    (failure,) = state.failures.values()
    assert failure.split()[-1] == "fail"
    assert "1 failed" in study_controller.words
    executor.fails = set()
    run_study(qtbot, study_controller)
    assert states(study_controller) == ["done"] * 3
    answer = executor.worked_out.count("FCFS-backfill on small")
    # Nothing is computed twice.
    assert answer == 1


class GatedExecutor(SlowExecutor):
    """Waits at a gate before each answer."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Semaphore(0)
        self.passed = 0

    def room(self) -> int:
        return 1 - len(self.waiting)

    def answers(self, timeout_s: float) -> list[CellResult]:
        if not self.waiting or not self.gate.acquire(timeout=timeout_s):
            return []
        self.passed += 1
        return super().answers(timeout_s)


@pytest.fixture
def executor() -> SlowExecutor:
    """In place of the other one: open unless a test wants a gate."""
    return SlowExecutor()


@pytest.fixture
def gated(study_controller: StudyController) -> GatedExecutor:
    made = GatedExecutor()
    study_controller._make_executor = lambda: made
    return made


def test_paused_no_further_run_is_begun_and_then_it_goes_on(
    qtbot: QtBot, study_controller: StudyController, small: Path, gated: GatedExecutor
) -> None:
    open_study(qtbot, study_controller, small)
    study_controller.run()
    qtbot.waitUntil(lambda: len(gated.waiting) == 1)  # the first run is begun
    study_controller.toggle_pause()
    gated.gate.release()  # what has been begun goes on to its end
    qtbot.waitUntil(lambda: "done" in states(study_controller))
    gated.gate.release()
    qtbot.waitUntil(lambda: study_controller.progress.mode == "paused")
    assert states(study_controller) == ["done", "waiting", "waiting"]
    assert gated.passed == 1
    study_controller.toggle_pause()
    gated.gate.release(2)
    qtbot.waitUntil(lambda: not study_controller.is_running)
    assert states(study_controller) == ["done"] * 3


def test_another_study_waits_until_the_one_that_runs_is_stopped(
    qtbot: QtBot, study_controller: StudyController, small: Path, gated: GatedExecutor
) -> None:
    open_study(qtbot, study_controller, small)
    study_controller.run()
    with qtbot.waitSignal(study_controller._session.message) as signal:
        study_controller.open(small.with_name("other.yaml"), run=True)
    assert signal.args == [
        wording("console.analyse.study.is-running-stop-it-before", name="Small", name_2="other.yaml")
    ]
    assert study_controller.study is not None
    assert study_controller.study.state.name == "Small"
    gated.gate.release(3)
    qtbot.waitUntil(lambda: not study_controller.is_running)
    assert states(study_controller) == ["done"] * 3


def test_stop_asks_and_keeps_what_is_done(
    qtbot: QtBot, study_controller: StudyController, small: Path, gated: GatedExecutor
) -> None:
    open_study(qtbot, study_controller, small)
    study_controller.run()
    gated.gate.release()
    qtbot.waitUntil(lambda: "done" in states(study_controller))
    study_controller.ask_stop()
    box = study_controller.sweep.window().findChild(QMessageBox)
    assert box is not None
    assert box.text() == "Stop Small?"
    done, of, cells, *_ = box.informativeText().split()
    assert (done, of, cells) == ("1", "of", "3")
    stop = next(button for button in box.findChildren(QPushButton) if button.text() == "Stop study")
    assert box.defaultButton().text() == "Cancel"
    stop.click()
    qtbot.waitUntil(lambda: not study_controller.is_running)
    assert states(study_controller) == ["done", "waiting", "waiting"]
    assert not study_controller.is_complete


def test_a_question_that_has_become_idle_goes_away(
    qtbot: QtBot, study_controller: StudyController, small: Path, gated: GatedExecutor
) -> None:
    open_study(qtbot, study_controller, small)
    study_controller.run()
    qtbot.waitUntil(lambda: study_controller.progress.mode == "running")
    study_controller.ask_stop()
    gated.gate.release(3)
    qtbot.waitUntil(lambda: not study_controller.is_running)
    qtbot.waitUntil(lambda: study_controller.sweep.window().findChild(QMessageBox) is None)
    assert states(study_controller) == ["done"] * 3


def test_what_is_wrong_with_a_study_is_reported(
    qtbot: QtBot, study_controller: StudyController, tmp_path: Path
) -> None:
    answers = Answers()
    study_controller.questions = answers
    path = write_small(tmp_path, policies=("fcfs-backfil",))
    study_controller.open(path)
    qtbot.waitUntil(lambda: bool(answers.reported))
    heading, problems = answers.reported[0]
    assert heading == wording("console.analyse.study.cannot-open", name="small.yaml")
    assert problems[0].line == 6
    assert not study_controller.is_open


def test_a_study_whose_trace_is_gone_says_so(
    qtbot: QtBot, study_controller: StudyController, small: Path
) -> None:
    answers = Answers()
    study_controller.questions = answers
    small.with_name("small.swf").unlink()
    study_controller.open(small)
    qtbot.waitUntil(lambda: bool(answers.reported))
    assert "small.swf" in str(answers.reported[0][1][0])


def test_a_folder_that_is_in_the_way_is_reported_in_the_strip(
    qtbot: QtBot, study_controller: StudyController, small: Path
) -> None:
    open_study(qtbot, study_controller, small)
    results = small.with_name("small.results")
    results.mkdir()
    (results / "diary.txt").write_text("mine")
    run_study(qtbot, study_controller)
    assert says(
        study_controller.body._error.text, "batch.study.holds-something-other-than-choose", what="study"
    )
    assert (results / "diary.txt").read_text() == "mine"


def test_a_folder_removed_while_the_study_runs_is_reported_in_the_strip(
    qtbot: QtBot, study_controller: StudyController, small: Path, gated: GatedExecutor
) -> None:
    open_study(qtbot, study_controller, small)
    study_controller.run()
    gated.gate.release()
    qtbot.waitUntil(lambda: states(study_controller).count("done") == 1)
    shutil.rmtree(small.with_name("small.results"))
    qtbot.waitUntil(lambda: not study_controller.is_running)  # no cell has ended since
    words = study_controller.body._error.text
    assert says(words, "batch.study.was-removed-or-emptied-while", path="small.results")
    assert states(study_controller) == ["done", "waiting", "waiting"]
    gated.gate.release(3)
    study_controller.run()
    qtbot.waitUntil(lambda: states(study_controller) == ["done"] * 3)


@pytest.mark.usefixtures("no_workers")
@pytest.mark.parametrize("notices", ["users", "machine", "tables", "fair starts"])
def test_a_study_whose_results_were_removed_runs_again(
    qtbot: QtBot,
    study_controller: StudyController,
    small: Path,
    notices: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    page = study_controller.page
    page.resize(1000, 700)
    qtbot.addWidget(study_controller.sweep)
    open_study(qtbot, study_controller, small)
    run_study(qtbot, study_controller)
    assert study_controller.sweep.run.isHidden()
    shutil.rmtree(small.with_name("small.results"))
    if notices == "fair starts":
        study_controller.compute_fair_starts()
        qtbot.waitUntil(lambda: not page.fair_starts.is_busy)
        assert says(
            study_controller.body._error.text, "console.analyse.study.cannot-compute-fair-start-times"
        )
        assert page.fair_starts.strip.isHidden()
    else:
        page.show_page(notices)
    qtbot.waitUntil(lambda: states(study_controller) == ["waiting"] * 3)
    assert not study_controller.is_complete
    QTest.mouseClick(study_controller.sweep.run, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: states(study_controller) == ["done"] * 3)
    qtbot.waitUntil(lambda: not study_controller.is_running)
    assert not study_controller.body._error.isVisible()
    # A removed folder is not a fault.
    assert not [record for record in caplog.records if record.exc_info]


def test_a_run_that_cannot_be_read_any_more_is_computed_again(
    qtbot: QtBot, study_controller: StudyController, small: Path
) -> None:
    open_study(qtbot, study_controller, small)
    run_study(qtbot, study_controller)
    selection = study_controller.selection
    cell = selection.cell
    assert cell is not None
    (small.with_name("small.results") / "cells" / cell.key / "jobs.parquet").write_bytes(b"")
    with qtbot.waitSignal(selection.runs.missed):
        selection.runs.of(cell)
    qtbot.waitUntil(lambda: states(study_controller).count("waiting") == 1)
    run_study(qtbot, study_controller)
    assert states(study_controller) == ["done"] * 3


def test_a_finished_run_is_read_in_a_thread(
    qtbot: QtBot, study_controller: StudyController, small: Path
) -> None:
    open_study(qtbot, study_controller, small)
    run_study(qtbot, study_controller)
    selection = study_controller.selection
    cell = selection.cell
    assert cell is not None
    with qtbot.waitSignal(selection.runs.loaded) as loaded:
        assert selection.runs.of(cell) is None
    assert loaded.args == [cell]
    run = selection.runs.of(cell)
    assert run is not None
    assert len(run.schedule.jobs) == 40
    other = next(one for one in selection.state.cells if one != cell) if selection.state else cell
    (small.with_name("small.results") / "cells" / other.key / "jobs.parquet").write_bytes(b"")
    with qtbot.waitSignal(selection.runs.missed) as missed:
        selection.runs.of(other)
    assert isinstance(missed.args[0], Cell)
    assert "cannot be read" in missed.args[1]


def test_figures_by_day_are_worked_out_for_the_user_chosen(
    qtbot: QtBot, study_controller: StudyController, small: Path
) -> None:
    open_study(qtbot, study_controller, small)
    run_study(qtbot, study_controller)
    page = study_controller.page
    study_controller.body.window().show()
    page.show_page("figures")
    figures = page.page("figures")
    assert isinstance(figures, FiguresPage)
    assert [spec.name[:6] for spec in figures.specs] == ["fig-1a", "fig-1b", "fig-1c", "fig-1d"]
    labels = [curve.name for curve in figures.specs[0].curves]
    assert figures.key.accessibleName() == ", ".join(f"{label}: bar" for label in labels)
    assert figures.key.isVisible()
    figures.bar.setCurrentIndex(1)
    qtbot.waitUntil(lambda: len(figures.specs) == 2)
    assert [spec.title.split(": ") for spec in figures.specs] == [
        ["Fig. 2(a)", "RelShare(1d)"],
        ["Fig. 2(b)", "FCFS-backfill"],
    ]
    jobs = figures.specs[0].curves[1].y.sum()
    user = figures.user.currentData()
    # Each job is new once.
    assert jobs == sum(number % 3 == int(user) for number in range(1, 41))
    assert figures.key.accessibleName() == (
        wording("figures.waiting-from-before") + ": " + "bar, " + "submitted: " + "bar, " + "started: bar"
    )
    figures.bar.setCurrentIndex(2)
    # Lines have their names.
    assert not figures.key.isVisible()
    assert {curve.name for curve in figures.specs[0].curves} >= {"demand", "usage", "entitled share"}
    figures.user.setCurrentIndex(1)
    assert study_controller.selection.user == figures.user.currentData()
    assert f"#{study_controller.selection.user}" in figures.specs[0].caption
    figures.bar.setCurrentIndex(3)
    assert [spec.name[:6] for spec in figures.specs] == ["fig-4a", "fig-4c"]
    figures.bar.setCurrentIndex(4)
    qtbot.waitUntil(
        lambda: (
            [spec.name for spec in figures.specs] == ["wait-percentiles", "wait-distribution", "user-waits"]
        ),
    )
    state = study_controller.selection.state
    assert state is not None
    longest_h = state.summary["max_wait_h"].to_list()
    assert [curve.y[-1] for curve in figures.specs[0].curves] == longest_h
    assert figures.multiples.isVisible()
    # One has such an axis, the other is in per cent.
    assert not figures.log.isVisible()
    figures.multiples.click()
    assert [spec.title for spec in figures.specs[:6]] == 2 * list(state.numbers.policies)
    assert len(figures.views) == 7
    assert not figures.key.isVisible()
    figures.bar.setCurrentIndex(3)
    figures.log.click()
    assert all(spec.y_axis.is_log for spec in figures.specs)


def test_tables_are_made_copied_and_written(
    qtbot: QtBot, study_controller: StudyController, small: Path, tmp_path: Path
) -> None:
    open_study(qtbot, study_controller, small)
    run_study(qtbot, study_controller)
    page = study_controller.page
    study_controller.body.window().show()
    page.show_page("tables")
    tables = page.page("tables")
    assert isinstance(tables, TablesPage)
    qtbot.waitUntil(lambda: bool(tables.tables))
    names = [tables.bar.tabText(place) for place in range(tables.bar.count())]
    assert names[0] == "Table I"
    assert names[-1] == "Table VII"
    tables.copy_all()
    titles, *rows = QGuiApplication.clipboard().text().splitlines()
    month, demand, *counts = titles.split("\t")[:4]
    assert [month, *counts] == ["Month", "Users", "Jobs"]
    assert demand.split() == ["Proc.", "demand,", "%"]
    assert rows[0].split("\t")[2:4] == ["3", "40"]
    answers = Answers()
    study_controller.exports.questions = answers
    for name, form in (("table.csv", 0), ("table.parquet", 1)):
        answers.to_save = (tmp_path / name, form)
        study_controller.exports.write()
    assert [asked.split() for asked in answers.asked] == [["Export", "Table", "I"]] * 2
    frame = pl.read_csv(tmp_path / "table.csv")
    assert frame["jobs"].to_list() == pl.read_parquet(tmp_path / "table.parquet")["jobs"].to_list() == [40]


def test_damaged_results_wait_and_are_worked_out_again(
    qtbot: QtBot, study_controller: StudyController, small: Path
) -> None:
    open_study(qtbot, study_controller, small)
    run_study(qtbot, study_controller)
    cells = study_controller.selection.state.cells if study_controller.selection.state is not None else ()
    results = small.with_name("small.results")
    (results / "cells" / cells[1].key / "users.parquet").write_bytes(b"x")
    (results / "cells" / cells[2].key / "jobs.parquet").write_bytes(b"x")
    study_controller.close()
    open_study(qtbot, study_controller, small)
    assert states(study_controller) == ["done", "waiting", "waiting"]
    run_study(qtbot, study_controller)
    assert states(study_controller) == ["done"] * 3
    for path in (results / "workloads").iterdir():
        path.write_bytes(b"x")
    study_controller.close()
    open_study(qtbot, study_controller, small)
    # Nothing can be shown of a run whose jobs are lost.
    assert states(study_controller) == ["waiting"] * 3
    run_study(qtbot, study_controller)
    assert states(study_controller) == ["done"] * 3


@pytest.mark.parametrize("up_s", [0.0, 1e6])
def test_runs_that_end_faster_than_the_window_draws_are_reported_together(
    qtbot: QtBot, study_controller: StudyController, small: Path, monkeypatch: pytest.MonkeyPatch, up_s: float
) -> None:
    """However long the computer has been up, which is what its steady clock counts from."""
    monkeypatch.setattr(runner, "REPORT_EVERY_S", 3600.0)
    monkeypatch.setattr(runner, "time", SteadyClock(up_s))
    calls: list[None] = []
    open_study(qtbot, study_controller, small)
    study_controller.selection.results_changed.connect(lambda: calls.append(None))
    run_study(qtbot, study_controller)
    assert states(study_controller) == ["done"] * 3
    # At the beginning and at the end.
    assert len(calls) == 2


def test_a_study_closed_while_it_is_read_stays_closed(
    qtbot: QtBot, study_controller: StudyController, small: Path
) -> None:
    study_controller.open(small)
    (reading,) = study_controller._tasks._under_way
    study_controller.close()
    reading.wait(60)
    QCoreApplication.processEvents()
    assert study_controller.study is None
    assert not study_controller.is_open


def test_results_open_without_the_trace_and_with_a_damaged_plan(
    qtbot: QtBot, study_controller: StudyController, small: Path
) -> None:
    open_study(qtbot, study_controller, small)
    run_study(qtbot, study_controller)
    study_controller.close()
    trace = small.with_name("small.swf")
    trace.rename(small.with_name("away"))
    open_study(qtbot, study_controller, small)
    assert states(study_controller) == ["done"] * 3
    study_controller.close()
    small.with_name("away").rename(trace)
    (small.with_name("small.results") / "plan.json").write_text("{}")
    open_study(qtbot, study_controller, small)
    assert states(study_controller) == ["waiting"] * 3
    run_study(qtbot, study_controller)
    assert states(study_controller) == ["done"] * 3


@pytest.mark.usefixtures("no_workers")
def test_fair_start_times_are_computed_into_the_tables(
    qtbot: QtBot, study_controller: StudyController, small: Path
) -> None:
    open_study(qtbot, study_controller, small)
    can_compute = [study_controller.can_compute_fair_starts]
    run_study(qtbot, study_controller)
    can_compute.append(study_controller.can_compute_fair_starts)
    with qtbot.waitSignal(study_controller.page.fair_starts.computed):
        study_controller.compute_fair_starts()
        assert study_controller.page.fair_starts.is_busy
        can_compute.append(study_controller.can_compute_fair_starts)
    state = study_controller.selection.state
    assert state is not None
    assert state.folder is not None
    found = dict(zip(state.summary["policy"], state.summary["unfair_starts"], strict=True))
    for cell in state.cells:
        expected = fair_start_of(state.folder.month_run(cell))
        assert found[cell.policy.label] == pytest.approx(expected.unfair)
    can_compute.append(study_controller.can_compute_fair_starts)
    assert can_compute == [False, True, False, True]


def test_the_share_error_over_time_is_drawn_for_each_policy(
    qtbot: QtBot, study_controller: StudyController, small: Path
) -> None:
    open_study(qtbot, study_controller, small)
    run_study(qtbot, study_controller)
    study_controller.body.window().show()
    study_controller.page.show_page("figures")
    page = study_controller.page.page("figures")
    assert isinstance(page, FiguresPage)
    page.bar.setCurrentIndex(5)
    qtbot.waitUntil(lambda: len(page.specs) == 1)
    (figure,) = page.specs
    state = study_controller.selection.state
    assert state is not None
    assert [curve.name for curve in figure.curves] == state.summary["policy"].to_list()
    for curve, mean in zip(figure.curves, state.summary["share_error"], strict=True):
        known = curve.y[np.isfinite(curve.y)]
        assert 0 <= known.min() <= mean <= known.max() <= 1
        assert (np.diff(curve.x) == 86400).all()
