"""The forecast in the window: a dock, in a low window a page; shown from anywhere, exported by Ctrl+E."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QTabBar
from pytestqt.qtbot import QtBot

from fsconsole.console.analyse.central_tabs import EXPERIMENT, FORECAST
from fsconsole.console.analyse.forecast.panel import MACHINE, ONE
from fsconsole.console.analyse.workspace import AnalyseWorkspace
from fsconsole.console.command_search import find
from fsconsole.console.export_dialog import ExportDialog
from fsconsole.console.preferences import Preferences
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from tests.console.analyse.forecast.conftest import CAPTURES
from tests.console.conftest import Answers
from tests.texts import wording

HIGH, LOW = (1600, 1000), (1280, 800)


@pytest.fixture
def windows(
    qtbot: QtBot, session: ConsoleSession, tmp_path: Path, answers: Answers
) -> Iterator[list[ConsoleWindow]]:
    """Windows that a test makes, with preferences of their own; closed at its end."""
    session.preferences = Preferences(tmp_path)
    made: list[ConsoleWindow] = []
    yield made
    answers.answer = "discard"
    for window in made:
        window.close()
        window.deleteLater()


def shown(
    qtbot: QtBot,
    session: ConsoleSession,
    windows: list[ConsoleWindow],
    answers: Answers,
    size: tuple[int, int],
) -> AnalyseWorkspace:
    """Analyse in another window."""
    window = ConsoleWindow(session, answers)
    windows.append(window)
    window.show_workspace("analyse")
    window.resize(*size)
    with qtbot.waitActive(window):
        window.show()
    analyse = window.workspace("analyse")
    assert isinstance(analyse, AnalyseWorkspace)
    qtbot.waitUntil(analyse.isVisible)
    return analyse


def has_tab(analyse: AnalyseWorkspace) -> bool:
    bar: QTabBar = analyse.centre.bar
    return bar.isVisible() and bar.isTabVisible(FORECAST)


@pytest.fixture
def high(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow], answers: Answers
) -> AnalyseWorkspace:
    return shown(qtbot, session, windows, answers, HIGH)


@pytest.fixture
def low(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow], answers: Answers
) -> AnalyseWorkspace:
    return shown(qtbot, session, windows, answers, LOW)


def test_it_rests_until_it_is_wanted_then_is_a_dock_as_wide_as_the_middle(
    qtbot: QtBot, high: AnalyseWorkspace
) -> None:
    dock = high.forecast_controller.dock
    assert dock.isHidden()
    # Nobody has looked yet.
    assert not high.forecast_controller.lazy_panel.is_made
    high.show_forecast()
    qtbot.waitUntil(lambda: high.forecast_controller.lazy_panel.is_made)
    qtbot.waitUntil(lambda: dock.height() > 300)
    assert dock.geometry().left() == high.centre.geometry().left()
    assert dock.width() == high.centre.width()
    assert not has_tab(high)
    qtbot.waitUntil(high.forecast_controller.panel.head.isVisible)
    assert dock.isAncestorOf(high.forecast_controller.panel.head)


def test_in_a_low_window_it_is_a_page_with_room_and_in_a_higher_one_a_dock_again(
    qtbot: QtBot, low: AnalyseWorkspace, windows: list[ConsoleWindow]
) -> None:
    assert low.forecast_controller.dock.isHidden()
    assert not has_tab(low)
    low.show_forecast()
    assert has_tab(low)
    assert low.centre.shown == FORECAST
    qtbot.waitUntil(lambda: low.forecast_controller.lazy_panel.is_made)
    panel = low.forecast_controller.panel
    qtbot.waitUntil(panel.isVisible)
    # The claims make room.
    assert low.claims_dock.isHidden()
    assert windows[0].width() == 1280
    panel.one.form.damping.setValue(2.0)
    windows[0].resize(*HIGH)
    qtbot.waitUntil(low.forecast_controller.dock.isVisible)
    assert low.forecast_controller.dock.isAncestorOf(panel)
    assert low.centre.shown == EXPERIMENT
    assert not has_tab(low)
    assert not low.claims_dock.isHidden()
    assert panel.one.form.damping.value() == 2.0
    windows[0].resize(*LOW)
    qtbot.waitUntil(lambda: has_tab(low))
    assert not low.forecast_controller.dock.isAncestorOf(panel)


def test_the_action_shows_the_open_machine_from_another_workspace_with_the_focus_in_its_field(
    qtbot: QtBot, high: AnalyseWorkspace, windows: list[ConsoleWindow]
) -> None:
    window = windows[0]
    high.forecast_controller.dock.close()
    window.show_workspace("observe")
    assert window.table.trigger("forecast.show")
    qtbot.waitUntil(lambda: window.current is high and high.forecast_controller.dock.isVisible())
    panel = high.forecast_controller.panel
    assert panel.mode.value == MACHINE
    qtbot.waitUntil(panel.machine.form.node.hasFocus)
    assert "forecast.show" in high.tool_bar_ids()
    assert "forecast.show" in [found.action.id for found in find("fairshare", list(window.table))]


def test_in_a_low_window_the_action_opens_the_page_that_was_closed(
    qtbot: QtBot, high: AnalyseWorkspace, windows: list[ConsoleWindow]
) -> None:
    high.forecast_controller.dock.close()
    windows[0].resize(*LOW)
    qtbot.waitUntil(lambda: windows[0].height() == 800)
    # Closed docks stay closed.
    assert not has_tab(high)
    windows[0].table.trigger("forecast.show")
    assert high.centre.shown == FORECAST
    assert has_tab(high)


def test_ctrl_e_exports_the_forecast_while_the_focus_is_in_it(qtbot: QtBot, high: AnalyseWorkspace) -> None:
    high.show_forecast()
    high.forecast_controller.panel.mode.choose(ONE)
    high.show_forecast()
    view = high.forecast_controller.panel.one.form.table.view
    qtbot.waitUntil(view.hasFocus)
    QTest.keyClick(view, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: high.window().findChild(ExportDialog) is not None)
    dialog = high.window().findChild(ExportDialog)
    assert dialog is not None
    assert dialog.windowTitle() == ("Export: " + wording("app.forecast.forecast-of-fairshare"))
    dialog.reject()
    high.experiments_dock.content.setFocus()
    # No experiment has run.
    assert not high.table.qaction("analyse.export").isEnabled()


def test_a_capture_is_opened_by_command(
    qtbot: QtBot, high: AnalyseWorkspace, windows: list[ConsoleWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(CAPTURES / "drained.psv")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (path, ""))
    windows[0].table.trigger("forecast.open")
    panel = high.forecast_controller.panel
    assert panel.mode.value == "cluster"
    qtbot.waitUntil(lambda: panel.cluster.form.cluster is not None)
    assert panel.cluster.isVisible()


def test_reset_puts_it_to_rest(qtbot: QtBot, high: AnalyseWorkspace, windows: list[ConsoleWindow]) -> None:
    dock = high.forecast_controller.dock
    high.show_forecast()
    qtbot.waitUntil(dock.isVisible)
    high.reset_layout()
    assert dock.isHidden()
    high.show_forecast()
    windows[0].resize(*LOW)
    qtbot.waitUntil(lambda: has_tab(high))
    high.reset_layout()
    assert not has_tab(high)
    assert dock.isHidden()


@pytest.mark.parametrize("is_closed", [False, True])
def test_the_next_start_has_it_as_it_was_also_after_a_low_window(
    qtbot: QtBot,
    session: ConsoleSession,
    low: AnalyseWorkspace,
    windows: list[ConsoleWindow],
    answers: Answers,
    is_closed: bool,
) -> None:
    low.show_forecast()
    if is_closed:
        windows[0].resize(*HIGH)
        qtbot.waitUntil(low.forecast_controller.dock.isVisible)
        low.forecast_controller.dock.close()
        windows[0].resize(*LOW)
    qtbot.waitUntil(lambda: has_tab(low) is not is_closed)
    windows[0].keep_state()
    again = shown(qtbot, session, windows, answers, LOW)
    qtbot.waitUntil(lambda: has_tab(again) is not is_closed)


def test_it_needs_nothing_to_be_open(
    qtbot: QtBot, empty_window: ConsoleWindow, session_of_own: ConsoleSession
) -> None:
    window = empty_window
    analyse = window.workspace("analyse")
    assert isinstance(analyse, AnalyseWorkspace)
    # Welcome is shown.
    assert window.current is None
    assert window.table.trigger("forecast.show")
    qtbot.waitUntil(lambda: window.current is analyse)
    assert analyse.forecast_controller.panel.plots.figures
    window.files.new()
    qtbot.waitUntil(lambda: window.session.document is not None)
    session_of_own.open(None)
    qtbot.waitUntil(lambda: window.current is None)


def test_ctrl_k_finds_the_words_of_the_field(high: AnalyseWorkspace, windows: list[ConsoleWindow]) -> None:
    for typed in ("slurm forecast", "dampening", "half-life"):
        assert "forecast.show" in [found.action.id for found in find(typed, list(windows[0].table))][:4], (
            typed
        )
