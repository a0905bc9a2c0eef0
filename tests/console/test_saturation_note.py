"""Observe names who cannot use what he is entitled to."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.saturation_note import SaturationNote
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.experiments.measure import Example
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.text.words import listed
from tests.texts import says, wording


@pytest.fixture
def note(window: ConsoleWindow) -> SaturationNote:
    workspace = window.workspace("observe")
    assert isinstance(workspace, LiveWorkspace)
    return workspace.machine.saturation


def advance(qtbot: QtBot, session: ConsoleSession, seconds: float) -> None:
    assert session.document is not None
    session.step(session.document.scenario.machine.ticks(seconds))
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.time_s >= seconds)


def test_three_processes_of_a_75_percent_user(
    qtbot: QtBot, window: ConsoleWindow, session: ConsoleSession, note: SaturationNote
) -> None:
    session.open(Document(Example.named("unsaturated-node").scenario))
    assert note.text == ""
    advance(qtbot, session, 60)
    qtbot.waitUntil(lambda: note.text != "")
    start = wording(
        "shares.cannot-use-its-and-leaves", name="favoured", entitled="75.0\xa0%", amount="37.5 points"
    )
    assert note.text == wording("shares.to", start=start, who="others")
    window.show_workspace("observe")
    assert note.text in window.workspace("observe").status_text()


def test_the_c916_names_a_light_group_and_both_busy_ones(
    qtbot: QtBot, window: ConsoleWindow, session: ConsoleSession, note: SaturationNote
) -> None:
    session.open(Document(read_scenario(examples() / "navoceano-c916.yaml")))
    advance(qtbot, session, 1800)
    qtbot.waitUntil(lambda: note.text != "")
    assert note.text.startswith(
        wording("shares.cannot-use-its-and-leaves", name="Army", entitled="19.1\xa0%", amount="1")
    )
    first, *more = note.all_of_it.splitlines()
    assert says(first, "shares.to", who=listed(["Navy R&D", "Air Force"]))
    answer = [line.partition(" cannot use ")[0] for line in more]
    assert answer == ["DoD Other"]
    others = f"1 {wording('console.more-does-so')}"
    assert note.text == wording("console.see-what-if", sentences=first, others=others)
    window.show_workspace("observe")
    assert window.frame.status.facts.toolTip().endswith(note.all_of_it)


@pytest.mark.parametrize("setting", [("policy.nosched", True), ("policy.name", "process-fair")])
def test_nothing_is_reported_where_shares_decide_nothing(
    qtbot: QtBot, session: ConsoleSession, note: SaturationNote, setting: tuple[str, object]
) -> None:
    session.open(Document(Example.named("unsaturated-node").scenario.with_settings(dict([setting]))))
    advance(qtbot, session, 60)
    with qtbot.waitSignal(session.frame):
        session.step(60)
    assert note.text == ""


def test_nothing_is_reported_where_everybody_has_enough_work(
    qtbot: QtBot, session: ConsoleSession, note: SaturationNote
) -> None:
    """Who is logged in without work leaves his part too, but has nothing to be told of."""
    advance(qtbot, session, 60)
    with qtbot.waitSignal(session.frame):
        session.step(60)
    assert note.text == ""
