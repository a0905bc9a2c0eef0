from __future__ import annotations

from typing import Any

import pytest
import shiboken6
from hypothesis import HealthCheck
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QUndoStack
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from fsconsole.app.tree import rearrange
from fsconsole.console.design.columns import TITLES, Column
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.design.tree_model import (
    NODE_ROLE,
    ShareTreeModel,
    nodes_from_mime,
    nodes_to_mime,
)
from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.console.widgets.share_bar import ShareBarRole
from fsconsole.shares.edits import Edit, Rename, SetField, SetShares
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, TreeError
from tests.console.design.trees import navoceano
from tests.laws import tries
from tests.texts import wording


@pytest.fixture
def model(design: ConsoleSession) -> ShareTreeModel:
    return ShareTreeModel(design, SharePreview(design))


def document_of(session: ConsoleSession) -> Document:
    assert session.document is not None
    return session.document


def text(model: ShareTreeModel, name: str, column: Column, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
    assert model.tree is not None
    return model.index_of(model.tree.find(name).id, column).data(role)


def as_shown(model: ShareTreeModel, index: QModelIndex = QModelIndex()) -> list[Any]:  # noqa: B008
    """Names as a view finds them, by rows."""
    children = [model.index(row, 0, index) for row in range(model.rowCount(index))]
    return [[child.data(), as_shown(model, child)] for child in children]


def as_held(session: ConsoleSession, node_id: int = 0) -> list[Any]:
    tree = document_of(session).tree
    return [tree.node(node_id).name, [as_held(session, child.id) for child in tree.children(node_id)]]


def test_what_the_cells_say(model: ShareTreeModel) -> None:
    assert [model.headerData(c, Qt.Orientation.Horizontal) for c in Column] == list(TITLES.values())
    assert text(model, "Army", Column.KIND) == "group"
    assert text(model, "Machine", Column.KIND) == "root"
    assert text(model, "Army", Column.SHARES) == "30"
    assert text(model, "Machine", Column.SHARES) == "–"
    assert text(model, "Army", Column.PART_OF_GROUP) == "30.00\xa0%"
    assert text(model, "Army", Column.PART_OF_MACHINE) == "19.125\xa0%"
    spoken = text(model, "Army", Column.PART_OF_MACHINE, Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == wording("text.percent", what=wording("console.design.share-of-machine"), text="19.125")
    fraction = text(model, "Army", Column.PART_OF_MACHINE, ShareBarRole.FRACTION)
    assert type(fraction) is float
    assert fraction == pytest.approx(0.19125)


def test_a_preview_shows_in_the_bars_and_nowhere_else(
    qtbot: QtBot, design: ConsoleSession, model: ShareTreeModel
) -> None:
    """The figures of the mock-up: DoD Other from 10 to 15 shares of 105."""
    preview = model.cells._preview
    other = document_of(design).tree.find("DoD Other").id
    with qtbot.waitSignal(model.figures_changed):
        preview.show([(other, 15)])
    assert text(model, "DoD Other", Column.SHARES) == "15"
    assert text(model, "DoD Other", Column.PART_OF_MACHINE) == "9.107\xa0%"
    assert text(model, "Army", Column.PART_OF_MACHINE) == "18.214\xa0%"
    old = text(model, "Army", Column.PART_OF_MACHINE, ShareBarRole.OLD_FRACTION)
    assert old == pytest.approx(0.19125)
    assert document_of(design).tree.node(other).shares == 10
    preview.clear()
    assert text(model, "Army", Column.PART_OF_MACHINE) == "19.125\xa0%"
    assert text(model, "Army", Column.PART_OF_MACHINE, ShareBarRole.OLD_FRACTION) is None


def test_problems_stand_in_the_note(design: ConsoleSession, model: ShareTreeModel) -> None:
    army = document_of(design).tree.find("Army").id
    model.set_problems({army: Problem("at sea", Severity.ERROR, node=army)})
    assert text(model, "Army", Column.NOTE) == "at sea"
    assert text(model, "Army", Column.NOTE, Qt.ItemDataRole.DecorationRole) is not None
    assert text(model, "Army", Column.NAME, Qt.ItemDataRole.BackgroundRole) is not None


def test_nodes_travel_by_id(model: ShareTreeModel) -> None:
    assert nodes_from_mime(nodes_to_mime([3, 70_000])) == [3, 70_000]
    mime = model.mimeData([model.index_of(3, column) for column in Column])
    assert nodes_from_mime(mime) == [3]


def test_places_survive_a_move(design: ConsoleSession, model: ShareTreeModel) -> None:
    document = document_of(design)
    lab, army = document.tree.find("Lab A1").id, document.tree.find("Army").id
    kept = QPersistentModelIndex(model.index_of(lab))
    document.edit("Move", rearrange.moves_to(document.tree, [lab], rearrange.Place(army, 0)))
    assert kept.isValid()
    assert kept.data(NODE_ROLE) == lab
    assert kept.parent().data() == "Army"
    document.stack.undo()
    assert kept.parent().data() == "Air Force"


def test_another_document_resets_the_model(
    qtbot: QtBot, design: ConsoleSession, model: ShareTreeModel
) -> None:
    with qtbot.waitSignal(model.modelReset):
        design.open(None)
    assert model.rowCount() == 0
    assert not model.index_of(0).isValid()


class Editing(RuleBasedStateMachine):
    """Random edits, undo and redo through the document; the model follows and its tester is content."""

    session: ConsoleSession

    def __init__(self) -> None:
        super().__init__()
        self.session.open(Document(Scenario(navoceano())))
        self.document = document_of(self.session)
        self.model = ShareTreeModel(self.session, SharePreview(self.session))
        mode = QAbstractItemModelTester.FailureReportingMode.Fatal
        self.tester = QAbstractItemModelTester(self.model, mode)

    @property
    def stack(self) -> QUndoStack:
        return self.document.stack

    def edit(self, *edits: Edit) -> None:
        try:
            self.document.edit("Change", edits)
        except TreeError:
            return

    def nodes(self, data: st.DataObject) -> list[int]:
        known = [node.id for node in self.document.tree.walk()]
        return data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=3))

    @rule(data=st.data(), shares=st.integers(0, 99))
    def set_shares(self, data: st.DataObject, shares: int) -> None:
        self.edit(SetShares(tuple((node, shares) for node in self.nodes(data))))

    @rule(data=st.data(), name=st.text("abc", min_size=1, max_size=2))
    def rename(self, data: st.DataObject, name: str) -> None:
        self.edit(Rename(self.nodes(data)[0], name), SetField(self.nodes(data)[0], "note", name))

    @rule(data=st.data(), kind=st.sampled_from(list(Kind)))
    def add(self, data: st.DataObject, kind: Kind) -> None:
        self.edit(rearrange.add(self.document.tree, self.nodes(data)[0], kind))

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        self.edit(*rearrange.remove(self.document.tree, self.nodes(data)))

    @rule(data=st.data())
    def duplicate(self, data: st.DataObject) -> None:
        if len(self.document.tree) < 60:
            self.edit(*rearrange.duplicate(self.document.tree, self.nodes(data)))

    @rule(data=st.data(), row=st.integers(0, 4))
    def move(self, data: st.DataObject, row: int) -> None:
        tree, [*nodes] = self.document.tree, self.nodes(data)
        target = self.nodes(data)[0]
        place = rearrange.Place(target, min(row, len(tree.node(target).children)))
        try:
            moves = rearrange.moves_to(tree, nodes, place)
        except TreeError:
            return
        self.edit(*moves)

    @precondition(lambda self: self.stack.canUndo())
    @rule()
    def undo(self) -> None:
        self.stack.undo()

    @precondition(lambda self: self.stack.canRedo())
    @rule()
    def redo(self) -> None:
        self.stack.redo()

    @invariant()
    def model_shows_the_tree(self) -> None:
        assert as_shown(self.model) == [as_held(self.session)]

    @invariant()
    def figures_are_those_of_the_tree(self) -> None:
        anew = FlatTree.of(self.document.tree).machine_share().tolist()
        assert self.document.machine_shares.tolist() == pytest.approx(anew)

    def teardown(self) -> None:
        self.stack.setIndex(0)
        assert self.document.tree.same_as(navoceano()) or self.document.tree.next_id > navoceano().next_id
        assert as_shown(self.model) == [as_held(self.session)]
        shiboken6.delete(self.model)


def test_random_edits(qtbot: QtBot, look: ConsoleStyle) -> None:
    session = ConsoleSession()
    session.restart = lambda: None  # type: ignore[method-assign] # no machine: only the tree matters here
    machine = type("EditingHere", (Editing,), {"session": session})
    few = tries(20, stateful_step_count=20, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(machine, settings=few)
    session.open(None)
    session.close()
