"""The session and its document's end."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.session import QUIET_FRAMES, ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.machine.machine import Machine
from fsconsole.resources import examples
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.read import read_scenario


@pytest.mark.parametrize("is_replaced", [True, False])
def test_a_document_with_unsaved_changes_ends_in_silence(session: ConsoleSession, is_replaced: bool) -> None:
    """Qt empties an undo stack when it goes, and would tell views of a document that is no more."""
    document = session.document
    assert document is not None
    document.edit("Set shares", [SetShares.of(document.tree.children(0)[0].id, 7)])
    emitted = [QSignalSpy(document.stack.indexChanged), QSignalSpy(document.stack.cleanChanged)]
    if is_replaced:
        session.open(None)
    else:
        session.close()
    document.stack.clear()  # what its end does
    assert [spy.count() for spy in emitted] == [0, 0]


def test_what_was_redone_stays_in_the_message_when_the_machine_answers(
    window: ConsoleWindow, qtbot: QtBot
) -> None:
    session, document = window.session, window.session.document
    assert document is not None
    with qtbot.waitSignal(session.outcome):
        document.set_settings({"policy.half_life_s": 60.0})
    for action, begin in (("undo", "Undone: "), ("redo", "Redone: ")):
        messages = QSignalSpy(session.message)
        with qtbot.waitSignal(session.outcome):
            window.table.trigger(action)
        texts = [messages.at(place)[0] for place in range(messages.count())]
        assert len(texts) == 2
        assert texts[1].startswith(f"{texts[0]}. ")
        assert texts[0].startswith(begin)


def test_a_machine_that_takes_long_to_build_is_shown_once_it_is_there(
    empty_session: ConsoleSession, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the first start the engine is compiled, which takes many frames without news."""
    gate, build = Event(), Machine.__init__

    def build_late(self: Machine, *args: Any, **options: Any) -> None:
        assert gate.wait(60)
        build(self, *args, **options)

    monkeypatch.setattr(Machine, "__init__", build_late)
    path = examples() / "two-organisations.yaml"
    empty_session.open(Document(read_scenario(path), name=path.name))
    qtbot.waitUntil(lambda: empty_session._idle > QUIET_FRAMES)
    with qtbot.waitSignal(empty_session.frame):
        gate.set()
    assert empty_session.snapshot is not None
    qtbot.waitUntil(lambda: not empty_session._timer.isActive())  # paused and unchanged, it costs nothing
