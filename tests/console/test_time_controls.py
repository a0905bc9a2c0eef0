"""Starting over discards a run only where that is confirmed."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.console.transport_bar import TransportBar
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets.base import CLOCK_HOLDS, MAX_SPEED
from tests.console.conftest import Answers


def advance(session: ConsoleSession, qtbot: QtBot, ticks: int) -> None:
    session.step(ticks)
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.tick >= ticks, timeout=20_000)


@pytest.mark.parametrize("workspace_id", ["observe", "operate"])
def test_a_run_is_discarded_only_after_a_question(
    window: ConsoleWindow, session: ConsoleSession, answers: Answers, qtbot: QtBot, workspace_id: str
) -> None:
    window.show_workspace(workspace_id)
    advance(session, qtbot, 5400)
    target = session.target
    assert window.table.trigger("observe.restart")
    assert answers.asked == ["start Convex over at 00:01:30"]
    assert session.target is target
    answers.yes = True
    assert window.table.trigger("observe.restart")
    assert session.target is not target
    qtbot.waitUntil(lambda: session.snapshot is not None)
    assert session.snapshot is not None
    assert session.snapshot.tick == 0


def test_a_machine_that_runs_goes_on_where_the_question_is_cancelled(
    window: ConsoleWindow, session: ConsoleSession, answers: Answers, qtbot: QtBot
) -> None:
    session.run()
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.tick > 0, timeout=20_000)
    assert window.table.trigger("observe.restart")
    assert len(answers.asked) == 1
    assert session.playback is not None
    assert session.playback.is_running
    session.pause()


def test_nothing_is_asked_where_nothing_has_run(
    window: ConsoleWindow, session: ConsoleSession, answers: Answers
) -> None:
    target = session.target
    assert window.table.trigger("observe.restart")
    assert answers.asked == []
    assert session.target is not target


def test_the_buttons_beside_the_clock_name_what_they_do(window: ConsoleWindow, qtbot: QtBot) -> None:
    window.show_workspace("observe")
    buttons = {button.text() or button.toolTip() for button in window.findChildren(QToolButton)}
    assert {"Record", "Discard this run and return to time 0"} <= buttons
    assert window.table["observe.restart"].name == "Start over…"


def test_the_clock_is_held_where_the_menu_says_and_the_status_bar_says_at_what(
    qtbot: QtBot, window: ConsoleWindow
) -> None:
    session = window.session
    session.open(Document(read_scenario(examples() / "convex-series-6.yaml")))
    window.show_workspace("observe")
    qtbot.waitUntil(lambda: session.snapshot is not None, timeout=30_000)
    said: list[str] = []
    session.message.connect(said.append)
    bar = window.findChild(TransportBar)
    assert bar is not None
    menu = bar.holds.menu()
    menu.aboutToShow.emit()
    entries = {action.text(): action for action in menu.actions()}
    assert not entries["Job ends"].isEnabled()
    assert entries["Job ends"].toolTip() == "The scenario has no batch jobs"
    entries["Scenario event"].trigger()
    assert session.preferences.value("time/hold_at") == ["event"]
    assert bar.holds.text() == "Hold at (1)"
    session.set_speed(MAX_SPEED)
    session.run()
    qtbot.waitUntil(lambda: any(text.startswith("Held at ") for text in said), timeout=30_000)
    assert not session.is_running
    assert bar.chip.text == "Held"
    target = session.target
    assert target is not None
    assert target.now_s == 490
    assert said[-1] == "Held at 00:08:10: u21 logs in and u21 starts loop"
    session.restart()
    assert session.target is not None
    holds = session.target.offer(CLOCK_HOLDS)
    assert holds is not None
    assert holds.holds == {"event"}
