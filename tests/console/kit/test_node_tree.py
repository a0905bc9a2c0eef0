"""Many rows selected at once: as few ranges, in each table, with few questions to the model."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QPainter
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QTreeView
from pytestqt.qtbot import QtBot

import fsconsole.console
from fsconsole.app.tree.rearrange import tops
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.design.tree_view import ShareTreeView
from fsconsole.console.document import Document
from fsconsole.console.kit.node_tree import NodeModel, NodeTreeView
from fsconsole.console.kit.tables import Column, FlatTree, RowModel, Table
from fsconsole.console.live.legend import LegendView
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.edits import Remove
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID, Kind, ShareTree

GROUPS, MEMBERS = 5, 120
Views = tuple[ConsoleSession, ShareTreeView, LegendView]
_Modifier = Qt.KeyboardModifier


def _tree(groups: int = GROUPS, members: int = MEMBERS) -> ShareTree:
    tree = ShareTree("root")
    for group in range(groups):
        above = tree.add(ROOT_ID, f"group{group}", kind=Kind.GROUP).id
        for member in range(members):
            tree.add(above, f"user{group}-{member}")
    return tree


def _open(session: ConsoleSession, tree: ShareTree, *views: NodeTreeView) -> None:
    session.open(Document(Scenario(tree)))
    for view in views:
        view.expandAll()


@pytest.fixture
def views(qtbot: QtBot, empty_session: ConsoleSession) -> Iterator[Views]:
    """The same tree in Design and in Observe's legend, all groups open."""
    made = ShareTreeView(empty_session, SharePreview(empty_session)), LegendView(empty_session)
    empty_session.document_changed.connect(made[1].show_document)
    empty_session.selection_changed.connect(made[1].follow_selection)
    for view in made:
        qtbot.addWidget(view)
        view.resize(900, 400)
        view.show()
    _open(empty_session, _tree(), *made)
    yield empty_session, *made
    for view in made:
        view.hide()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Questions for parents, which Qt asks for each range that it compares."""
    calls: list[str] = []
    ask = NodeModel.parent_of

    def parent_of(model: NodeModel, node: int) -> int | None:
        calls.append("parent")
        return ask(model, node)

    monkeypatch.setattr(NodeModel, "parent_of", parent_of)
    return calls


def _select_all(view: QTreeView | QTableView) -> None:
    QTest.keyClick(view, Qt.Key.Key_A, _Modifier.ControlModifier)


def _click(view: NodeTreeView, node: int, modifier: Qt.KeyboardModifier) -> None:
    index = view._nodes.index_of(node)
    view.scrollTo(index)
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, modifier, view.visualRect(index).center() + QPoint(20, 0)
    )


@pytest.mark.parametrize("place", [1, 2], ids=["design", "legend"])
def test_all_nodes_are_few_ranges_and_few_questions(views: Views, asked: list[str], place: int) -> None:
    session, view = views[0], views[place]
    assert isinstance(view, NodeTreeView)
    told = QSignalSpy(session.selection_changed)
    asked.clear()
    _select_all(view)
    assert told.count() == 1
    assert session.document is not None
    assert set(session.selection) == {node.id for node in session.document.tree.walk()}
    for one in views[1:]:
        assert set(one.selected_nodes) == set(session.selection)
        assert one.selectionModel().selection().size() == GROUPS + 2
    assert len(asked) < 60 * GROUPS  # There are 606 rows.


@pytest.mark.parametrize("place", [1, 2], ids=["design", "legend"])
def test_a_repaint_asks_as_much_for_many_ranges_as_for_one(
    views: Views, asked: list[str], place: int
) -> None:
    session, view = views[0], views[place]
    assert isinstance(view, NodeTreeView)

    def painted(groups: int) -> int:
        _open(session, _tree(groups, 600 // groups), view)
        view.selectAll()
        view.scrollToBottom()
        view.viewport().grab()
        asked.clear()
        view.viewport().grab()
        return len(asked)

    assert painted(100) < 2 * painted(4)


def test_selected_rows_are_painted_so(views: Views) -> None:
    session, design, _ = views

    class Seen(QStyledItemDelegate):
        def __init__(self) -> None:
            super().__init__(design)
            self.selected: dict[str, bool] = {}

        def paint(
            self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
        ) -> None:
            self.selected[index.data()] = bool(option.state & QStyle.StateFlag.State_Selected)

    seen = Seen()
    design.setItemDelegateForColumn(0, seen)
    assert session.document is not None
    session.select(session.document.tree.find(f"user0-{number}").id for number in (1, 2, 4))
    design.viewport().grab()
    assert [seen.selected[f"user0-{number}"] for number in range(6)] == [
        False,
        True,
        True,
        False,
        True,
        False,
    ]
    assert Qt.ItemFlag.ItemIsSelectable in design.model().flags(design.index_of(1))


def test_rows_are_taken_from_and_added_to_many(views: Views) -> None:
    """With Ctrl, also one after the other, and with Shift over more rows than Qt itself selects."""
    session, design, _ = views
    assert session.document is not None
    tree = session.document.tree
    first, second = (tree.find(f"user0-{number}").id for number in (3, 5))
    everything = {node.id for node in tree.walk()}
    _select_all(design)
    for node in (first, second):
        _click(design, node, _Modifier.ControlModifier)
    assert set(session.selection) == everything - {first, second}
    _click(design, first, _Modifier.ControlModifier)
    assert set(session.selection) == everything - {second}
    _click(design, first, _Modifier.NoModifier)
    assert session.selection == (first,)
    last = tree.find("user1-7").id
    _click(design, last, _Modifier.ShiftModifier)
    between = design.nodes_shown()
    assert set(session.selection) == set(between[between.index(first) : between.index(last) + 1])
    assert design.selectionModel().selection().size() <= 3


@pytest.mark.parametrize("place", [1, 2], ids=["design", "legend"])
def test_a_selection_that_shift_extends_over_many_groups_is_few_questions(
    views: Views, asked: list[str], place: int
) -> None:
    session, view = views[0], views[place]
    assert isinstance(view, NodeTreeView)
    _open(session, _tree(100, 6), view)
    shown = view.nodes_shown()
    _click(view, shown[0], _Modifier.NoModifier)
    asked.clear()
    QTest.keyClick(view, Qt.Key.Key_End, _Modifier.ShiftModifier)
    assert set(session.selection) == set(shown)
    assert len(asked) < 2 * len(shown)  # With Qt's own command 17 times as many.


def test_a_view_out_of_sight_does_nothing_and_follows_when_it_is_shown(
    views: Views, asked: list[str]
) -> None:
    session, design, legend = views
    legend.hide()
    told = QSignalSpy(legend.selectionModel().selectionChanged)
    design.selectAll()
    assert legend.selectionModel().selection().size() == 0
    assert told.count() == 0
    legend.show()
    assert set(legend.selected_nodes) == set(session.selection)


def test_what_is_removed_from_a_view_out_of_sight_changes_no_selection(views: Views) -> None:
    session, design, _ = views
    assert session.document is not None
    first, second = (session.document.tree.find(f"user0-{number}").id for number in (3, 5))
    session.select((first,))
    design.hide()
    session.select((second,))
    session.document.edit("Remove", [Remove(first)])
    assert session.selection == (second,)


class Numbers(RowModel[int]):
    """Numbers in two columns."""

    def __init__(self, count: int) -> None:
        super().__init__((Column("Number", str), Column("Half", lambda row: str(row // 2))))
        self.flags_asked = 0
        self.set_rows(range(count))

    def flags(self, index: QModelIndex | QPersistentModelIndex) -> Qt.ItemFlag:
        self.flags_asked += 1
        return super().flags(index)


@pytest.mark.parametrize("make", [Table, FlatTree])
def test_rows_of_tables_are_few_questions_too(qtbot: QtBot, make: Callable[..., Table[int]]) -> None:
    model = Numbers(2000)
    view = make(model, "Numbers", None)
    view.setParent(None)
    qtbot.addWidget(view)
    view.setSelectionMode(view.SelectionMode.ExtendedSelection)
    view.show()
    signals = QSignalSpy(view.selectionModel().selectionChanged)
    view.selectAll()
    assert signals.count() == 1
    model.flags_asked = 0
    assert view.selected() == [*range(2000)]
    assert model.flags_asked < 100


def test_no_view_asks_qt_for_lists_of_rows_or_cells() -> None:
    """It compares each with all ranges, and asks for the flags of all their cells."""
    found = [
        f"{path.name}:{node.lineno}"
        for path in Path(fsconsole.console.__path__[0]).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("selectedRows", "selectedIndexes")
    ]
    assert found == []


def test_nodes_below_others_are_left_out_in_the_order_of_the_tree() -> None:
    tree = _tree(3, 4)
    ids = {node.name: node.id for node in tree.walk()}
    chosen = ("user2-1", "group1", "user1-0", "user0-3", "user0-1", "root")
    assert [tree.node(node).name for node in tops(tree, [*(ids[name] for name in chosen), 9999])] == [
        "user0-1", "user0-3", "group1", "user2-1",
    ]  # fmt: skip
