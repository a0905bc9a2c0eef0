"""Changes that others make on the machine, as the document follows them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from fsconsole.console.command_server import CommandServer
from fsconsole.console.design.columns import Column
from fsconsole.console.design.tree_model import ShareTreeModel
from fsconsole.console.design.tree_view import ShareTreeView
from fsconsole.console.document import Document
from fsconsole.console.notices import ConflictNotice
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import colour
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.edits import Remove, Rename, SetShares
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.ipc.client import Line, consoles
from fsconsole.targets.simulated import SimulatedTarget
from tests.console.conftest import notice_of
from tests.texts import says, wording

WAIT_S = 60.0
Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def until(qtbot: QtBot) -> Until:
    return qtbot.waitUntil


@pytest.fixture
def document(session: ConsoleSession) -> Document:
    assert session.document is not None
    return session.document


def target_of(session: ConsoleSession) -> SimulatedTarget:
    assert isinstance(session.target, SimulatedTarget)
    return session.target


def machine_tree(session: ConsoleSession) -> ShareTree:
    return target_of(session).ask(lambda machine: machine.tree.copy()).result(WAIT_S)


def shares(tree: ShareTree, name: str) -> int:
    return tree.find(name).shares


def outside(session: ConsoleSession, line: str) -> Future[Any]:
    """Somebody else gives a command, and the console looks again as it does for the socket."""
    future = target_of(session).command(line, "somebody else")
    session.look_again()
    return future


def test_a_change_from_outside_is_one_entry_and_is_not_sent_again(
    session: ConsoleSession, document: Document, until: Until
) -> None:
    edited = QSignalSpy(session.edited)
    outside(session, "lim u11 shares=50").result(WAIT_S)
    until(lambda: shares(document.tree, "u11") == 50)
    assert edited.count() == 1
    assert document.stack.count() == 1
    assert document.changes[0].verb.split(": ") == ["Outside", "Set shares"]
    assert (document.changes[0].before, document.changes[0].after) == ("100", "50")
    journal = target_of(session).ask(lambda machine: len(machine.journal)).result(WAIT_S)
    assert journal == 1


def test_undo_sends_the_inverse(session: ConsoleSession, document: Document, until: Until) -> None:
    outside(session, "lim u11 shares=50").result(WAIT_S)
    until(lambda: document.stack.count() == 1)
    document.stack.undo()
    assert shares(machine_tree(session), "u11") == 100
    document.stack.redo()
    assert shares(machine_tree(session), "u11") == 50
    assert document.stack.count() == 1


def test_both_limits_of_a_range_reach_the_machine_and_are_taken_back(
    session: ConsoleSession, document: Document, until: Until
) -> None:
    first, last = "urm.preferred_from_mw", "urm.preferred_to_mw"

    def ends() -> tuple[float, float]:
        known = target_of(session).ask(lambda machine: machine.settings | machine.waiting.settings)
        return known.result(WAIT_S)[first], known.result(WAIT_S)[last]

    document.set_settings({first: 10.0, last: 20.0})
    document.set_settings({first: 30.0, last: 60.0})
    assert ends() == (30.0, 60.0)
    document.stack.undo()
    assert ends() == (10.0, 20.0)


def test_users_go_and_come_back(session: ConsoleSession, document: Document, until: Until) -> None:
    before = shares(document.tree, "short")
    outside(session, "remshent short").result(WAIT_S)
    until(lambda: document.stack.count() == 1)
    assert document.changes[0].verb == "Outside: Remove"
    assert not [node for node in machine_tree(session).walk() if node.name == "short"]
    document.stack.undo()
    assert shares(machine_tree(session), "short") == before == shares(document.tree, "short")


def test_what_others_changed_stands_out_for_a_moment(
    session: ConsoleSession, document: Document, window: ConsoleWindow, qtbot: QtBot, until: Until
) -> None:
    window.show_workspace("design")
    model = window.workspace("design").findChildren(ShareTreeView)[0].model()
    assert isinstance(model, ShareTreeModel)
    with qtbot.waitSignal(session.taken_in):
        outside(session, "lim u11 shares=50")
    index = model.index_of(document.tree.find("u11").id, Column.SHARES)
    ground = Qt.ItemDataRole.BackgroundRole
    assert index.data() == "50"
    assert index.data(ground) == colour("hover")
    until(lambda: index.data(ground) is None)


def test_settings_from_outside_reach_the_document(
    session: ConsoleSession, document: Document, until: Until
) -> None:
    changed = QSignalSpy(session.settings_changed)
    outside(session, "charge -K 8h").result(WAIT_S)
    until(lambda: document.settings["policy.half_life_s"] == 28_800.0)
    assert changed.count() == 1
    change = document.changes[0]
    outside_of, text = change.verb.split(": ")
    assert outside_of == "Outside"
    name = wording("shares.scenario.half-life-of-usage")
    assert text.startswith(name[0].lower() + name[1:])
    assert text[len(name) :].split() == ["120", "s", "→", "8", "h"]
    assert (change.names, change.before, change.after) == (
        (wording("shares.scenario.half-life-of-usage"),),
        "120 s",
        "8 h",
    )
    document.stack.undo()
    waiting = target_of(session).ask(lambda machine: machine.settings["policy.half_life_s"]).result(WAIT_S)
    assert waiting == 120.0


def test_the_later_change_made_here_holds_and_the_conflict_is_reported(
    session: ConsoleSession, document: Document, window: ConsoleWindow, until: Until
) -> None:
    """Outside first, then here, before the console has heard of it."""
    u11 = document.tree.find("u11").id
    target_of(session).command("lim u11 shares=50", "x").result(WAIT_S)
    document.edit("Set shares", [SetShares.of(u11, 7)])
    notice = notice_of(window, ConflictNotice)
    until(notice.isVisible)
    assert "u11" in notice.text
    assert "takes precedence" in notice.text
    assert shares(document.tree, "u11") == 7 == shares(machine_tree(session), "u11")
    assert document.stack.count() == 1
    button = notice.findChild(QPushButton, "Close")
    assert isinstance(button, QPushButton)
    button.click()
    assert not notice.isVisible()


def test_a_change_over_one_not_in_force_yet_is_reported_and_holds(
    session: ConsoleSession, document: Document, window: ConsoleWindow, until: Until
) -> None:
    u11 = document.tree.find("u11").id
    session.step(60)
    document.edit("Set shares", [SetShares.of(u11, 7)])
    outside(session, "lim u11 shares=50").result(WAIT_S)
    until(notice_of(window, ConflictNotice).isVisible)
    assert says(notice_of(window, ConflictNotice).text, "console.changed-it-replaced-your-earlier")
    assert shares(document.tree, "u11") == 50 == shares(machine_tree(session), "u11")


def test_different_fields_do_not_meet(session: ConsoleSession, document: Document, until: Until) -> None:
    conflicts = QSignalSpy(session.conflicted)
    u11 = document.tree.find("u11").id
    target_of(session).command("lim u11 shares=50", "x").result(WAIT_S)
    document.edit("Rename", [Rename(u11, "anna")])
    until(lambda: shares(document.tree, "anna") == 50)
    assert conflicts.count() == 0
    assert shares(machine_tree(session), "anna") == 50


def test_a_node_removed_here_meanwhile_stays_away(
    session: ConsoleSession, document: Document, until: Until
) -> None:
    """Changed there, removed here."""
    conflicts = QSignalSpy(session.conflicted)
    u11 = document.tree.find("u11").id
    target_of(session).command("lim u11 shares=50", "x").result(WAIT_S)
    document.edit("Remove", [Remove(u11)])
    until(lambda: conflicts.count() == 1)
    assert u11 not in document.tree
    assert document.stack.count() == 1


def test_a_restart_takes_the_changes_along(session: ConsoleSession, document: Document, until: Until) -> None:
    outside(session, "lim u11 shares=50").result(WAIT_S)
    until(lambda: document.stack.count() == 1)
    session.restart()
    assert shares(machine_tree(session), "u11") == 50
    outside(session, "lim u11 shares=51").result(WAIT_S)
    until(lambda: document.stack.count() == 2)


def test_a_restart_takes_along_what_nobody_has_seen_yet(
    session: ConsoleSession, document: Document, until: Until
) -> None:
    until(lambda: not session._timer.isActive())
    target = target_of(session)
    target.command("lim u11 shares=50", "somebody else").result(WAIT_S)
    until(lambda: bool((found := target.snapshot()) and found.outside))
    assert not document.changes
    session.restart()
    assert shares(document.tree, "u11") == 50 == shares(machine_tree(session), "u11")


def test_a_resting_console_hears_of_commands_by_the_socket(
    qtbot: QtBot, session: ConsoleSession, document: Document, until: Until
) -> None:
    until(lambda: not session._timer.isActive())
    command_server = CommandServer(session, session)
    command_server.open_if_allowed()
    until(lambda: command_server.is_open)
    (found,) = consoles()
    assert (found.title, found.machine) == ("convex-series-1.yaml", document.scenario.machine.name)
    with Line(found.path) as line:
        answer = line.ask("lim u11 shares=50").status
        assert answer == 0
        until(lambda: shares(document.tree, "u11") == 50)
        session.open(None)
        assert line.ask("pl").text == wording("console.is-open-in-console", what="nothing")
    command_server.close()
    assert consoles() == []


def test_others_can_be_shut_out(window: ConsoleWindow, session: ConsoleSession, until: Until) -> None:
    window.command_server.open_if_allowed()
    until(lambda: window.command_server.is_open)
    assert window.table.qaction("accept_commands").isChecked()
    assert window.table.trigger("accept_commands")
    until(lambda: not window.command_server.is_open)
    assert not window.table.qaction("accept_commands").isChecked()
    assert session.preferences.value("accept_commands") is False
    window.command_server.open_if_allowed()
    assert not window.command_server.is_open
    window.table.trigger("accept_commands")
    until(lambda: window.command_server.is_open)
    window.close()
    assert consoles() == []


def test_a_folder_that_cannot_be_used_is_reported(
    session: ConsoleSession, until: Until, own_folders: Path
) -> None:
    from fsconsole.targets.ipc import socket_paths

    socket_paths.folder().parent.mkdir(parents=True)
    socket_paths.folder().write_text("", "utf-8")
    spy = QSignalSpy(session.message)
    command_server = CommandServer(session, session)
    command_server.open_if_allowed()
    until(lambda: spy.count() > 0)
    assert not command_server.is_open
    command_server.close()


def test_a_runtime_folder_of_somebody_else_is_reported_and_no_fault(
    session: ConsoleSession, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    denied = PermissionError("/tmp/runtime-1000 is owned by user 4711")

    def refuse(_: str) -> Path:
        raise denied

    monkeypatch.setattr("platformdirs.user_runtime_path", refuse)
    faults: list[object] = []
    monkeypatch.setattr("threading.excepthook", faults.append)
    spy = QSignalSpy(session.message)
    command_server = CommandServer(session, session)
    command_server.open_if_allowed()
    until(lambda: spy.count() > 0 or bool(faults))
    assert not faults
    assert str(denied) in spy.at(0)[0]
    assert not command_server.is_open
    assert consoles() == []
    command_server.close()
