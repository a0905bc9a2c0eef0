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
from fsconsole.shares.edits import Rename
from fsconsole.shares.tree import Kind
from tests.console.conftest import Answers
from tests.console.design.trees import ids
from tests.texts import says, wording

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
    assert dialog.problem == (
        wording("console.design.bulk.shares-or-factor")
        + ": "
        + wording("console.design.bulk.is-neither-shares-nor-factor", text="x")
    )
    dialog.amount.selectAll()
    QTest.keyClicks(dialog.amount, "3")
    dialog.system.fill(True)
    dialog.note.fill("replace")
    QTest.keyClicks(dialog.text, "1995")
    assert dialog.preview.rows.cells(dialog.preview.rows.rows[0])[1].split() == ["30", "→", "90"]
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
    assert "Lab B1" in dialog.about.text()
    assert "Lab B2" in dialog.about.text()
    press(dialog)
    lab = document.tree.find("Lab B2")
    assert [node.name for node in document.tree.children(lab.id)] == ["q2101", "q2104", "q2107"]
    assert [node.kind for node in document.tree.children(lab.id)] == [Kind.ACCOUNT] * 3
    assert document.stack.count() == 1


def test_rows_are_pasted_and_imported_by_the_columns_that_are_chosen(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document, tmp_path: Path
) -> None:
    QGuiApplication.clipboard().setText("7\tanna\n5\tbob\nmany\tcarl\n")
    dialog = opened(workspace, "paste_columns", ImportRowsDialog, "Lab A2")
    dialog.fields["name"].fill(1)
    dialog.fields["shares"].fill(0)
    assert "Line 3:" in dialog.report.text()
    assert says(dialog.report.text(), "app.tree.is-not-number-of-shares", text="'many'")
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
    assert "Save it as UTF-8" in box.informativeText()
    box.close()


def test_shares_are_whole_numbers_or_parts_and_the_limit_is_named(
    qtbot: QtBot, workspace: DesignWorkspace, document: Document
) -> None:
    dialog = opened(workspace, "edit_nodes", EditNodesDialog, "Navy R&D", "Army")
    found = [row.path.rpartition("/")[2] for row in dialog.preview.rows.rows]
    assert found == ["Army", "Navy R&D"]
    dialog.shares.fill("set")

    def type_amount(text: str) -> None:
        dialog.amount.selectAll()
        QTest.keyClicks(dialog.amount, text)

    type_amount("2.5")
    assert dialog.problem == wording("app.tree.shares-are-whole-numbers-and", amount="2.5")
    assert not dialog.buttons.verb.isEnabled()
    type_amount("9" * 20)
    assert says(
        dialog.problem, "console.design.bulk.is-too-large-write-at", max_shares="2\u202f147\u202f483\u202f647"
    )
    type_amount("60 %")
    assert (
        wording("app.tree.of-cannot-have-each", count="2 nodes", group="DoD", part="60\xa0%")
        + ": "
        + wording("app.tree.no-share-would-be-left")
        in dialog.problem
    )
    type_amount("25 %")
    press(dialog)
    tree = document.tree
    army, total = tree.find("Army"), sum(one.shares for one in tree.siblings(tree.find("Army").id))
    assert army.shares == tree.find("Navy R&D").shares
    assert abs(army.shares / total - 0.25) < 0.01
    dialog = opened(workspace, "edit_nodes", EditNodesDialog, "Army")
    dialog.shares.fill("set")
    type_amount("4000")
    assert dialog.preview.rows.cells(dialog.preview.rows.rows[0])[1].endswith("→ 4\u202f000")


def test_undo_says_what_it_takes_back(qtbot: QtBot, workspace: DesignWorkspace, document: Document) -> None:
    dialog = opened(workspace, "edit_nodes", EditNodesDialog, "Army", "Navy R&D", "Air Force")
    dialog.shares.fill("scale")
    press(dialog)
    assert document.undo_words == wording("console.tour.set-shares-of", node="3 nodes")
    document.edit("Rename", [Rename(document.tree.find("Army").id, "Heer")])
    undo_rename = document.undo_words
    assert undo_rename.split()[::2] == ["Rename", "Heer"]
    assert (document.undo_words, document.redo_words) == (undo_rename, "")
    document.stack.undo()
    assert (document.undo_words, document.redo_words) == (
        wording("console.tour.set-shares-of", node="3 nodes"),
        undo_rename,
    )
    document.set_settings({"policy.half_life_s": 77.0})
    assert document.undo_words == "Set parameters"
