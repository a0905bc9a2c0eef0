"""Numbers that are not finite, huge or next to 0, typed wherever a number or a length is read."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from fsconsole.app.forecast.entry import MOST_HOURS, days, number
from fsconsole.app.load.plan import Session
from fsconsole.console.design import node_panel
from fsconsole.console.design.columns import Column
from fsconsole.console.design.load import session_table
from fsconsole.console.design.node_panel import NodePanel
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.kit.forms import TypedField
from fsconsole.console.live.branches.dialog import BranchDialog
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from fsconsole.shares.edits import SetField
from fsconsole.shares.tree import ShareTree, TreeError
from fsconsole.text.durations import LONGEST_S, typed_seconds
from tests.console.cluster.test_half_typed import fields_of
from tests.texts import refuses, refuses_naming

EXTREMES = ("1e400", "9" * 400, "-1e400", "nan", "inf", "1e-320")
_TOO_LONG = ("1e400", "9" * 400, "-1e400", "9e300", f"{LONGEST_S * 1.001:.0f} s", "9" * 400 + ":00:00")


def type_in(field: QLineEdit, text: str) -> None:
    """Replace the text of a field as a user does, and press Enter."""
    field.setFocus()
    field.selectAll()
    field.insert(text)
    QTest.keyClick(field, Qt.Key.Key_Return)
    QApplication.processEvents()


def not_finite_in(window: ConsoleWindow) -> Iterator[str]:
    """Yield names of values that are not finite: those of the document, and those of correct fields."""
    assert window.session.document is not None
    for node in window.session.document.tree.walk():
        for value in (node.usage, node.charge, node.last_use_s, node.shares):
            if value is not None and not math.isfinite(value):
                yield node.name
    for field in window.findChildren(TypedField):
        if field.is_right and isinstance(found := field.read(), float) and not math.isfinite(found):
            yield field.accessibleName()


@pytest.mark.dear("types into each field of the window")
@pytest.mark.parametrize("workspace", WORKSPACES)
def test_no_field_takes_a_number_that_is_not_finite(
    qtbot: QtBot, window: ConsoleWindow, workspace: str
) -> None:
    window.show_workspace(workspace)
    assert window.session.document is not None
    user, names = window.session.document.tree.find("u11").id, set()
    window.session.select([user])
    QApplication.processEvents()
    for field in fields_of(window):
        before = field.text() if isinstance(field, QLineEdit) else ""
        for text in EXTREMES:
            if not isinstance(field, QLineEdit) or not isValid(field) or not field.isVisible():
                break
            name = field.accessibleName() or type(field.parent()).__name__
            names.add(name)
            type_in(field, text)
            assert not list(not_finite_in(window)), (workspace, name, text)
        if isinstance(field, QLineEdit) and isValid(field) and field.isVisible():
            type_in(field, before)
            QTest.keyClick(field, Qt.Key.Key_Escape)
    assert names
    if workspace == "design":
        assert {entry.label for entry in node_panel._ENTRIES} <= names


@pytest.mark.parametrize("text", EXTREMES)
@pytest.mark.parametrize("column", [Column.NAME, Column.SHARES])
def test_no_cell_takes_a_number_that_is_not_finite(window: ConsoleWindow, text: str, column: Column) -> None:
    window.show_workspace("design")
    design, document = window.workspace("design"), window.session.document
    assert isinstance(design, DesignWorkspace)
    assert document is not None
    design.tree_view.setFocus()
    design.tree_view.edit_node(document.tree.find("u11").id, column)
    editor = design.tree_view.viewport().findChild(QLineEdit)
    assert editor is not None
    type_in(editor, text)
    assert not list(not_finite_in(window))


@pytest.mark.parametrize("text", EXTREMES)
def test_the_last_use_of_a_user_stays_finite(window: ConsoleWindow, text: str) -> None:
    window.show_workspace("design")
    document = window.session.document
    assert document is not None
    user = document.tree.find("u11").id
    window.session.select([user])
    QApplication.processEvents()
    (panel,) = window.findChildren(NodePanel)
    type_in(panel.editor("Last use"), text)
    last_use_s = document.tree.node(user).last_use_s
    assert last_use_s is None or -LONGEST_S <= last_use_s <= 0


@pytest.mark.parametrize("text", EXTREMES)
def test_a_branch_has_a_finite_end(qtbot: QtBot, window: ConsoleWindow, text: str) -> None:
    window.show_workspace("observe")
    observe = window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    QTest.keyClick(observe.panel, Qt.Key.Key_B)
    dialog = observe.findChildren(BranchDialog)[-1]
    dialog.until.selectAll()
    dialog.until.insert(text)
    if dialog.until.is_right:
        assert 0 <= dialog.until.read() <= LONGEST_S
    else:
        assert dialog.until.fault.text()
    dialog.reject()


@pytest.mark.parametrize("text", _TOO_LONG)
def test_typed_times_are_refused_beyond_the_longest(text: str) -> None:
    with refuses(ValueError, "text.is-too-long-write-time"):
        typed_seconds(text)
    session = Session(1, 0.0, None, None)
    with refuses_naming(ValueError):
        session_table._with_start(session, text)
    with refuses_naming(ValueError):
        session_table._with_end(session, text)


@pytest.mark.parametrize("text", EXTREMES)
def test_numbers_of_forecasts_are_refused_or_far_from_overflow(text: str) -> None:
    for is_above in (False, True):
        with refuses_naming(ValueError):
            number(text, 0, MOST_HOURS, "7", above=is_above)
    with refuses_naming(ValueError):
        days(text)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, 10**400], ids=["nan", "inf", "-inf", "huge"]
)
@pytest.mark.parametrize("field", ["usage", "charge", "last_use_s"])
def test_edits_set_finite_numbers(field: str, value: float) -> None:
    tree = ShareTree()
    user = tree.add(0, "anna", 1).id
    with refuses(TreeError, "shares.of-must-be-finite-number", field=field):
        SetField(user, field, value).apply(tree)
