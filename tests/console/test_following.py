"""A leaf renamed in the console: document, machine and undo."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.resources import examples
from fsconsole.shares.edits import Rename
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.remove_references import pruned


def test_the_setting_goes_with_the_leaf_and_back(qtbot: QtBot, empty_session: ConsoleSession) -> None:
    scenario = read_scenario(examples() / "convex-series-1.yaml")
    machine = replace(scenario.machine, defer_interactive_to="u11")
    document = Document(replace(scenario, machine=machine))
    empty_session.open(document)
    qtbot.waitUntil(lambda: empty_session.snapshot is not None)
    messages: list[str] = []
    empty_session.message.connect(messages.append)
    node = document.tree.find("u11").id
    document.edit("Rename", [Rename(node, "ann")])
    is_called(qtbot, document, messages, "ann")
    document.stack.undo()
    is_called(qtbot, document, messages, "u11")
    document.stack.redo()
    assert document.settings["machine.defer_interactive_to"] == "ann"


def is_called(qtbot: QtBot, document: Document, message: list[str], name: str) -> None:
    """Document, file and machine call the leaf so."""
    assert document.settings["machine.defer_interactive_to"] == name
    assert pruned(document.scenario).machine.defer_interactive_to == name
    qtbot.waitUntil(lambda: f"Interactive work charged to: {name}, from the next delta on" in message)
