"""Studies inside the whole window: opened from anywhere, exported, making room, closed."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from fsconsole.console.analyse.central_tabs import COMPARE, EXPERIMENT, STUDY
from fsconsole.console.analyse.study.gantt_page import GanttPage
from fsconsole.console.analyse.study.new_study import NewStudyDialog
from fsconsole.console.analyse.workspace import AnalyseWorkspace
from fsconsole.console.export_dialog import ExportDialog
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace import LAYOUT_VERSION
from tests.batch.study.small import HereExecutor, write_small
from tests.console.conftest import Answers
from tests.texts import wording


def analyse_of(window: ConsoleWindow) -> AnalyseWorkspace:
    found = window.workspace("analyse")
    assert isinstance(found, AnalyseWorkspace)
    return found


def open_and_run(qtbot: QtBot, window: ConsoleWindow, path: Path) -> AnalyseWorkspace:
    window.files.open(path)
    analyse = analyse_of(window)
    analyse.study_controller._make_executor = HereExecutor
    qtbot.waitUntil(lambda: analyse.study_controller.study is not None)
    window.table.trigger("study.run")
    qtbot.waitUntil(lambda: analyse.study_controller.is_complete)
    qtbot.waitUntil(lambda: not analyse.study_controller.is_running)
    return analyse


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_small(tmp_path)


def test_a_study_opens_in_analyse_with_nothing_else_open(
    qtbot: QtBot, empty_window: ConsoleWindow, small: Path
) -> None:
    window = empty_window
    assert not window.stack.shows_workspaces()
    analyse = open_and_run(qtbot, window, small)
    assert window.current is analyse
    assert analyse.centre.shown == STUDY
    assert analyse.centre.bar.tabText(STUDY) == "Small"
    assert not analyse.sweep_dock.isHidden()
    assert analyse.status_text().split()[:5] == ["3", "of", "3", "cells", "done,"]
    assert [entry.path for entry in window.files.recent.entries()] == [small]
    assert window.table.trigger("study.close")
    assert not window.stack.shows_workspaces()
    assert analyse.sweep_dock.isHidden()
    assert analyse.centre.bar.isHidden()


def test_a_folder_of_results_opens_too(qtbot: QtBot, empty_window: ConsoleWindow, small: Path) -> None:
    window = empty_window
    open_and_run(qtbot, window, small)
    window.table.trigger("study.close")
    window.files.open(small.with_name("small.results"))
    study_controller = analyse_of(window).study_controller
    qtbot.waitUntil(lambda: study_controller.study is not None)
    assert study_controller.is_complete
    # All of it is done.
    assert not window.table.trigger("study.run")


def test_ctrl_e_exports_the_figure_shown(qtbot: QtBot, window: ConsoleWindow, small: Path) -> None:
    analyse = open_and_run(qtbot, window, small)
    study_controller = analyse.study_controller
    QTest.keyClick(study_controller.page, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: analyse.findChild(ExportDialog) is not None)
    dialog = analyse.findChild(ExportDialog)
    assert dialog is not None
    assert dialog.windowTitle() == wording(
        "figures.over-fair-share-window",
        title="Export: " + wording("console.analyse.study.average-bounded-slowdown"),
    )
    assert dialog.spec.provenance.scenario == "Small"
    policies = dialog.spec.provenance.settings["policies"]
    assert policies.split("; ") == ["FCFS-backfill", "RelShare(4h)", "RelShare(1d)"]
    dialog.reject()


def test_tabs_turn_to_experiment_and_comparison_and_back(
    qtbot: QtBot, window: ConsoleWindow, small: Path
) -> None:
    analyse = open_and_run(qtbot, window, small)
    analyse.experiment_controller.select("junglas-6")
    assert analyse.centre.shown == EXPERIMENT
    analyse.centre.turn(STUDY)
    window.table.trigger("analyse.compare")
    assert analyse.centre.shown == COMPARE
    assert analyse.is_comparing
    study_controller = analyse.study_controller
    cell = study_controller.sweep.cells.grid.cell(0, 0)
    study_controller.sweep.cells.opened.emit(cell)
    assert analyse.centre.shown == STUDY


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 800)])
def test_a_study_has_the_room_of_experiments_and_claims(
    qtbot: QtBot, window: ConsoleWindow, small: Path, size: tuple[int, int]
) -> None:
    window.resize(*size)
    analyse = open_and_run(qtbot, window, small)
    beside = (analyse.claims_dock, analyse.notes_dock, analyse.experiments_dock, analyse.compare_dock)
    assert all(dock.isHidden() for dock in (*beside, analyse.forecast_controller.dock))
    qtbot.waitUntil(lambda: analyse.centre.width() > 0.7 * window.width())
    analyse.centre.turn(EXPERIMENT)
    assert not any(dock.isHidden() for dock in beside)
    analyse.centre.turn(STUDY)
    assert all(dock.isHidden() for dock in beside)


def test_no_page_of_a_study_is_wider_than_a_small_window(
    qtbot: QtBot, window: ConsoleWindow, small: Path
) -> None:
    window.resize(900, 600)
    controller = open_and_run(qtbot, window, small).study_controller
    room = controller.body.width()
    for kind in controller.page.kinds:
        controller.page.show_page(kind.id)
        QCoreApplication.processEvents()
        assert controller.page.minimumSizeHint().width() <= room, kind.title
    machine = controller.page.page("machine")
    assert isinstance(machine, GanttPage)
    controller.page.show_page("machine")
    qtbot.waitUntil(machine.run.isVisible)
    assert not machine.colours.isVisible()
    more = next(one for one in machine.findChildren(QToolButton) if one.accessibleName() == "More")
    QTest.mouseClick(more, Qt.MouseButton.LeftButton)
    # What has no room is in the panel.
    assert machine.colours.isVisible()


def test_what_a_person_opens_beside_a_study_is_there_the_next_time(
    qtbot: QtBot, window: ConsoleWindow, small: Path
) -> None:
    analyse = open_and_run(qtbot, window, small)
    analyse.claims_dock.show()
    for expected in (False, True):
        analyse.centre.turn(EXPERIMENT)
        assert not analyse.notes_dock.isHidden()
        analyse.centre.turn(STUDY)
        assert analyse.claims_dock.isHidden() is expected
        assert analyse.notes_dock.isHidden()
        analyse.claims_dock.close()


def test_from_a_study_the_comparison_has_its_own_docks(
    qtbot: QtBot, window: ConsoleWindow, small: Path
) -> None:
    analyse = open_and_run(qtbot, window, small)
    for _ in range(2):
        window.table.trigger("analyse.compare")
        qtbot.waitUntil(
            lambda: analyse.compare_dock.isVisible() and not analyse.compare_dock.visibleRegion().isEmpty()
        )
        assert analyse.centre.shown == COMPARE
        analyse.centre.turn(STUDY)
        qtbot.waitUntil(analyse.compare_dock.isHidden)
        assert analyse.centre.shown == STUDY


def test_a_new_study_is_asked_for_from_anywhere(
    qtbot: QtBot, empty_window: ConsoleWindow, small: Path
) -> None:
    window = empty_window
    window.table.trigger("new_study")
    dialog = window.findChild(NewStudyDialog)
    assert dialog is not None
    analyse_of(window).study_controller._make_executor = HereExecutor
    dialog.made.emit(small)
    dialog.reject()
    study_controller = analyse_of(window).study_controller
    qtbot.waitUntil(lambda: study_controller.is_complete and not study_controller.is_running)
    assert window.stack.is_shown("analyse")


def test_open_study_asks_for_its_file(
    qtbot: QtBot, empty_window: ConsoleWindow, answers: Answers, small: Path
) -> None:
    answers.to_open = small
    empty_window.table.trigger("open_study")
    study_controller = analyse_of(empty_window).study_controller
    qtbot.waitUntil(lambda: study_controller.study is not None)
    assert answers.asked == ["Open study"]


def test_actions_say_why_they_are_off(window: ConsoleWindow) -> None:
    analyse_of(window)
    for action, reason in (("study.run", "Open a study first"), ("study.stop", "No study is running")):
        qaction = window.table.qaction(action)
        assert not qaction.isEnabled()
        assert reason in qaction.toolTip()


def test_the_sweep_shows_with_a_study_alone(qtbot: QtBot, window: ConsoleWindow, small: Path) -> None:
    analyse = analyse_of(window)
    window.show_workspace("analyse")
    assert analyse.sweep_dock.isHidden()
    window.table.trigger("reset_layout")
    assert analyse.sweep_dock.isHidden()
    open_and_run(qtbot, window, small)
    layout = analyse.saveState(LAYOUT_VERSION)
    window.table.trigger("study.close")
    analyse.restore_layout(layout)
    assert analyse.sweep_dock.isHidden()


def test_docks_that_make_room_are_kept_as_shown(qtbot: QtBot, window: ConsoleWindow, small: Path) -> None:
    analyse = open_and_run(qtbot, window, small)
    qtbot.waitUntil(analyse.claims_dock.isHidden)
    layout = analyse.saveState(LAYOUT_VERSION)
    # They still make room.
    assert analyse.claims_dock.isHidden()
    analyse.centre.turn(EXPERIMENT)
    analyse.restore_layout(layout)
    assert not analyse.claims_dock.isHidden()


def test_the_title_names_the_study_while_it_is_in_front(
    qtbot: QtBot, window: ConsoleWindow, small: Path
) -> None:
    before = window.windowTitle()
    analyse = open_and_run(qtbot, window, small)
    assert window.windowTitle().split(" ", 2) == ["Small", "-", before]
    analyse.centre.turn(EXPERIMENT)
    assert window.windowTitle() == before
    analyse.centre.turn(STUDY)
    window.show_workspace("design")
    assert window.windowTitle() == before


def test_a_study_is_exported_as_a_report(
    qtbot: QtBot, window: ConsoleWindow, small: Path, tmp_path: Path
) -> None:
    analyse = open_and_run(qtbot, window, small)
    answers = Answers()
    answers.to_save = (tmp_path / "study.pdf", 0)
    analyse.study_controller.exports.questions = answers
    messages: list[str] = []
    analyse.session.message.connect(messages.append)
    assert analyse.table.trigger("analyse.report")
    qtbot.waitUntil(lambda: any(words.startswith("study.pdf written") for words in messages))
    assert (tmp_path / "study.pdf").read_bytes().startswith(b"%PDF-")
    answers.to_save = (tmp_path / "nowhere" / "study.html", 1)
    analyse.table.trigger("analyse.report")
    qtbot.waitUntil(lambda: any(words.startswith("Cannot write study.html: ") for words in messages))
