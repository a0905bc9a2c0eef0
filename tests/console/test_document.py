"""Whatever is edited, a document can still be edited, copied, saved and brought back to its start."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.console import document as document_module
from fsconsole.console.document import Document
from fsconsole.console.files.auto_save import AutoSave
from fsconsole.console.session import ConsoleSession
from fsconsole.resources import examples
from fsconsole.shares.edits import Edit, Insert, Move, Remove, Rename, SetField, SetShares
from fsconsole.shares.scenario.read import parse_scenario, read_scenario
from fsconsole.shares.scenario.remove_references import pruned
from fsconsole.shares.scenario.write import write_text
from fsconsole.shares.tree import Kind, Node, ShareTree, TreeError

STEPS = 25


def opened(name: str) -> Document:
    path = examples() / f"{name}.yaml"
    return Document(read_scenario(path), path, text=path.read_text("utf-8"))


def drawn(random: np.random.Generator, tree: ShareTree, number: int) -> Edit:
    """Any edit of a node; removals twice as often as others."""
    nodes = [node for node in tree.walk() if node.parent is not None]
    one, other = (nodes[int(random.integers(len(nodes)))] for _ in range(2))
    made = Node(tree.new_id(), f"new{number}", 3, Kind.USER)
    edits: list[Edit] = [
        Remove(one.id),
        Remove(one.id),
        Rename(one.id, f"name{number}"),
        Rename(one.id, other.name),
        SetShares.of(one.id, int(random.integers(0, 100))),
        SetField(one.id, "note", f"note {number}"),
        Insert(one.parent or 0, 0, (made,)),
        Move(one.id, other.id, 0),
    ]
    return edits[int(random.integers(len(edits)))]


@pytest.mark.parametrize("path", sorted(examples().glob("*.yaml")), ids=lambda path: path.stem)
def test_any_edits_leave_a_document_that_can_be_edited_and_copied(qapp: QApplication, path: Path) -> None:
    document = opened(path.stem)
    start, random, done = write_text(document.scenario), np.random.default_rng(7), 0
    for number in range(STEPS):
        if len(document.tree.children(0)) == 0:
            break
        try:
            edit = drawn(random, document.tree, number)
            document.edit("Edit", [edit])
        except TreeError:
            continue
        done += 1
        assert len(document.changes) == document.stack.index() == done
        parse_scenario(write_text(pruned(document.scenario)), "copy.yaml")
    assert done > 5
    for _ in range(done):
        document.stack.undo()
    assert write_text(document.scenario) == start
    for _ in range(done):
        document.stack.redo()
    assert len(document.changes) == done


def test_a_tree_can_be_edited_after_the_account_of_a_person_is_gone(qapp: QApplication) -> None:
    document = opened("share-by-account")
    gone = next(node for node in document.tree.walk() if node.name == "p2")
    left = next(node for node in document.tree.walk() if node.name == "p1")
    document.edit("Remove", [Remove(gone.id)])
    document.edit("Rename", [Rename(left.id, "renamed")])
    assert document.tree.node(left.id).name == "renamed"
    assert [change.names for change in document.changes] == [("renamed",), ("p2",)]


def test_an_edit_that_fails_midway_leaves_no_trace(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = opened("share-by-account")
    before = write_text(document.scenario)
    node = document.tree.children(0)[0].id
    document.edit("Set shares", [SetShares.of(node, 11)])

    fault = KeyError("fault of the program")

    def fail(*_: object) -> None:
        raise fault

    with monkeypatch.context() as broken:
        broken.setattr(document_module, "following", fail)
        with pytest.raises(KeyError) as raised:
            document.edit("Rename", [Rename(node, "other")])
        assert raised.value is fault
    assert (document.stack.count(), len(document.changes)) == (1, 1)
    document.stack.undo()
    assert write_text(document.scenario) == before


def test_a_copy_is_kept_though_the_list_of_changes_cannot_be_made(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Document) -> None:
        raise AttributeError("fault of the program")

    monkeypatch.setattr(Document, "changes", property(fail))
    session = ConsoleSession()
    auto_save = AutoSave(session)
    document = opened("share-by-account")
    session.open(document)
    with qtbot.waitSignal(auto_save.kept):
        document.edit("Set shares", [SetShares.of(document.tree.children(0)[0].id, 11)])
    auto_save.close()
    session.close()
