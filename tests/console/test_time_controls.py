"""Starting over keeps the run before, and the clock holds where somebody wants it."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.document_runs import MOST
from fsconsole.console.session import ConsoleSession
from fsconsole.console.transport_bar import TransportBar
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import examples
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets.base import CLOCK_HOLDS, MAX_SPEED
from fsconsole.text.words import listed
from tests.texts import says, wording


def advance(session: ConsoleSession, qtbot: QtBot, ticks: int) -> None:
    session.step(ticks)
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.tick >= ticks)


@pytest.mark.parametrize("workspace_id", ["observe", "operate"])
def test_starting_over_keeps_the_run_before(
    window: ConsoleWindow, session: ConsoleSession, qtbot: QtBot, workspace_id: str
) -> None:
    window.show_workspace(workspace_id)
    advance(session, qtbot, 5400)
    session.notes.add(60.0, "a minute")
    first = session.target
    assert not window.table.trigger("run.before")
    assert window.table.trigger("observe.restart")
    second = session.target
    assert second is not first
    qtbot.waitUntil(lambda: session.snapshot is not None)
    assert session.snapshot is not None
    assert session.snapshot.tick == 0
    assert not session.notes.notes
    assert window.table.trigger("run.before")
    assert session.target is first
    assert session.snapshot.tick == 5400
    assert [note.text for note in session.notes.notes] == ["a minute"]
    advance(session, qtbot, 5401)
    assert window.table.trigger("run.after")
    assert session.target is second
    assert not window.table.trigger("run.after")


def test_a_machine_that_still_starts_takes_run_and_speed(
    window: ConsoleWindow, session: ConsoleSession, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.show_workspace("observe")
    with monkeypatch.context() as starting:
        starting.setattr(type(session.target), "at", lambda _: None)  # as until the engine is compiled
        assert window.table.trigger("observe.run")
        assert window.table.trigger("observe.faster")
        # A step needs an instant to start from.
        assert not window.table.trigger("observe.step")
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.tick > 0)


def test_a_run_that_is_looked_at_again_has_its_own_tree_and_settings(
    window: ConsoleWindow, session: ConsoleSession, qtbot: QtBot
) -> None:
    document = session.document
    assert document is not None
    user = next(node for node in document.tree.walk() if not node.is_group)
    before = (user.shares, document.settings["policy.half_life_s"])
    advance(session, qtbot, 5400)
    assert window.table.trigger("observe.restart")
    document.edit("Set shares", [SetShares.of(user.id, 77)])
    document.set_settings({"policy.half_life_s": 77.0})
    assert window.table.trigger("run.before")
    assert (document.tree.node(user.id).shares, document.settings["policy.half_life_s"]) == before
    advance(session, qtbot, 5400 + 60 * 60)
    assert session.snapshot is not None
    assert session.snapshot.tree is not None
    assert session.snapshot.tree.node(user.id).shares == before[0]
    assert not session.snapshot.journal
    assert window.table.trigger("run.after")
    assert (document.tree.node(user.id).shares, document.settings["policy.half_life_s"]) == (77, 77.0)
    assert window.table.trigger("undo")
    assert window.table.trigger("undo")
    assert document.tree.node(user.id).shares == before[0]


def test_the_oldest_of_many_runs_goes(session: ConsoleSession, qtbot: QtBot) -> None:
    targets = []
    for _ in range(MOST + 3):
        advance(session, qtbot, 60)
        targets.append(session.target)
        session.restart()
        qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.tick == 0)
    assert [run.target for run in session.runs.before] == targets[-MOST:]
    session.open(None)
    assert session.runs.before == []


def test_the_buttons_beside_the_clock_name_what_they_do(window: ConsoleWindow, qtbot: QtBot) -> None:
    window.show_workspace("observe")
    buttons = {button.text() or button.toolTip() for button in window.findChildren(QToolButton)}
    assert {"Record", wording("console.start-another-run-at-time")} <= buttons
    assert window.table["observe.restart"].name == "Start over"


@pytest.mark.parametrize("width", [1280, 1600])
def test_the_transport_stands_while_the_clock_runs(window: ConsoleWindow, width: int) -> None:
    window.resize(width, 800)
    window.show_workspace("observe")
    bar = window.findChild(TransportBar)
    assert bar is not None
    seen = []
    for time_s in (0, 9, 59, 60, 3599, 3600, 24 * 3600, 99 * 24 * 3600):
        bar._show_time(time_s)
        for _ in range(5):
            QApplication.processEvents()
        seen.append({one: one.geometry() for one in bar.findChildren(QWidget) if one.isVisible()})
    assert all(one == seen[0] for one in seen)
    assert bar.clock.fontMetrics().horizontalAdvance(bar.clock.text()) <= bar.clock.width()


def test_the_clock_is_held_where_the_menu_says_and_the_status_bar_says_at_what(
    qtbot: QtBot, window: ConsoleWindow
) -> None:
    session = window.session
    session.open(Document(read_scenario(examples() / "convex-series-6.yaml")))
    window.show_workspace("observe")
    qtbot.waitUntil(lambda: session.snapshot is not None)
    messages: list[str] = []
    session.message.connect(messages.append)
    bar = window.findChild(TransportBar)
    assert bar is not None
    menu = bar.holds.menu()
    menu.aboutToShow.emit()
    entries = {action.text(): action for action in menu.actions()}
    assert not entries["Job ends"].isEnabled()
    assert entries["Job ends"].toolTip() == wording("targets.scenario-has-no-batch-jobs")
    entries["Scenario event"].trigger()
    assert session.preferences.value("time/hold_at") == ["event"]
    assert bar.holds.text() == wording("console.hold-at", count="1")
    session.set_speed(MAX_SPEED)
    session.run()
    qtbot.waitUntil(lambda: any(text.startswith("Held at ") for text in messages))
    assert not session.is_running
    assert bar.chip.text == "Held"
    target = session.target
    assert target is not None
    assert target.now_s == 490
    held = listed(
        [
            wording("shares.scenario.logs-in", who="u21"),
            wording("shares.scenario.starts", who="u21", what="loop"),
        ]
    )
    assert messages[-1] == wording("console.held-at", time_s="00:08:10", held=held)
    session.restart()
    assert session.target is not None
    holds = session.target.offer(CLOCK_HOLDS)
    assert holds is not None
    assert holds.holds == {"event"}


def test_a_run_goes_past_the_end_of_its_scenario_only_when_asked_twice(
    window: ConsoleWindow, session: ConsoleSession, qtbot: QtBot
) -> None:
    end_s = session.target.clock.until_s if session.target is not None else None
    assert end_s is not None
    session.set_speed(MAX_SPEED)
    session.run()
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.time_s >= end_s)
    qtbot.waitUntil(lambda: not session.is_running)
    with qtbot.waitSignal(session.message) as said:
        window.table.trigger("observe.run")
    assert not session.is_running
    assert said.args is not None
    assert says(said.args[0], "console.scenario-has-ended-at-run")
    window.table.trigger("observe.run")
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.time_s > end_s)
    session.pause()
