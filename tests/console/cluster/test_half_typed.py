"""What is half typed belongs to its writer: no poll, command or colleague replaces, clears or enters it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, product

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.analyse.forecast.panel import CLUSTER as CLUSTER_MODE
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.columns import Column
from fsconsole.console.design.node_panel import NodePanel
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.kit.changes_field import ChangesField
from fsconsole.console.notices import NotEnteredNotice
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from fsconsole.shares.edits import Edit, Insert, Move, Remove, Rename, SetField, SetShares
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.slurm.cluster_tree import share_tree
from fsconsole.slurm.own_limits import with_own
from tests.console.cluster.play import PlayTarget
from tests.console.cluster.test_change_set_worker import HEP, document_of, node, store
from tests.console.conftest import notice_of

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


def cell_editor(window: ConsoleWindow, column: Column) -> QLineEdit:
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    design.tree_view.edit_node(node(window, HEP), column)
    return the_editor(window)


def the_editor(window: ConsoleWindow) -> QLineEdit:
    """The one editor that is open in the tree."""
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    (found,) = [one for one in design.tree_view.viewport().findChildren(QLineEdit) if one.isVisible()]
    return found


def node_panel(window: ConsoleWindow) -> NodePanel:
    (panel,) = window.findChildren(NodePanel)
    window.session.select([node(window, HEP)])
    return panel


PLACES: dict[str, Callable[[ConsoleWindow], QLineEdit]] = {
    "Name": lambda window: cell_editor(window, Column.NAME),
    "Shares": lambda window: cell_editor(window, Column.SHARES),
    "Name, panel": lambda window: node_panel(window).editor("Name"),
    "Shares, panel": lambda window: node_panel(window).editor("Shares"),
    "Note, panel": lambda window: node_panel(window).editor("Note"),
    "GrpJobs, panel": lambda window: node_panel(window).dialect.editor("GrpJobs"),
}
CHANGES: dict[str, Callable[[ShareTree, int], list[Edit]]] = {
    "renamed": lambda _, hep: [Rename(hep, "colliders")],
    "other shares": lambda _, hep: [SetShares.of(hep, 33)],
    "another note": lambda _, hep: [SetField(hep, "note", "to be read")],
    "moved": lambda tree, hep: [Move(hep, tree.find("root/bio").id, 0)],
    "removed and added elsewhere": lambda tree, hep: [
        Remove(hep),
        Insert(tree.find("root/bio").id, 0, Remove(hep).apply(tree.copy()).nodes),
    ],
    "removed": lambda _, hep: [Remove(hep)],
}


@pytest.fixture
def limits_window(qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget) -> ConsoleWindow:
    """The same with limits, which hep has."""
    tree, cluster = play.now.tree, cluster_window.session.offer(CLUSTER)
    assert tree is not None
    assert cluster is not None
    stored = with_own(tree.stored, {("hep", "", ""): {"GrpJobs": "7"}}, ())
    play.publish(tree=replace(tree, stored=stored, shares=share_tree(stored, tree.nodes)))
    cluster.look()
    qtbot.waitUntil(lambda: node_panel(cluster_window).dialect.has_limits)
    return cluster_window


@pytest.mark.parametrize(("place", "change"), [*product(PLACES, CHANGES)])
def test_what_is_typed_goes_to_its_node_or_is_kept_in_a_notice(
    limits_window: ConsoleWindow, place: str, change: str
) -> None:
    cluster_window = limits_window
    document, hep = document_of(cluster_window), node(cluster_window, HEP)
    before = len(document.changes)
    editor = PLACES[place](cluster_window)
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, "1789")
    editor.setCursorPosition(2)
    document.edit(f"Outside: {change}", CHANGES[change](document.tree, hep))
    QApplication.processEvents()
    notice = notice_of(cluster_window, NotEnteredNotice)
    is_left = change == "removed and added elsewhere" and "panel" in place
    assert notice.is_wanted == (change == "removed" or is_left)
    assert len(document.changes) == before + 1
    if notice.is_wanted:
        assert {"'1789'", place.partition(",")[0]} <= set(notice.text.split())
        assert not cluster_window.session.typed_entries
        return
    if "panel" not in place:
        editor = the_editor(cluster_window)
    assert (editor.text(), editor.cursorPosition(), editor.hasFocus()) == ("1789", 2, True)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QApplication.processEvents()
    found = document.tree.node(hep)
    entered = (found.name, str(found.shares), found.note, *map(str, found.foreign.values()))
    assert "1789" in entered
    assert len(document.changes) == before + 2


def test_an_editor_is_in_sight_where_its_node_was_moved_into_a_closed_group(
    cluster_window: ConsoleWindow,
) -> None:
    document, hep = document_of(cluster_window), node(cluster_window, HEP)
    editor = cell_editor(cluster_window, Column.SHARES)
    QTest.keyClicks(editor, "1789")
    bio = document.tree.find("root/bio").id
    design = cluster_window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    design.tree_view.collapse(design.tree_view.index_of(bio))
    document.edit("Outside: moved", [Move(hep, bio, 0)])
    QApplication.processEvents()
    assert the_editor(cluster_window).text() == "1789"
    assert design.tree_view.viewport().rect().contains(the_editor(cluster_window).geometry())


@pytest.mark.parametrize("place", [one for one in PLACES if "panel" in one])
@pytest.mark.parametrize("leaves", ["another node", "locked", "workspaces"])
def test_what_is_typed_into_the_panel_stays_or_is_kept_in_a_notice(
    limits_window: ConsoleWindow, place: str, leaves: str
) -> None:
    window = limits_window
    document = document_of(window)
    editor = PLACES[place](window)
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, "1789")
    before = window.session.selection
    if leaves == "workspaces":
        for name in WORKSPACES:
            window.workspace(name)
    elif leaves == "locked":
        document.locked = "The cluster does not respond."
        window.session.edited.emit(())
    else:  # As a command does, which does not take the focus from the field.
        window.session.select([node(window, _OPS)])
    QApplication.processEvents()
    notice = notice_of(window, NotEnteredNotice)
    if leaves == "workspaces":
        assert (editor.text(), window.session.selection, notice.is_wanted) == ("1789", before, False)
    else:
        assert {"'1789'", place.partition(",")[0]} <= set(notice.text.split())


def test_a_name_that_others_have_taken_by_now_is_not_lost(
    cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    editor = cell_editor(cluster_window, Column.NAME)
    editor.selectAll()
    QTest.keyClicks(editor, "taken")
    parent = document_of(cluster_window).tree.node(node(cluster_window, HEP)).parent
    assert parent is not None
    added = Node(950, "taken", 3, Kind.GROUP)
    store(cluster_window, play, [Insert(parent, 0, (added,))], {added.id: ("taken", "", "")})
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert (editor.isVisible(), editor.text(), editor.property("look")) == (True, "taken", "error")


@pytest.mark.parametrize("end", ["reset", "removed", "closed", "Esc"])
def test_a_preview_ends_with_the_editor_that_began_it(cluster_window: ConsoleWindow, end: str) -> None:
    design = cluster_window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    document, hep = document_of(cluster_window), node(cluster_window, HEP)
    editor = cell_editor(cluster_window, Column.SHARES)
    editor.selectAll()
    QTest.keyClicks(editor, "1789")
    assert design.preview.tries(hep)
    if end == "reset":
        design.tree_view.tree_model.show_found(None)
        assert design.preview.tries(hep)  # The editor is open again.
        QTest.keyClick(the_editor(cluster_window), Qt.Key.Key_Escape)
    elif end == "removed":
        document.edit("Remove", [Remove(hep)])
    elif end == "closed":
        cluster_window.session.open(None)
    else:
        QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert not design.preview.pairs
    assert not cluster_window.session.typed_entries


def test_a_planned_job_keeps_what_is_typed(
    qtbot: QtBot, cluster_window: ConsoleWindow, play: PlayTarget
) -> None:
    """Beside others, and beside a window that opens."""
    cluster_window.show_workspace("analyse")
    forecast = cluster_window.stack.analyse.forecast_controller
    forecast.show()
    forecast.panel.mode.choose(CLUSTER_MODE)
    form = forecast.panel.cluster.form
    qtbot.waitUntil(lambda: form.cluster is not None)
    form.bar.setCurrentIndex(1)  # the tab of planned jobs
    form.jobs.add_job()
    editor = form.jobs.view.findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    QTest.keyClicks(editor, "3")
    jobs = form.jobs.model.jobs
    others_act(cluster_window, play)
    dialog = Dialog("Question", cluster_window)
    with qtbot.waitActive(dialog):
        dialog.open()
    dialog.reject()
    cluster_window.activateWindow()
    qtbot.waitUntil(editor.hasFocus)
    assert (editor.isVisible(), editor.text(), form.jobs.model.jobs) == (True, "3", jobs)
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: form.jobs.model.jobs[-1].cores == 3)
