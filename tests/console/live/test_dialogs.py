"""Dialogs of Observe, filled in by keyboard alone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.design.parameters_dialog import ParametersDialog
from fsconsole.console.document import Document
from fsconsole.console.live.machine.dialogs import LoginDialog, NiceDialog, StartDialog
from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.resources import examples
from fsconsole.shares.scenario.actions import Action, Login, Renice, StartProcess
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.tree import ShareTree
from tests.texts import wording


@pytest.fixture
def tree(look: ConsoleStyle) -> ShareTree:
    """Users u11, u12 of gr1 and u21, u22, u23 of gr2."""
    return read_scenario(examples() / "convex-series-6.yaml").tree


@pytest.fixture
def done() -> list[Action]:
    """What the dialogs asked for."""
    return []


@pytest.fixture
def window(qtbot: QtBot, look: ConsoleStyle) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    with qtbot.waitActive(made):
        made.show()
    return made


def shown(dialog: QDialog, qtbot: QtBot) -> None:
    dialog.open()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is dialog and QApplication.focusWidget() is not None)


def keys(text: str) -> None:
    """Type where the focus is."""
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClicks(focus, text)


def key(which: Qt.Key) -> None:
    """Press a key where it goes: a list of matches has them first."""
    focus = QApplication.activePopupWidget() or QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, which)


def test_one_enter_logs_in_who_was_typed(
    tree: ShareTree, done: list[Action], window: QWidget, qtbot: QtBot
) -> None:
    u21 = tree.find("u21").id
    dialog = LoginDialog(tree, frozenset(), done.append, window)
    shown(dialog, qtbot)
    keys("u21")
    with qtbot.waitSignal(dialog.accepted):
        key(Qt.Key.Key_Return)
    assert done[0] == Login(u21)
    assert isinstance(done[1], StartProcess)


def test_enter_takes_the_only_match(
    tree: ShareTree, done: list[Action], window: QWidget, qtbot: QtBot
) -> None:
    dialog = LoginDialog(tree, frozenset(), done.append, window)
    shown(dialog, qtbot)
    keys("23")
    with qtbot.waitSignal(dialog.accepted):
        key(Qt.Key.Key_Return)
    assert done[0] == Login(tree.find("u23").id)


def test_users_who_are_logged_in_are_not_offered_and_are_reported(
    tree: ShareTree, done: list[Action], window: QWidget, qtbot: QtBot
) -> None:
    dialog = LoginDialog(tree, frozenset({tree.find("u11").id}), done.append, window)
    shown(dialog, qtbot)
    offered = [dialog.user.itemText(at) for at in range(dialog.user.count())]
    assert "u12" in offered
    assert "u11" not in offered
    keys("u11")
    key(Qt.Key.Key_Return)
    assert dialog.problem == "User: " + wording("console.live.machine.is-already-logged-in", name="u11") + "."
    assert dialog.isVisible()
    keys("u")
    assert dialog.problem == ""
    assert dialog.user.property("look") == ""
    assert done == []


def test_an_unknown_name_is_reported_and_can_be_written_over(
    tree: ShareTree, done: list[Action], window: QWidget, qtbot: QtBot
) -> None:
    dialog = LoginDialog(tree, frozenset(), done.append, window)
    shown(dialog, qtbot)
    key(Qt.Key.Key_Return)
    assert dialog.problem == "User: " + wording("console.live.machine.choose-user-to-log-in") + "."
    keys("nobody")
    key(Qt.Key.Key_Return)
    assert (
        dialog.problem
        == "User: " + wording("console.live.machine.not-found-choose-name-of", name="nobody") + "."
    )
    keys("u12")
    assert dialog.user.currentText() == "u12"
    assert dialog.problem == ""


def test_a_new_nice_value_is_typed_at_once(
    tree: ShareTree, done: list[Action], window: QWidget, qtbot: QtBot
) -> None:
    dialog = NiceDialog([7], 20, done.append, window)
    shown(dialog, qtbot)
    keys("35")
    with qtbot.waitSignal(dialog.accepted):
        key(Qt.Key.Key_Return)
    assert done == [Renice(7, 35)]


def test_tab_goes_down_the_fields(tree: ShareTree, done: list[Action], window: QWidget, qtbot: QtBot) -> None:
    dialog = StartDialog(tree, tree.find("u11").id, done.append, window)
    shown(dialog, qtbot)
    line = dialog.user.lineEdit()
    assert line is not None
    assert line.selectedText() == "u11"
    passed = []
    for _ in range(7):
        focus = QApplication.focusWidget()
        assert focus is not None
        passed.append(focus.accessibleName() or focus.property("text"))
        key(Qt.Key.Key_Tab)
    assert passed[:5] == [
        "User",
        "Command",
        "Nice",
        wording("console.live.machine.number-of-processes"),
        "Work",
    ]
    assert {name.replace("&", "") for name in passed[5:]} == {"Start", "Cancel"}


def test_the_parameters_begin_in_the_first_field(look: ConsoleStyle, window: QWidget, qtbot: QtBot) -> None:
    path = examples() / "convex-series-6.yaml"
    dialog = ParametersDialog(Document(read_scenario(path), name=path.name), window)
    shown(dialog, qtbot)
    keys("A machine")
    field = dialog.field("machine.name")
    assert isinstance(field, QLineEdit)
    assert field.text() == "A machine"
    key(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is dialog.row("machine.name").reset
    key(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is dialog.field("machine.start")
