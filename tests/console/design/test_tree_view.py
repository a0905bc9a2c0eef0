from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

import pytest
from PySide6.QtCore import QMimeData, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QDrag, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from fsconsole.console.design.columns import Column
from fsconsole.console.design.editors import SharesDelegate
from fsconsole.console.design.preview import Figures, SharePreview
from fsconsole.console.design.readouts import typed_lines
from fsconsole.console.design.tree_filter import find
from fsconsole.console.design.tree_model import NODE_ROLE, nodes_from_mime, nodes_to_mime
from fsconsole.console.design.tree_view import ShareTreeView
from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.readout import Readout
from fsconsole.shares.edits import Remove
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.tree import Kind
from fsconsole.text.numbers import short_percent
from fsconsole.text.words import listed
from tests.console.design.trees import navoceano
from tests.texts import says, wording

Key = Qt.Key


@pytest.fixture
def document(design: ConsoleSession) -> Document:
    assert design.document is not None
    return design.document


@pytest.fixture
def view(qtbot: QtBot, design: ConsoleSession, document: Document) -> Iterator[ShareTreeView]:
    made = ShareTreeView(design, SharePreview(design))
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    made.activateWindow()
    made.setFocus()
    yield made
    made.hide()


def select(session: ConsoleSession, *names: str) -> list[int]:
    assert session.document is not None
    nodes = [session.document.tree.find(name).id for name in names]
    session.select(nodes)
    return nodes


def editor_of(view: ShareTreeView) -> QLineEdit:
    found = view.viewport().findChild(QLineEdit)
    assert found is not None
    return found


def shares_readout(view: ShareTreeView) -> Readout:
    delegate = view.itemDelegateForColumn(Column.SHARES)
    assert isinstance(delegate, SharesDelegate)
    return delegate.readout


def test_a_kind_chosen_after_its_node_has_gone_changes_nothing(
    qtbot: QtBot, design: ConsoleSession, document: Document, view: ShareTreeView
) -> None:
    """The list of kinds may be open while somebody else removes the node; Qt warns of a lost editor."""
    leaf = next(each for each in document.tree.walk() if each.kind is Kind.USER or not each.is_group)
    select(design, leaf.name)
    view.edit(view.currentIndex().siblingAtColumn(Column.KIND))
    editor = view.viewport().findChild(QComboBox)
    assert editor is not None
    document.edit("Remove", [Remove(leaf.id)])
    editor.activated.emit(0)
    assert leaf.id not in document.tree


def test_typing_a_number_edits_the_shares(
    qtbot: QtBot, design: ConsoleSession, document: Document, view: ShareTreeView
) -> None:
    [other] = select(design, "DoD Other")
    QTest.keyClicks(view, "1")
    editor = editor_of(view)
    QTest.keyClicks(editor, "5")
    readout = shares_readout(view)
    shares, of_machine, of_others, hint = readout.text().splitlines()
    name, _, numbers = shares.partition(": ")
    assert name == "DoD Other"
    assert re.findall(r"\d+", numbers)[:3] == ["10", "15", "105"]
    assert numbers.endswith(f"= {short_percent(15 / 105)} of DoD")
    machine = wording("console.design.share-of-machine-6")
    assert of_machine.removeprefix(machine).split(" ")[1:] == ["6.375\xa0%", "9.107\xa0%"]
    others = wording("console.design.each-other-sibling")
    assert of_others.removeprefix(others).split(" ")[1:] == ["19.125\xa0%", "18.214\xa0%"]
    assert hint == wording("console.design.type-15-15-or-for")
    assert view.index_of(other, Column.PART_OF_MACHINE).data() == "9.107\xa0%"
    assert document.tree.node(other).shares == 10
    QTest.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: document.tree.node(other).shares == 15)
    assert document.stack.count() == 1
    qtbot.waitUntil(lambda: not readout.isVisible())


def test_the_readout_stays_beside_its_cell_while_the_rows_scroll(
    qtbot: QtBot, design: ConsoleSession, view: ShareTreeView
) -> None:
    view.setFixedHeight(120)
    qtbot.waitUntil(lambda: view.verticalScrollBar().maximum() > 0)
    select(design, "DoD Other")
    QTest.keyClicks(view, "1")
    editor, readout, bar = editor_of(view), shares_readout(view), view.verticalScrollBar()
    QTest.keyClicks(editor, "5")
    qtbot.waitUntil(readout.isVisible)
    for value in (bar.maximum(), bar.minimum(), bar.maximum() // 2):
        bar.setValue(value)
        place = QRect(editor.mapToGlobal(QPoint()), editor.size())
        assert not readout.geometry().intersects(place)
        above, below = place.top() - readout.geometry().bottom(), readout.y() - place.bottom()
        assert 0 < max(above, below) < 10
    QTest.keyClick(editor, Key.Key_Escape)


def test_the_readout_names_the_others(design: ConsoleSession, document: Document) -> None:
    tree = document.tree
    [army, navy] = (tree.find(name) for name in ("Army", "Navy R&D"))
    tree.writable(navy.id).shares = 20
    before = Figures.of(FlatTree.of(tree))
    lines = typed_lines(tree, tree.find("DoD Other"), before, before)
    assert [line.label for line in lines[1:]] == [listed(["Army", "Air Force"]), "Navy R&D"]
    for number in range(3):
        tree.add(army.parent or 0, f"Navy {number}", 20, Kind.GROUP)
    before = Figures.of(FlatTree.of(tree))
    lines = typed_lines(tree, tree.find("DoD Other"), before, before)
    assert lines[2].label == listed(["Navy R&D", "Navy 0", "Navy 1", "Navy 2"], 2) + ", each"


def test_esc_reverts(qtbot: QtBot, design: ConsoleSession, document: Document, view: ShareTreeView) -> None:
    [other] = select(design, "DoD Other")
    QTest.keyClicks(view, "7")
    QTest.keyClick(editor_of(view), Key.Key_Escape)
    assert document.tree.node(other).shares == 10
    assert document.stack.count() == 0
    assert view.index_of(other, Column.PART_OF_MACHINE).data() == "6.375\xa0%"


def test_a_wrong_text_keeps_the_editor_open(
    qtbot: QtBot, design: ConsoleSession, document: Document, view: ShareTreeView
) -> None:
    [other] = select(design, "DoD Other")
    QTest.keyClicks(view, "1")
    editor = editor_of(view)
    QTest.keyClicks(editor, "x")
    QTest.keyClick(editor, Key.Key_Return)
    assert view.viewport().findChild(QLineEdit) is editor
    assert editor.property("look") == "error"
    assert shares_readout(view).text() == wording("app.tree.is-not-whole-number-of", text="'1x'")
    QTest.keyClick(editor, Key.Key_Backspace)
    assert not editor.property("look")
    QTest.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: document.tree.node(other).shares == 1)


def test_renaming_to_a_taken_name_is_refused_in_place(
    qtbot: QtBot, document: Document, view: ShareTreeView
) -> None:
    army = document.tree.find("Army").id
    view.edit_node(army)
    editor = editor_of(view)
    editor.selectAll()
    QTest.keyClicks(editor, "Air Force")
    QTest.keyClick(editor, Key.Key_Return)
    assert editor.property("look") == "error"
    QTest.keyClicks(editor, "s")
    QTest.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: document.tree.node(army).name == "Air Forces")


def test_tab_goes_on_to_the_next_cell(qtbot: QtBot, document: Document, view: ShareTreeView) -> None:
    army = document.tree.find("Army").id
    view.edit_node(army, Column.SHARES)
    editor = editor_of(view)
    QTest.keyClicks(editor, "31")
    QTest.keyClick(editor, Key.Key_Tab)
    assert document.tree.node(army).shares == 31
    assert view.currentIndex().column() == Column.NOTE
    qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
    following = cast("QLineEdit", QApplication.focusWidget())
    QTest.keyClicks(following, "at sea")
    QTest.keyClick(following, Key.Key_Return)
    qtbot.waitUntil(lambda: document.tree.node(army).note == "at sea")


def test_selection_is_linked_both_ways(qtbot: QtBot, design: ConsoleSession, view: ShareTreeView) -> None:
    [p2104] = select(design, "p2104")
    assert [index.data(NODE_ROLE) for index in view.selectionModel().selectedRows()] == [p2104]
    assert view.visualRect(view.index_of(p2104)).isValid()
    view.setCurrentIndex(view.index_of(p2104))
    QTest.keyClick(view, Key.Key_Down)
    assert design.document is not None
    below = design.document.tree.find("p2107").id
    assert list(design.selection) == [below]
    QTest.keyClick(view, Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    assert len(design.selection) == 2
    assert (
        design.selection[0] == view.node_at(view.currentIndex()) == p2104
    )  # the form edits the outlined row


def test_expanded_groups_survive_removal_and_undo(
    design: ConsoleSession, document: Document, view: ShareTreeView
) -> None:
    from fsconsole.app.tree.rearrange import Place, moves_to, remove

    lab, army = document.tree.find("Lab A1").id, document.tree.find("Army").id
    view.expand(view.index_of(lab))
    document.edit("Move", moves_to(document.tree, [lab], Place(army, 0)))
    assert view.isExpanded(view.index_of(lab))
    document.edit("Remove", remove(document.tree, [army]))
    document.stack.undo()
    assert view.isExpanded(view.index_of(lab))


def dragged(view: ShareTreeView, data: QMimeData, at: QPoint) -> QDragMoveEvent:
    event = QDragMoveEvent(
        at, Qt.DropAction.MoveAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    view.dragMoveEvent(event)
    return event


def dropped(view: ShareTreeView, data: QMimeData, at: QPoint) -> None:
    view.dropEvent(
        QDropEvent(
            at, Qt.DropAction.MoveAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        )
    )


def test_what_is_dragged_hides_nothing(
    design: ConsoleSession, document: Document, view: ShareTreeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[QDrag] = []
    monkeypatch.setattr(QDrag, "exec", lambda drag, _actions: begun.append(drag))
    [army, navy] = select(design, "Army", "Navy R&D")
    view.startDrag(Qt.DropAction.MoveAction)
    [drag] = begun
    assert nodes_from_mime(drag.mimeData()) == [army, navy]
    assert drag.pixmap().size() == QSize(1, 1)
    assert drag.pixmap().toImage().pixelColor(0, 0).alpha() == 0
    select(design, "Machine")
    view.startDrag(Qt.DropAction.MoveAction)
    assert len(begun) == 1


def test_dropping_into_a_group(document: Document, view: ShareTreeView) -> None:
    p2107, lab_a2 = (document.tree.find(name).id for name in ("p2107", "Lab A2"))
    at = view.visualRect(view.index_of(lab_a2)).center()
    data = nodes_to_mime([p2107])
    assert dragged(view, data, at).isAccepted()
    assert says(
        view._drop_label.text,
        "app.tree.drop-into-entitled-share",
        name="Lab A2",
        before="3.825\xa0%",
        after="7.650\xa0%",
    )
    dropped(view, data, at)
    assert document.tree.node(p2107).parent == lab_a2
    assert document.stack.undoText() == "Move"
    assert view._drop_label.text == ""


def test_dropping_between_rows_reorders(document: Document, view: ShareTreeView) -> None:
    p2107, p2101, lab = (document.tree.find(name).id for name in ("p2107", "p2101", "Lab A1"))
    rect = view.visualRect(view.index_of(p2101))
    data = nodes_to_mime([p2107])
    at = QPoint(rect.center().x(), rect.top() + 2)
    assert dragged(view, data, at).isAccepted()
    dropped(view, data, at)
    assert document.tree.node(lab).children[0] == p2107


def test_a_group_cannot_drop_into_itself(document: Document, view: ShareTreeView) -> None:
    air_force, lab = document.tree.find("Air Force").id, document.tree.find("Lab A2").id
    at = view.visualRect(view.index_of(lab)).center()
    data = nodes_to_mime([air_force])
    assert not dragged(view, data, at).isAccepted()
    assert says(view._drop_label.text, "shares.cannot-move-into-itself")
    dropped(view, data, at)
    assert document.stack.count() == 0


def test_the_filter_shows_matches_with_their_groups(document: Document, view: ShareTreeView) -> None:
    flat = document.flat
    texts = [node.name.casefold() for node in document.tree.walk()]
    view.show_found(find(flat, texts, "P210"))
    shown = {name for name in texts if view.index_of(document.tree.find(_spelt(document, name)).id).isValid()}
    assert shown == {"machine", "user", "dod", "air force", "lab a1", "p2101", "p2104", "p2107"}
    view.show_found(None)
    assert view.index_of(document.tree.find("Army").id).isValid()


def _spelt(document: Document, folded: str) -> str:
    return next(node.name for node in document.tree.walk() if node.name.casefold() == folded)


def test_finding_a_group_shows_what_is_below_it() -> None:
    tree = navoceano()
    flat = FlatTree.of(tree)
    found = find(flat, [node.name.casefold() for node in tree.walk()], "air")
    names = {tree.node(int(node)).name for node in flat.ids[found.shown]}
    assert names == {"Machine", "User", "DoD", "Air Force", "Lab A1", "Lab A2", "p2101", "p2104", "p2107"}
    assert int(found.matches.sum()) == 1
