"""What is half typed belongs to its writer: no poll, command or colleague replaces, clears or enters it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.design.columns import Column
from fsconsole.console.design.node_panel import NodePanel
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.kit.changes_field import ChangesField
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from fsconsole.shares.edits import Insert, SetField, SetShares
from fsconsole.shares.tree import Kind, Node
from tests.console.cluster.play import PlayTarget
from tests.console.cluster.test_change_set_worker import HEP, document_of, node, store

_OPS = "root/ops"
_numbers = count(11)


def others_act(window: ConsoleWindow, play: PlayTarget) -> None:
    """A colleague changes and adds accounts, a command edits the tree, and the cluster is polled."""
    ops, number = node(window, _OPS), next(_numbers)
    store(window, play, [SetShares.of(ops, number)], {})
    added = Node(900 + number, f"new{number}", 3, Kind.GROUP)
    root = document_of(window).tree.root.id
    store(window, play, [Insert(root, 0, (added,))], {added.id: (added.name, "", "")})
    document_of(window).edit("Set note", [SetField(node(window, "root/bio"), "note", f"note {number}")])
    play.publish()
    QApplication.processEvents()


def fields_of(window: ConsoleWindow) -> Iterator[QLineEdit | QPlainTextEdit]:
    """Yield all fields in sight that can be typed into, dock after dock."""
    assert window.current is not None
    seen: set[int] = set()
    for part in (*window.current.docks, window):
        if isinstance(part, Dock):
            part.bring_forward()
            QApplication.processEvents()
        found: list[QLineEdit | QPlainTextEdit] = [
            *part.findChildren(QLineEdit), *part.findChildren(QPlainTextEdit)
        ]  # fmt: skip
        for one in found:
            if id(one) not in seen and one.isVisible() and one.isEnabled() and not one.isReadOnly():
                seen.add(id(one))
                yield one


def text_of(field: QLineEdit | QPlainTextEdit) -> str:
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()


@pytest.mark.dear("types into each field of the window")
def test_every_field_keeps_what_is_typed(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    window, names = cluster_window, set()
    lost: dict[str, tuple[str, str]] = {}
    for workspace in WORKSPACES:
        window.show_workspace(workspace)
        window.session.select([node(window, HEP)])
        QApplication.processEvents()
        for field in fields_of(window):
            before = text_of(field)
            field.setFocus()
            if not field.hasFocus():
                continue
            field.selectAll()
            QTest.keyClicks(field, "4711")
            typed, changes = text_of(field), len(document_of(window).changes)
            others_act(window, play)
            name = f"{workspace}: {field.accessibleName() or type(field.parent()).__name__}"
            names.add(name)
            mine = [one for one in document_of(window).changes if "4711" in one.after]
            if text_of(field) != typed or not field.hasFocus() or mine:
                lost[name] = (typed, text_of(field))
            assert len(document_of(window).changes) >= min(changes, 1)
            if isinstance(field, QLineEdit):
                field.setText(before)
                field.setModified(False)
            else:
                field.setPlainText(before)
    assert not lost
    assert {"design: Name", "design: Shares", "design: Note", "design: Find node"} <= names
    assert len(names) > 8


@pytest.mark.parametrize("column", [Column.NAME, Column.SHARES])
@pytest.mark.parametrize("search", ["", "hep"])
def test_a_cell_keeps_what_is_typed(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget, column: Column, search: str
) -> None:
    design = cluster_window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    view, hep = design.tree_view, node(cluster_window, HEP)
    design.controls.search.setText(search)
    view.setFocus()
    view.edit_node(hep, column)
    editor = view.viewport().findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    QTest.keyClicks(editor, "17")
    others_act(cluster_window, play)
    (editor,) = [one for one in view.viewport().findChildren(QLineEdit) if one.isVisible()]
    assert (editor.text(), editor.isModified()) == ("17", True)
    QTest.keyClicks(editor, "3")
    with qtbot.waitSignal(document_of(cluster_window).edited):
        QTest.keyClick(editor, Qt.Key.Key_Return)
    now = document_of(cluster_window).tree.node(hep)
    assert "173" in (now.name, str(now.shares))


def test_esc_takes_back_what_is_typed_and_another_node_has_its_own(
    cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    window = cluster_window
    (panel,) = window.findChildren(NodePanel)
    window.session.select([node(window, HEP)])
    shares = panel.editor("Shares")
    before = shares.text()
    shares.setFocus()
    shares.selectAll()
    QTest.keyClicks(shares, "1x")
    others_act(window, play)
    QTest.keyClick(shares, Qt.Key.Key_Return)
    assert panel.fault
    others_act(window, play)
    assert (shares.text(), bool(panel.fault)) == ("1x", True)
    QTest.keyClick(shares, Qt.Key.Key_Escape)
    assert shares.text() == before
    QTest.keyClicks(shares, "9")
    window.session.select([node(window, _OPS)])
    assert shares.text() == str(document_of(window).tree.find(_OPS).shares)
    assert not shares.isModified()


def test_a_change_that_is_typed_stays_beside_new_names(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    fields: list[QWidget] = cluster_window.findChildren(ChangesField)
    for field in fields:
        assert isinstance(field, ChangesField)
        line = field.subject.lineEdit()
        assert line is not None
        QTest.keyClicks(line, "root/ph")
        others_act(cluster_window, play)
        assert line.text() == "root/ph"
