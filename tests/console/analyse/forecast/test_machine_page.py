"""The forecast of the open machine: from the instant that is shown, before and after, what must change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.app.forecast.machine import curves, part_at, present, read_part_goal
from fsconsole.app.runs.changes import ChangeTexts
from fsconsole.console.analyse.forecast.machine_page import MachinePage
from fsconsole.console.analyse.forecast.panel import CLUSTER, MACHINE, ONE, ForecastPanel
from fsconsole.console.document import Document
from fsconsole.console.preferences import Preferences
from fsconsole.console.session import ConsoleSession
from fsconsole.resources import examples
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.actions import ChangeTree
from fsconsole.shares.scenario.names import Names
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Scenario
from tests.console.conftest import Answers
from tests.texts import Expected, says, worded, wording

BUSY = examples() / "two-against-one.yaml"
AT_S = 120.0


def scenario() -> Scenario:
    """Two users of A and one of B, all at work, under a hierarchy of shares."""
    found = read_scenario(BUSY)
    return replace(found, policy=replace(found.policy, name="share"))


@pytest.fixture
def machine_session(qtbot: QtBot, empty_session: ConsoleSession, tmp_path: Path) -> ConsoleSession:
    """Two against one, paused at two minutes."""
    session = empty_session
    session.preferences = Preferences(tmp_path / "preferences")
    session.open(Document(scenario(), BUSY))
    qtbot.waitUntil(lambda: session.newest is not None)
    step(qtbot, session, AT_S)
    return session


@pytest.fixture
def panel(qtbot: QtBot, machine_session: ConsoleSession, answers: Answers) -> Iterator[ForecastPanel]:
    made = ForecastPanel(machine_session, answers)
    qtbot.addWidget(made)
    made.resize(900, 560)
    with qtbot.waitActive(made):
        made.show()
    made.suit()
    yield made
    made.end()


@pytest.fixture
def page(qtbot: QtBot, panel: ForecastPanel) -> MachinePage:
    """The page, with the curves of a node."""
    wait(qtbot, panel.machine)
    return panel.machine


def step(qtbot: QtBot, session: ConsoleSession, until_s: float) -> None:
    target, machine = session.target, session.machine
    assert target is not None
    assert machine is not None
    hz = machine.scenario.machine.hz
    session.step(round((until_s - target.now_s) * hz))
    qtbot.waitUntil(lambda: target.now_s == until_s)


def wait(qtbot: QtBot, page: MachinePage) -> None:
    qtbot.waitUntil(lambda: not page.tasks.is_busy() and bool(page.plots.figures))


def ask(qtbot: QtBot, page: MachinePage, name: str) -> None:
    page.form.node.setFocus()
    page.form.node.selectAll()
    QTest.keyClicks(page.form.node, name)
    wait(qtbot, page)


def test_it_opens_at_the_machine_that_is_open_and_stays_where_a_person_turns(
    panel: ForecastPanel, machine_session: ConsoleSession
) -> None:
    assert panel.mode.value == MACHINE
    assert panel.words == wording("console.analyse.forecast.copy-of-simulated-machine")
    panel.mode.choose(ONE)
    panel.suit()
    assert panel.mode.value == ONE
    panel.mode.choose(CLUSTER)
    assert not panel.compare.isVisible()
    machine_session.open(Document(scenario(), BUSY))
    # Another machine is open.
    assert panel.mode.value == MACHINE


def test_curves_are_what_the_machine_then_does(
    qtbot: QtBot, page: MachinePage, machine_session: ConsoleSession
) -> None:
    ask(qtbot, page, "A")
    assert page.form.source.text().split() == ["two-against-one.yaml", "at", "00:02:00"]
    (part,) = page.plots.figures[0].curves
    node = Names(scenario().tree).find("A").id
    (expected,) = curves(present(scenario(), AT_S, 60.0), (node,), (), 600.0)
    np.testing.assert_array_equal(part.y, expected.part)
    step(qtbot, machine_session, AT_S + 30)
    QTest.mouseClick(page.form.now, Qt.MouseButton.LeftButton)
    wait(qtbot, page)
    assert page.form.source.text().split() == ["two-against-one.yaml", "at", "00:02:30"]
    assert page.plots.figures[0].curves[0].y[0] == pytest.approx(np.interp(30.0, part.x, part.y), abs=0.02)


def test_several_changes_are_drawn_over_the_machine_as_it_is(qtbot: QtBot, page: MachinePage) -> None:
    ask(qtbot, page, "A")
    field = page.form.changes
    page.form.bar.setCurrentIndex(1)
    for kind, subject, value in (("shares", "A", "90"), ("parameter", "policy.half_life_s", "30 s")):
        field.kind.setCurrentIndex(field.kind.findData(kind))
        field.subject.setEditText(subject)
        QTest.keyClicks(field.value, value)
        QTest.keyClick(field.value, Qt.Key.Key_Return)
    assert field.list.count() == 2
    wait(qtbot, page)
    after, before = page.plots.figures[0].curves
    assert (after.name, before.name) == ("A", "A, unchanged")
    # Both begin with the same now.
    assert after.y[0] == before.y[0]
    assert after.y[-1] > before.y[-1]
    assert "with the changes" in page.form.words.text()
    field.list.setCurrentRow(0)
    QTest.keyClick(field.list, Qt.Key.Key_Delete)
    wait(qtbot, page)
    assert page.start is not None
    texts = ChangeTexts(settings=("policy.half_life_s=30 s",))
    actions = texts.actions_on(page.start.scenario, page.start.tree)
    (expected,) = curves(page.start, (Names(page.start.tree).find("A").id,), actions, 600.0)
    np.testing.assert_array_equal(page.plots.figures[0].curves[0].y, expected.part)


def test_what_must_change_is_tried_and_set_in_the_tree(
    qtbot: QtBot, page: MachinePage, machine_session: ConsoleSession
) -> None:
    ask(qtbot, page, "A")
    form, document = page.form, machine_session.document
    assert document is not None
    form.bar.setCurrentIndex(2)
    assert says(form.goal_words.text(), "app.forecast.only-shares-are-solved-for")
    QTest.keyClicks(form.wish, "80\xa0% in 5 min")
    qtbot.waitUntil(lambda: form.model.rowCount() == 1)
    assert says(form.goal_words.text(), "app.forecast.only-shares-are-solved-for")
    (way,) = form.model.rows
    assert way.is_enough
    assert page.start is not None
    goal = read_part_goal("80\xa0% in 5 min", way.node)
    change = ChangeTree((SetShares(((way.node, way.shares),)),))
    assert part_at(page.start, goal, (change,)) == way.part
    assert [curve.name for curve in page.plots.figures[0].curves] == ["A", "80.0\xa0% wished"]
    form.view.selectRow(0)
    QTest.mouseClick(form.try_it, Qt.MouseButton.LeftButton)
    assert form.changes.listed_texts.shares == (f"A={way.shares}",)
    form.view.selectRow(0)
    QTest.mouseClick(form.set_it, Qt.MouseButton.LeftButton)
    assert document.tree.node(way.node).shares == way.shares
    document.stack.undo()
    assert document.tree.node(way.node).shares == way.now
    wait(qtbot, page)


def test_shares_are_set_with_the_changes_on_which_the_way_rests(
    qtbot: QtBot, page: MachinePage, machine_session: ConsoleSession
) -> None:
    ask(qtbot, page, "A")
    form, document = page.form, machine_session.document
    assert document is not None
    index = Names(document.tree)
    form.changes.also("shares", "B", "30")
    form.changes.also("parameter", "policy.half_life_s", "30 s")
    QTest.keyClicks(form.wish, "80\xa0% in 5 min")
    qtbot.waitUntil(lambda: form.model.rowCount() == 1)
    basis = wording("app.forecast.with-changes-above")
    shown = form.goal_words.text()
    assert says(shown, "app.forecast.has-in-goal-is", basis=basis, part_2="80.0\xa0%")
    (way,) = form.model.rows
    messages: list[str] = []
    machine_session.message.connect(messages.append)
    form.view.selectRow(0)
    QTest.mouseClick(form.set_it, Qt.MouseButton.LeftButton)
    assert document.tree.node(way.node).shares == way.shares
    assert document.tree.node(index.find("B").id).shares == 30
    assert says(messages[0], "console.analyse.forecast.changes-above-on-which-goal")
    assert says(messages[0], "console.analyse.forecast.undo-reverts-them")
    assert messages[0].endswith(wording("console.analyse.forecast.goal-needs-changes-of-parameters"))
    document.stack.undo()
    assert document.tree.node(index.find("B").id).shares != 30
    wait(qtbot, page)


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("half", worded("app.forecast.is-not-goal-write-share")),
        ("150 % in 1 h", worded("app.forecast.is-not-goal-write-share")),
    ],
)
def test_a_wrong_wish_is_answered_below_its_field(page: MachinePage, typed: str, message: Expected) -> None:
    QTest.keyClicks(page.form.wish, typed)
    assert says(page.form.wish.fault.text(), message)
    assert page.form.question is not None
    assert not page.form.is_right


def test_it_starts_from_an_instant_that_has_passed(
    qtbot: QtBot, page: MachinePage, machine_session: ConsoleSession
) -> None:
    machine_session.past.go(60.0)
    qtbot.waitUntil(lambda: "00:01:00" in page.form.source.text())
    wait(qtbot, page)
    assert not page.form.set_it.isEnabled()
    assert "past" in page.form.set_it.toolTip()


def test_without_a_machine_it_says_what_would_be_here(
    qtbot: QtBot, empty_session: ConsoleSession, answers: Answers
) -> None:
    panel = ForecastPanel(empty_session, answers)
    qtbot.addWidget(panel)
    panel.mode.choose(MACHINE)
    assert not panel.machine.is_possible
    assert not panel.plots.figures
    panel.end()
