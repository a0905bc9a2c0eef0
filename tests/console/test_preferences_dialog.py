"""Preferences as a user chooses them: by keys and clicks, at once, and again at the next start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHeaderView, QLabel, QTreeWidget, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from fsconsole.console.files.file_controller import LAST_KEY
from fsconsole.console.general_preferences import GeneralPreferences
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.operator_preferences import OperatorPreferences
from fsconsole.console.preferences import Preferences
from fsconsole.console.preferences_dialog import PreferencesDialog
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.console.style.fonts import base_px, system_px
from fsconsole.console.style.sizes import ROW_HEIGHTS, TEXT_SIZES, row_px
from fsconsole.console.style.theme import theme
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import examples
from tests.console.conftest import Answers
from tests.texts import wording

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(autouse=True)
def sizes(qapp: QApplication, look: ConsoleStyle) -> Iterator[None]:
    """The usual sizes before a test and after it."""
    yield
    GeneralPreferences(theme="light").apply(qapp)


def opened(window: ConsoleWindow) -> PreferencesDialog:
    QTest.keyClick(window, Qt.Key.Key_Comma, CONTROL)
    found = window.findChild(PreferencesDialog)
    assert isinstance(found, PreferencesDialog)
    return found


def kept(window: ConsoleWindow) -> Preferences:
    """What the next start reads."""
    window.session.preferences.write()
    return Preferences(window.session.preferences.path.parent)


def processes_row(window: ConsoleWindow) -> tuple[int, int]:
    """Height of a row of the processes, and of a row of the legend."""
    observe = window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    table, legend = observe.machine.processes.table, observe.legend.view
    return table.rowHeight(0), legend.visualRect(legend.model().index(0, 0)).height()


def test_theme_and_rows_change_at_once_and_are_remembered(window: ConsoleWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: min(processes_row(window)) > 0)
    dialog = opened(window)
    QTest.mouseClick(dialog.theme.button("dark"), LEFT)
    assert theme().is_dark
    for chosen in ("roomy", "compact"):
        QTest.mouseClick(dialog.row_height.button(chosen), LEFT)
        assert processes_row(window) == (row_px(), row_px())
    assert row_px() == ROW_HEIGHTS["compact"] == 20
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    assert window.table.qaction("theme_dark").isChecked()
    again = GeneralPreferences.read(kept(window))
    assert again == GeneralPreferences(theme="dark", row_height="compact")


def test_larger_text_reaches_everything_on_screen(window: ConsoleWindow, qapp: QApplication) -> None:
    bar = window.frame.bar.search
    texts = [bar, *window.workspace("observe").findChildren(QLabel)]
    before = [one.font().pixelSize() for one in texts]
    dialog = opened(window)
    QTest.keyClick(dialog.text_px, Qt.Key.Key_End)
    assert base_px() == max(TEXT_SIZES)
    added = max(TEXT_SIZES) - system_px()
    assert [one.font().pixelSize() for one in texts] == [size + added for size in before]
    assert row_px() > ROW_HEIGHTS["normal"]
    assert bar.sizeHint().width() > bar.fontMetrics().horizontalAdvance("CommandsCtrl+K") + 40
    dialog.reject()
    GeneralPreferences(theme="light").apply(qapp)
    assert [one.font().pixelSize() for one in texts] == before
    assert GeneralPreferences.read(kept(window)).text_px == max(TEXT_SIZES)


def test_columns_become_wider_with_the_text(qtbot: QtBot, qapp: QApplication) -> None:
    tree = QTreeWidget()
    qtbot.addWidget(tree)
    tree.setHeaderLabels(["a", "b", "c"])
    tree.addTopLevelItem(QTreeWidgetItem(["1", "2", "3"]))
    header = tree.header()
    header.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
    for at, width in ((0, 130), (1, 70)):
        header.resizeSection(at, width)
    GeneralPreferences(text_px=18).apply(qapp)
    assert (header.sectionSize(0), header.sectionSize(1)) == (round(130 * 18 / system_px()), 70)


@pytest.mark.parametrize("page", ["welcome", "last"])
def test_the_start_page_is_what_was_chosen(
    page: str, empty_session: ConsoleSession, answers: Answers, window: ConsoleWindow, qtbot: QtBot
) -> None:
    dialog = opened(window)
    QTest.mouseClick(dialog.start_page.button("welcome"), LEFT)
    if page == "last":
        QTest.mouseClick(dialog.start_page.button("last"), LEFT)
    dialog.reject()
    window.session.preferences.set_value(LAST_KEY, str(examples() / "convex-series-1.yaml"))
    session = ConsoleSession(kept(window))
    other = ConsoleWindow(session, answers)
    qtbot.addWidget(other)
    other.restore_state()
    other.start(None)
    if page == "last":
        qtbot.waitUntil(lambda: session.document is not None)
    assert (other.current is None) is (page == "welcome")
    assert other.files.is_reading is False
    session.open(None)
    other.close()


def test_operators_choose_in_the_same_dialog(window: ConsoleWindow) -> None:
    dialog = opened(window)
    choices = OperatorPreferences(window.session.preferences)
    dialog.who.setFocus()
    dialog.who.selectAll()
    QTest.keyClicks(dialog.who, " rosa ")
    dialog.minutes.setFocus()
    dialog.minutes.selectAll()
    QTest.keyClicks(dialog.minutes, "5")
    QTest.keyClicks(dialog.alerts.command, "mail -s 'an alert")
    assert choices.command == ("mail", "-s")  # before the quote that was not closed
    fault = dialog.alerts.command.fault
    assert fault.text() == (
        wording("console.alerts.program-to-run-for-alert")
        + ": "
        + wording("console.alerts.quote-is-not-closed-close")
    )
    QTest.keyClicks(dialog.alerts.command, "'")
    assert fault.text() == ""
    dialog.reject()
    again = OperatorPreferences(kept(window))
    assert (again.who, again.armed_minutes, again.command) == ("rosa", 5, ("mail", "-s", "an alert"))


@pytest.mark.parametrize(
    "stored",
    [
        '{"theme": "neon", "text_px": 400, "row_height": "huge", "start_page": "nowhere"}',
        '{"theme": 1, "text_px": true, "row_height": ["compact"], "start_page": {}}',
        '{"theme": null, "text_px": 14.5, "row_height": null, "start_page": false}',
    ],
)
def test_stored_values_that_are_not_offered_count_as_nothing(
    qtbot: QtBot, tmp_path: Path, stored: str
) -> None:
    (tmp_path / "preferences.json").write_text(stored, "utf-8")
    preferences = Preferences(tmp_path)
    assert GeneralPreferences.read(preferences) == GeneralPreferences()
    dialog = PreferencesDialog(preferences)
    qtbot.addWidget(dialog)
    assert (dialog.theme.read(), dialog.text_px.read(), dialog.row_height.read()) == ("system", 0, "normal")
