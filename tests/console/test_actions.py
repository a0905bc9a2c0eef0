from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLineEdit, QMainWindow, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.actions import Action, ActionTable
from tests.texts import refuses


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    made = QMainWindow()
    qtbot.addWidget(made)
    return made


def _nothing() -> None:
    pass


def _action(action_id: str, run: Callable[[], object] = _nothing, **rest: object) -> Action:
    return Action(id=action_id, text=action_id.capitalize(), run=run, **rest)  # type: ignore[arg-type]


def test_an_action_runs_and_says_so(qtbot: QtBot, window: QMainWindow) -> None:
    done: list[str] = []
    table = ActionTable(window, [_action("save", lambda: done.append("save"))])
    with qtbot.waitSignal(table.ran) as blocker:
        assert table.trigger("save")
    assert blocker.args == ["save"]
    assert done == ["save"]


def test_what_cannot_be_done_is_not_done_and_says_why(window: QMainWindow) -> None:
    done: list[int] = []
    table = ActionTable(
        window,
        [
            _action(
                "kill",
                lambda: done.append(1),
                enabled=lambda: False,
                why_not=lambda: "The target is read-only.",
            )
        ],
    )
    assert not table.trigger("kill")
    assert not done
    assert not table.qaction("kill").isEnabled()
    assert "read-only" in table.qaction("kill").toolTip()


def test_running_one_action_refreshes_the_others(window: QMainWindow) -> None:
    undoable: list[int] = []
    table = ActionTable(
        window,
        [
            _action("edit", lambda: undoable.append(1)),
            _action("undo", undoable.pop, enabled=lambda: bool(undoable)),
        ],
    )
    assert not table.qaction("undo").isEnabled()
    table.trigger("edit")
    assert table.qaction("undo").isEnabled()
    table.trigger("undo")
    assert not table.qaction("undo").isEnabled()


def test_ids_and_keys_are_given_once(window: QMainWindow) -> None:
    table = ActionTable(window, [_action("save", keys=("Ctrl+S",))])
    with refuses(ValueError, "console.two-actions-are-called", id="save"):
        table.add([_action("save")])
    with refuses(ValueError, "console.belongs-to-choose-another-key", other="save"):
        table.add([_action("stop", keys=("Ctrl+S",))])


def test_local_keys_may_mean_different_things_in_different_places(qtbot: QtBot, window: QMainWindow) -> None:
    done: list[str] = []
    table = ActionTable(
        window,
        [
            _action("outdent", lambda: done.append("tree"), keys=("Alt+Left",), local=True),
            _action("shrink", lambda: done.append("map"), keys=("Alt+Left",), local=True),
        ],
    )
    page, tree, share_map = _page(window)
    tree.addAction(table.qaction("outdent"))
    share_map.addAction(table.qaction("shrink"))
    _show(qtbot, window)
    for widget in (tree, share_map):
        widget.setFocus()
        QTest.keyClick(widget, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert done == ["tree", "map"]
    assert page.isVisible()


def test_single_letters_are_left_to_editors(qtbot: QtBot, window: QMainWindow) -> None:
    done: list[str] = []
    table = ActionTable(
        window,
        [
            _action("bookmark", lambda: done.append("B"), keys=("B",)),
            _action("run", lambda: done.append("run"), keys=("Space",)),
        ],
    )
    page = QWidget()
    layout = QVBoxLayout(page)
    editor, box, plain = QLineEdit(), QCheckBox("Names"), QWidget()
    plain.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    for widget in (editor, box, plain):
        layout.addWidget(widget)
    window.setCentralWidget(page)
    _show(qtbot, window)

    editor.setFocus()
    QTest.keyClicks(editor, "B ")
    assert editor.text() == "B "
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert box.isChecked()
    assert done == []
    plain.setFocus()
    QTest.keyClick(plain, Qt.Key.Key_B)
    QTest.keyClick(plain, Qt.Key.Key_Space)
    assert done == ["B", "run"]
    assert table.qaction("run").shortcut().toString() == "Space"


def test_the_menu_bar_stands_as_the_table_says(window: QMainWindow) -> None:
    table = ActionTable(
        window,
        [
            _action("undo", menu="Edit", group="undo"),
            _action("cut", menu="Edit", group="clipboard"),
            _action("new", menu="File"),
            _action("dark", menu="View/Theme", checked=lambda: True, choice="theme"),
        ],
    )
    table.fill_menu_bar(window.menuBar(), ["File", "Edit"])
    assert [a.text() for a in window.menuBar().actions()] == ["&File", "&Edit", "&View"]
    assert [a.text() or "-" for a in table.menu("Edit").actions()] == ["Undo", "-", "Cut"]
    assert [a.text() for a in table.menu("View").actions()] == ["Theme"]
    assert table.menu("View/Theme").actions() == [table.qaction("dark")]
    assert table.qaction("dark").isChecked()


def test_groups_of_a_menu_stay_together_and_the_end_is_last(window: QMainWindow) -> None:
    """Observe and Analyse add to the File menu after the window has put Quit there."""
    rows = [("save", "save"), ("quit", "end"), ("plot", "exchange"), ("copy", "save")]
    table = ActionTable(window, [_action(name, menu="File", group=group) for name, group in rows])
    table.fill_menu_bar(window.menuBar(), ["File"])
    assert [a.text() or "-" for a in table.menu("File").actions()] == [
        "Save", "Copy", "-", "Plot", "-", "Quit",
    ]  # fmt: skip


def test_the_page_of_shortcuts_is_the_table(window: QMainWindow) -> None:
    table = ActionTable(window, [_action("undo", keys=("Ctrl+Z",), menu="Edit"), _action("about")])
    assert table.shortcuts() == [("Edit", "Undo", "Ctrl+Z")]


def test_names_lose_their_mnemonics(window: QMainWindow) -> None:
    answer = Action("save", "&Save && close", _nothing).name
    assert answer.split() == ["Save", "&", "close"]


def test_full_names_tell_the_submenu(window: QMainWindow) -> None:
    assert Action("dark", "&Dark", _nothing, menu="View/Theme").full_name == "Theme: Dark"
    assert Action("quit", "&Quit", _nothing, menu="File").full_name == "Quit"


def _page(window: QMainWindow) -> tuple[QWidget, QWidget, QWidget]:
    page = QWidget()
    layout = QVBoxLayout(page)
    first, second = QWidget(), QWidget()
    for widget in (first, second):
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        layout.addWidget(widget)
    window.setCentralWidget(page)
    return page, first, second


def _show(qtbot: QtBot, window: QMainWindow) -> None:
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)


def test_a_local_key_is_not_one_of_the_window(window: QMainWindow) -> None:
    # Qt carries out neither of two actions that may have the same keys.
    table = ActionTable(window, [_action("edit", keys=("Ctrl+Return",), local=True)])
    with refuses(ValueError, "console.belongs-to-choose-another-key"):
        table.add([_action("apply", keys=("Ctrl+Return",))])
    table.add([_action("other", keys=("Ctrl+Return",), local=True)])
