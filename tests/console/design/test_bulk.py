from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.design.bulk.duplicate_group import DuplicateDialog
from fsconsole.console.design.bulk.edit_nodes import EditNodesDialog
from fsconsole.console.design.bulk.import_rows import ImportRowsDialog
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.document import Document
from fsconsole.shares.tree import Kind
from tests.console.conftest import Answers
from tests.console.design.trees import ids

T = TypeVar("T", bound=QWidget)


def opened(workspace: DesignWorkspace, action: str, kind: type[T], *names: str) -> T:
    document = workspace.session.document
    assert document is not None
    workspace.session.select(ids(document.tree, *names))
    workspace.table.refresh()
    workspace.table.trigger(action)
    (found,) = [one for one in workspace.findChildren(kind) if one.isVisible()]
    return found


def press(dialog: EditNodesDialog | DuplicateDialog | ImportRowsDialog) -> None:
    assert dialog.buttons.verb.isEnabled()
    QTest.mouseClick(dialog.buttons.verb, Qt.MouseButton.LeftButton)


def test_several_nodes_are_edited_in_one_step(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    names = ("Army", "Navy R&D", "Air Force")
    dialog = opened(workspace, "edit_nodes", EditNodesDialog, *names)
    assert not dialog.buttons.verb.isEnabled()
    dialog.shares.fill("scale")
    dialog.amount.selectAll()
    QTest.keyClicks(dialog.amount, "x")
    assert "'x' is not shares or a factor" in dialog.problem
    dialog.amount.selectAll()
    QTest.keyClicks(dialog.amount, "3")
    dialog.system.fill(True)
    dialog.note.fill("replace")
    QTest.keyClicks(dialog.text, "1995")
    assert dialog.preview.rows.cells(dialog.preview.rows.rows[0])[1] == "30 → 90"
    press(dialog)
    found = [document.tree.find(name) for name in names]
    assert [(node.shares, node.system, node.note) for node in found] == [(90, True, "1995")] * 3
    assert document.stack.count() == 1
    document.stack.undo()
    assert [document.tree.find(name).shares for name in names] == [30, 30, 30]


def test_a_group_is_duplicated_with_new_names(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    dialog = opened(workspace, "duplicate_as", DuplicateDialog, "Lab A1")
    dialog.count.fill(2)
    dialog.name.fill("Lab B#")
    dialog.old_text.fill("p2")
    dialog.new_text.fill("q#")
    assert "Lab B2 and Lab B3" in dialog.about.text()
    press(dialog)
    lab = document.tree.find("Lab B3")
    assert [node.name for node in document.tree.children(lab.id)] == ["q3101", "q3104", "q3107"]
    assert [node.kind for node in document.tree.children(lab.id)] == [Kind.ACCOUNT] * 3
    assert document.stack.count() == 1


def test_rows_are_pasted_and_imported_by_the_columns_that_are_chosen(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document, tmp_path: Path
) -> None:
    QGuiApplication.clipboard().setText("7\tanna\n5\tbob\nmany\tcarl\n")
    dialog = opened(workspace, "paste_columns", ImportRowsDialog, "Lab A2")
    dialog.fields["name"].fill(1)
    dialog.fields["shares"].fill(0)
    assert "Line 3: 'many' is not a number of shares" in dialog.report.text()
    assert not dialog.buttons.verb.isEnabled()
    QTest.mouseClick(dialog.skip, Qt.MouseButton.LeftButton)
    dialog.skip.setChecked(True)
    press(dialog)
    lab = document.tree.find("Lab A2")
    assert [(node.name, node.shares) for node in document.tree.children(lab.id)] == [("anna", 7), ("bob", 5)]
    assert document.stack.count() == 1

    path, answers = tmp_path / "site.csv", Answers()
    path.write_text("Parent,Name,Shares\n,Physics,10\nPhysics,dora,3\n", "utf-8")
    answers.to_open = path
    workspace.commands.bulk.questions = answers
    dialog = opened(workspace, "import_rows", ImportRowsDialog, "Army")
    press(dialog)
    assert document.tree.path(document.tree.find("dora").id).endswith("Army/Physics/dora")

    path.write_bytes(b"\xff\xfe\x00")
    box = opened(workspace, "import_rows", QMessageBox, "Army")
    assert "not UTF-8" in box.informativeText()
    box.close()
