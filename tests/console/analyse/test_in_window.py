"""Analyse inside the whole window: its keys do not get in the way of the other workspaces."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.console.analyse.workspace import AnalyseWorkspace
from fsconsole.console.command_search import find
from fsconsole.console.export_dialog import ExportDialog
from fsconsole.console.window import ConsoleWindow
from tests.texts import says, wording


def test_ctrl_4_runs_an_experiment_and_ctrl_e_exports_its_figure(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    analyse = window.current
    assert isinstance(analyse, AnalyseWorkspace)
    analyse.experiment_controller.select("junglas-6")
    analyse.experiment_controller.list.setFocus()
    with qtbot.waitSignal(analyse.experiment_controller.runner.idle):
        QTest.keyClick(analyse.experiment_controller.list, Qt.Key.Key_Return)
    QTest.keyClick(analyse.experiment_controller.list, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: analyse.findChild(ExportDialog) is not None)
    dialog = analyse.findChild(ExportDialog)
    assert dialog is not None
    assert dialog.windowTitle() == ("Export: " + "Plot 9" + ": " + wording("experiments.cpu-rate-over-10-s"))
    dialog.reject()
    assert says(window.frame.status.facts.text, "experiments.of-claims-hold", found="5", counted="5")


@pytest.mark.parametrize("action", ["analyse.compare", "analyse.compare_run"])
def test_comparing_is_shown_from_wherever_it_is_asked_for(
    qtbot: QtBot, window: ConsoleWindow, action: str
) -> None:
    analyse = window.workspace("analyse")
    assert isinstance(analyse, AnalyseWorkspace)
    window.show_workspace("observe")
    window.table.trigger(action)
    qtbot.waitUntil(lambda: window.current is analyse and analyse.is_comparing)
    assert analyse.compare_controller.is_running is (action == "analyse.compare_run")
    analyse.compare_controller.cancel()
    assert action in [found.action.id for found in find("compar", list(window.table))][:4]
