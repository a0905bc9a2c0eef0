"""Trees of other schedulers in Design: columns and fields of their own, edited and undone as all else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from fsconsole.console.design.columns import Column
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.shares.formats import format_named
from tests.shares.formats.dialects import EXAMPLES
from tests.texts import says

_Open = Callable[[str], Document]


@pytest.fixture
def show(workspace: DesignWorkspace) -> _Open:
    def opened(name: str) -> Document:
        document = Document(format_named(name).read(EXAMPLES[name]))
        workspace.session.open(document)
        return document

    return opened


def titles(workspace: DesignWorkspace) -> list[str]:
    header, model = workspace.tree_view.header(), workspace.tree_view.model()
    places = [header.logicalIndex(place) for place in range(header.count())]
    return [
        str(model.headerData(one, Qt.Orientation.Horizontal))
        for one in places
        if not header.isSectionHidden(one)
    ]


def test_a_tree_shows_the_columns_that_it_has_values_of(workspace: DesignWorkspace, show: _Open) -> None:
    plain = titles(workspace)
    show("yarn-fair")
    own = ["weight", "minResources", "maxResources", "maxRunningApps", "schedulingPolicy"]
    assert titles(workspace) == [*plain[: plain.index("Note")], *own, *plain[plain.index("Note") :]]
    show("kueue")
    assert [title.split() for title in titles(workspace)[-4:-1]] == [
        ["weight"],
        ["nominalQuota", "cpu", "default-flavor"],
        ["borrowingLimit", "cpu", "default-flavor"],
    ]
    show("pbs")
    assert titles(workspace)[-2:] == ["PBS id", "Note"]
    workspace.session.open(None)
    assert titles(workspace) == plain


def test_a_limit_is_typed_into_its_cell_and_undone(
    qtbot: QtBot, workspace: DesignWorkspace, show: _Open
) -> None:
    document = show("yarn-fair")
    view, node = workspace.tree_view, document.tree.find("sample_queue")
    place = len(Column) + 3
    index = view.index_of(node.id, Column.NAME).siblingAtColumn(place)
    assert index.data() == "50"
    view.setCurrentIndex(index)
    view.edit(index)
    editor = view.viewport().focusWidget()
    assert isinstance(editor, QLineEdit)
    editor.selectAll()
    QTest.keyClicks(editor, "many")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert document.tree.node(node.id).foreign["yarn-fair.maxRunningApps"] == "50"
    with qtbot.waitSignal(workspace.session.message) as said:
        view.itemDelegateForIndex(index).commitData.emit(editor)
    assert said.args is not None
    assert said.args[0].split()[:2] == ["maxRunningApps:", "'many'"]
    editor.selectAll()
    QTest.keyClicks(editor, "75")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: index.data() == "75")
    assert document.stack.undoText() == "Set maxRunningApps"
    assert "<maxRunningApps>75</maxRunningApps>" in format_named("yarn-fair").write(document.scenario)
    document.stack.undo()
    assert index.data() == "50"


@pytest.mark.parametrize("column", [Column.NAME, Column.SHARES, len(Column) + 3])
def test_what_is_half_typed_is_entered_into_no_document(
    workspace: DesignWorkspace, show: _Open, column: int
) -> None:
    document = show("yarn-fair")
    entered: list[object] = []
    document.edited.connect(entered.append)
    view = workspace.tree_view
    index = view.index_of(document.tree.find("sample_queue").id, Column.NAME).siblingAtColumn(column)
    view.setCurrentIndex(index)
    view.edit(index)
    QTest.keyClicks(view.viewport().focusWidget(), "7")
    for other in ("kueue", "yarn-fair"):
        shown = show(other)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert view.state() is not QAbstractItemView.State.EditingState
        assert not shown.stack.undoText()
        assert not entered


def test_a_weight_is_typed_into_the_form_and_gives_shares(workspace: DesignWorkspace, show: _Open) -> None:
    document = show("kueue")
    node = document.tree.find("important-org")
    workspace.session.select((node.id,))
    form = workspace.node_panel.dialect
    assert form.isVisibleTo(workspace.node_panel)
    editor = form.editor("weight")
    assert editor.text() == "0.75"
    editor.selectAll()
    QTest.keyClicks(editor, "much")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert form.fault.startswith("weight: ")
    assert says(form.fault, "shares.formats.is-not-number-of-0")
    assert form.fault.endswith(".")
    editor.selectAll()
    QTest.keyClicks(editor, "0.5")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert [one.shares for one in document.tree.siblings(node.id)] == [50, 25]
    assert form.fault == ""
    assert document.stack.undoText() == "Set weight"
    document.stack.undo()
    assert [one.shares for one in document.tree.siblings(node.id)] == [75, 25]
    assert editor.text() == "0.75"
