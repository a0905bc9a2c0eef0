from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QLabel, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from fsconsole import __version__
from fsconsole.app.examples import example_titles
from fsconsole.console.command_search import CommandSearch
from fsconsole.console.help.dialogs import AboutDialog, KeyboardDialog
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.notices import FaultNotice
from fsconsole.console.session import ConsoleSession
from fsconsole.console.status import target_name
from fsconsole.console.style.theme import theme
from fsconsole.console.window import FIRST_SIZE, ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES, tab_id
from fsconsole.machine.machine import Machine
from fsconsole.resources import examples
from fsconsole.shares.edits import SetShares
from tests.console.conftest import notice_of

_KEYS = {
    "design": Qt.Key.Key_1,
    "observe": Qt.Key.Key_2,
    "operate": Qt.Key.Key_3,
    "analyse": Qt.Key.Key_4,
}
_CONTROL = Qt.KeyboardModifier.ControlModifier


def _make_all(window: ConsoleWindow) -> None:
    for one in WORKSPACES:
        window.workspace(one)


@pytest.mark.parametrize("workspace_id", WORKSPACES)
def test_keys_show_the_workspaces(window: ConsoleWindow, workspace_id: str) -> None:
    QTest.keyClick(window, _KEYS[workspace_id], _CONTROL)
    assert window.current is window.workspace(workspace_id)
    assert window.current.isVisible()
    assert [one for one in WORKSPACES if window.table.qaction(tab_id(one)).isChecked()] == [workspace_id]


def test_welcome_stands_in_when_nothing_is_open(empty_window: ConsoleWindow) -> None:
    assert empty_window.current is None
    assert empty_window.windowTitle() == "fsconsole"
    assert not any(empty_window.table.qaction(tab_id(one)).isEnabled() for one in WORKSPACES)
    assert not empty_window.table.qaction("save").isEnabled()


def test_title_and_status_follow_the_document(qtbot: QtBot, window: ConsoleWindow) -> None:
    document = window.session.document
    assert document is not None
    assert window.windowTitle().split() == ["convex-series-1.yaml[*]", "-", "fsconsole"]
    u11 = next(node for node in document.tree.walk() if node.name == "u11")
    document.edit("Set shares", [SetShares.of(u11.id, 300)])
    assert window.isWindowModified()
    qtbot.waitUntil(lambda: "copy kept" in window.frame.status.saved.text)
    QTest.keyClick(window, Qt.Key.Key_Z, _CONTROL)
    assert not window.isWindowModified()
    assert document.tree.node(u11.id).shares == 100
    QTest.keyClick(window, Qt.Key.Key_Z, _CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert document.tree.node(u11.id).shares == 300


def test_one_step_is_in_the_status_line_at_once(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.show_workspace("observe")
    qtbot.waitUntil(lambda: window.session.snapshot is not None)
    timer = window.status.findChild(QTimer)
    assert isinstance(timer, QTimer)
    qtbot.waitUntil(lambda: not timer.isActive())  # nothing has changed for a while
    shown: list[str] = []
    window.session.frame.connect(lambda: shown.append(window.frame.status.facts.text))
    with qtbot.waitSignal(window.session.frame):
        window.session.step(100)
    snapshot = window.session.snapshot
    assert snapshot is not None
    assert f"{snapshot.tick} ticks" in shown[0]


def test_all_commands_of_all_workspaces_are_in_the_menus(window: ConsoleWindow) -> None:
    _make_all(window)
    titles = [action.text().replace("&", "") for action in window.menuBar().actions()]
    assert titles[:6] == ["File", "Edit", "View", "Target", "Simulation", "Help"]
    for action in window.table:
        if action.menu:
            assert window.table.qaction(action.id) in window.table.menu(action.menu).actions()


@pytest.mark.parametrize(
    ("screen", "is_filled"), [((1600, 1000), True), ((1366, 768), True), ((1920, 1080), False)]
)
def test_the_first_window_fits_the_screen(
    empty_window: ConsoleWindow, screen: tuple[int, int], is_filled: bool
) -> None:
    empty_window._fit(QSize(*screen))
    assert empty_window.isMaximized() is is_filled
    kept = empty_window.normalGeometry().size() if is_filled else QSize(*FIRST_SIZE)
    assert kept.boundedTo(QSize(*screen)) == kept


@pytest.mark.parametrize(
    ("machine", "label"),
    [("One processor", "One processor, simulated"), ("Simulated cluster", "Simulated cluster"), ("", "")],
)
def test_the_target_is_called_simulated_once(machine: str, label: str) -> None:
    assert target_name(machine) == label


def test_every_menu_is_painted_in_both_themes(window: ConsoleWindow) -> None:
    _make_all(window)
    for command in ("theme_light", "theme_dark"):
        window.table.trigger(command)
        for workspace_id in WORKSPACES:  # its tab is ticked and has an icon
            window.show_workspace(workspace_id)
            menus = [menu for menu in window.menuBar().findChildren(QMenu) if not menu.isEmpty()]
            assert len(menus) >= 7
            for menu in menus:
                # Each row under the pointer in one workspace; the rows are the same in the others.
                for active in menu.actions() if workspace_id == WORKSPACES[0] else menu.actions()[:1]:
                    menu.setActiveAction(active)
                    assert not menu.grab().isNull()
    window.table.trigger("theme_light")


def test_no_two_commands_share_a_name_and_place(window: ConsoleWindow) -> None:
    _make_all(window)
    seen = [(action.menu, action.name) for action in window.table if action.menu]
    assert len(seen) == len(set(seen))


def test_words_of_the_tool_bar_give_way_to_icons_in_a_narrow_window(
    qtbot: QtBot, empty_window: ConsoleWindow
) -> None:
    bar = empty_window.frame.bar
    empty_window.resize(1600, 1000)
    style = Qt.ToolButtonStyle
    qtbot.waitUntil(
        lambda: bar._buttons[0].toolButtonStyle() == style.ToolButtonTextBesideIcon,
    )
    empty_window.resize(1280, 800)
    qtbot.waitUntil(lambda: bar._buttons[0].toolButtonStyle() == style.ToolButtonIconOnly)
    assert all(button.toolTip() for button in bar._buttons)


def test_the_theme_is_chosen_and_remembered(window: ConsoleWindow) -> None:
    window.table.trigger("theme_dark")
    assert theme().is_dark
    assert window.session.preferences.value("theme") == "dark"
    assert window.table.qaction("theme_dark").isChecked()
    window.table.trigger("theme_light")
    assert not theme().is_dark


def test_command_search_opens_by_key_and_runs(qtbot: QtBot, window: ConsoleWindow) -> None:
    QTest.keyClick(window, Qt.Key.Key_K, _CONTROL)
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, CommandSearch)
    QTest.keyClicks(popup.box, "keyboard")
    QTest.keyClick(popup.box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.findChild(KeyboardDialog) is not None)
    dialog = window.findChild(KeyboardDialog)
    assert dialog is not None
    QTest.keyClicks(dialog.box, "ctrl+k")
    assert [name for _menu, name, _keys in dialog.rows.rows] == ["Commands…"]
    dialog.close()


def test_command_search_opens_a_recent_file(qtbot: QtBot, window: ConsoleWindow, tmp_path: Path) -> None:
    path = tmp_path / "uni & co.yaml"
    path.write_text((examples() / "convex-series-6.yaml").read_text("utf-8"), "utf-8")
    window.files.open(path)
    qtbot.waitUntil(lambda: window.session.document is not None and window.session.document.path == path)
    window.files.open(examples() / "convex-series-1.yaml")
    qtbot.waitUntil(lambda: window.session.document is not None and window.session.document.path != path)
    QTest.keyClick(window, Qt.Key.Key_K, _CONTROL)
    popup = QApplication.activePopupWidget()
    assert isinstance(popup, CommandSearch)
    QTest.keyClicks(popup.box, "recent: uni co")
    command, _, name = str(popup.view.currentIndex().data()).partition(": ")
    assert command == "Open recent"
    assert name.partition("(")[0].strip() == path.name
    QTest.keyClick(popup.box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.session.document is not None and window.session.document.path == path)


def test_about_says_the_version(window: ConsoleWindow) -> None:
    window.table.trigger("about")
    dialog = window.findChild(AboutDialog)
    assert dialog is not None
    assert __version__ in " ".join(label.text() for label in dialog.findChildren(QLabel)).split()
    dialog.close()


def test_f6_walks_through_the_docks(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.show_workspace("observe")
    workspace = window.current
    assert workspace is not None
    visited = set()
    for _ in range(8):
        QTest.keyClick(window, Qt.Key.Key_F6)
        focus = QApplication.focusWidget()
        assert focus is not None
        visited |= {d.objectName() for d in workspace.findChildren(QDockWidget) if d.isAncestorOf(focus)}
    assert len(visited) >= 2


def test_f6_comes_past_docks_without_anything_to_focus(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.show_workspace("observe")
    workspace = window.current
    assert isinstance(workspace, LiveWorkspace)
    workspace.machine.show_control()
    qtbot.waitUntil(workspace.machine.control.isVisible)
    names = []
    for _ in range(8):
        QTest.keyClick(window, Qt.Key.Key_F6)
        focus = QApplication.focusWidget()
        assert focus is not None
        names += [d.objectName() for d in workspace.findChildren(QDockWidget) if d.isAncestorOf(focus)]
    assert names[:4] == names[4:]
    assert len(set(names[:4])) == 4
    assert {"observe.control", "observe.machine_console"} < set(names)


def test_state_comes_back_at_the_next_start(
    qtbot: QtBot, session: ConsoleSession, answers: Any, window: ConsoleWindow
) -> None:
    window.show_workspace("design")
    window.keep_state()
    other = ConsoleWindow(session, answers)
    other.restore_state()
    assert other.stack.is_shown("design")
    assert session.preferences.blob("window/geometry") == window.saveGeometry()
    assert not session.preferences.blob("design/layout").isEmpty()
    other.deleteLater()


def test_a_fault_of_the_engine_is_shown_and_the_console_lives_on(
    qtbot: QtBot, window: ConsoleWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = ArithmeticError("the usage of u11 is not a number")

    def fail(_machine: Machine, _tick: int) -> None:
        raise error

    notice = notice_of(window, FaultNotice)
    with monkeypatch.context() as broken:
        broken.setattr(Machine, "advance", fail)
        window.session.run()
        qtbot.waitUntil(notice.isVisible)
        assert str(error) in notice.text
    document = window.session.document
    assert document is not None
    document.edit("Set shares", [SetShares.of(document.tree.root.children[0], 5)])
    button = notice.findChild(QPushButton, "Restart machine")
    assert isinstance(button, QPushButton)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not notice.isVisible()
    window.session.run()
    qtbot.waitUntil(lambda: (s := window.session.snapshot) is not None and s.time_s > 0)


def test_start_opens_the_default_example_at_first(
    qtbot: QtBot, empty_window: ConsoleWindow, tmp_path: Path
) -> None:
    assert not empty_window.stack.is_shown("observe")
    empty_window.restore_state()
    assert empty_window.stack.is_shown("observe")
    with qtbot.waitSignal(empty_window.session.document_changed):
        empty_window.start(None)
    document = empty_window.session.document
    assert document is not None
    assert document.name == "convex-series-1.yaml"


def test_after_close_the_next_start_shows_welcome(window: ConsoleWindow) -> None:
    window.table.trigger("close")
    assert window.current is None
    assert not window.files.has_something_to_open


def test_recent_files_stand_in_the_menu_and_open(
    qtbot: QtBot, empty_window: ConsoleWindow, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_bytes((examples() / "two-organisations.yaml").read_bytes())
    for path in (mine, tmp_path / "gone.yaml"):
        empty_window.files.recent.add(path)
    menu = empty_window.table.menu("File/Open recent")
    menu.aboutToShow.emit()
    shown = [action for action in menu.actions() if action.data()]
    assert [(action.data(), action.isEnabled()) for action in shown] == [
        (str(tmp_path / "gone.yaml"), False),
        (str(mine), True),
    ]
    with qtbot.waitSignal(empty_window.session.document_changed):
        shown[1].trigger()
    empty_window.table.trigger("clear_recent")
    menu = empty_window.table.menu("File/Open recent")
    menu.aboutToShow.emit()
    assert not any(action.data() for action in menu.actions())


def test_examples_stand_in_groups_by_title(window: ConsoleWindow) -> None:
    entries = window.table.menu("File/Open example").actions()
    groups: list[list[str]] = [[]]
    for entry in entries:
        if entry.isSeparator():
            groups.append([])
        else:
            groups[-1].append(entry.text())
    assert all(names == sorted(names, key=str.casefold) for names in groups)
    series = {name.split()[-1] for name in groups[0] if name.startswith("Convex series")}
    assert {"1", "2", "4", "6"} <= series
    assert len(groups[0]) > 4
    assert all(name.startswith("Convex") for name in groups[0])
    assert all(name.startswith("Near-dedicated") for name in groups[1])
    assert sum(map(len, groups)) == len(list(examples().glob("*.yaml"))) + 1
    assert all(1 < len(names) < 10 for names in groups)
    parent = [entry.text().replace("&", "") for entry in window.table.menu("File").actions()]
    assert parent[:5] == ["New", "Open…", "Open run…", "Open recent", "Open example"]


def test_the_welcome_page_still_begins_with_the_first_examples(window: ConsoleWindow) -> None:
    assert [path.stem for path, _ in example_titles()][:2] == ["convex-series-1", "convex-series-6"]
