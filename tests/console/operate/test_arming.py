from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.operate.nights.controller import MachineArming, NightController
from fsconsole.console.session import ConsoleSession
from fsconsole.resources import examples
from fsconsole.shares.scenario.actions import CloseWindow
from fsconsole.shares.scenario.read import read_scenario
from tests.texts import wording


class Clock:
    """A wall clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def steady() -> Clock:
    return Clock()


@pytest.fixture
def arming(session: ConsoleSession, clock: Clock, steady: Clock) -> MachineArming:
    made = MachineArming(session, clock, steady)
    made.choices.who = "hale"
    return made


def test_it_is_read_only_until_armed_and_falls_back(
    qtbot: QtBot, arming: MachineArming, clock: Clock
) -> None:
    assert not arming.is_armed
    with qtbot.waitSignal(arming.changed):
        arming.arm()
    assert arming.left_s == 600.0
    clock.now += 599.0
    arming.look()
    assert arming.left_s == 1.0
    clock.now += 2.0
    with qtbot.waitSignal(arming.changed):
        arming.look()
    assert arming.left_s == 0.0
    rows = [row for _, row in arming.rows]
    assert [(row.who, row.action, row.before, row.after) for row in rows] == [
        ("hale", "arm", "read-only", "armed"),
        ("hale", "disarm", "armed", "read-only"),
    ]
    assert rows[1].why == wording("console.armed-for-min", armed_minutes="10")


def test_a_computer_that_slept_wakes_read_only(arming: MachineArming, clock: Clock) -> None:
    arming.arm()
    clock.now += 8 * 3600.0
    arming.look()
    assert not arming.is_armed


def test_keep_begins_the_minutes_anew_and_they_can_be_chosen(arming: MachineArming, clock: Clock) -> None:
    arming.choices.armed_minutes = 2
    arming.arm()
    clock.now += 100.0
    assert arming.left_s == 20.0
    arming.keep()
    assert arming.left_s == 120.0
    assert arming.armed_for_s == 100.0


def test_another_target_is_read_only(arming: MachineArming, session: ConsoleSession) -> None:
    arming.arm()
    session.restart()
    assert not arming.is_armed
    assert arming.rows == []


def test_who_is_the_login_name_until_another_is_chosen(
    arming: MachineArming, monkeypatch: pytest.MonkeyPatch
) -> None:
    arming.choices.who = "  "
    monkeypatch.setattr("getpass.getuser", lambda: "rosa")
    assert arming.choices.who == "rosa"

    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert arming.choices.who == "somebody"


def test_a_computer_that_slept_is_read_only_before_the_next_second(
    arming: MachineArming, clock: Clock
) -> None:
    arming.arm()
    clock.now += 3600.0
    assert not arming.is_armed
    arming.keep()
    assert not arming.is_armed
    arming.arm()
    assert arming.left_s == 600.0


def test_a_clock_set_back_makes_it_no_longer(arming: MachineArming, clock: Clock, steady: Clock) -> None:
    arming.arm()
    clock.now -= 3600.0
    assert arming.left_s == 600.0
    steady.now += 600.0
    assert not arming.is_armed


def test_what_is_done_too_late_does_not_reach_the_machine(
    session: ConsoleSession, arming: MachineArming, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(session, "act", lambda *what: asked.append(what))
    controller = NightController(session, arming)
    arming.arm()
    clock.now += 601.0
    controller.act(CloseWindow())
    assert asked == []
    assert arming.rows[-1][1].action == "disarm"


def test_the_past_disarms_and_cannot_be_armed(
    qtbot: QtBot, empty_session: ConsoleSession, clock: Clock, steady: Clock
) -> None:
    session = empty_session
    session.open(Document(read_scenario(examples() / "convex-series-1.yaml")))
    arming = MachineArming(session, clock, steady)
    qtbot.waitUntil(lambda: session.newest is not None)
    session.step(7200)
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.tick == 7200)
    seen = []

    def arm() -> None:
        arming.arm()
        seen.append(arming.is_armed)

    arm()
    with qtbot.waitSignal(arming.changed):
        session.past.go(30.0)
    seen.append(arming.is_armed)
    arm()
    row = arming.rows[-1][1]
    assert (row.action, row.why, row.tick) == (
        "disarm",
        wording("console.operate.nights.view-shows-past"),
        7200,
    )
    session.past.leave()
    arm()
    assert seen == [True, False, False, True]
