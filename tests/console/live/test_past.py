"""Scrubbing: every view shows the instant that somebody went to, and nothing can be done there."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.live.machine.strip import TimeStrip
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.past_button import PastButton
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import colour
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.tree import TreeError
from fsconsole.targets.base import MAX_SPEED, PLAYBACK, without_system
from fsconsole.targets.simulated import SimulatedTarget
from tests.console.conftest import Answers, notice_of
from tests.console.live.running import Until, go_to, node
from tests.texts import refuses, says, wording

LEFT = Qt.MouseButton.LeftButton


def at_instant(session: ConsoleSession, time_s: float, until: Until) -> None:
    """Wait until all of an instant is shown."""
    until(lambda: session.past.snapshot is not None and session.past.snapshot.time_s == time_s)


def click_plot(observe: LiveWorkspace, time_s: float) -> None:
    plot = observe.panel.plots[1]
    QTest.mouseClick(plot.viewport(), LEFT, pos=QPoint(round(plot.scales.x_of(time_s)), 40))


def test_a_click_on_a_plot_moves_all_views_there(observe: LiveWorkspace, until: Until) -> None:
    session, bar = observe.session, observe.machine.transport.bar
    go_to(session, 600.0, until)
    then = session.snapshot
    go_to(session, 970.0, until)
    assert then is not None
    click_plot(observe, 602.0)
    at_instant(session, 600.0, until)
    shown = session.snapshot
    assert shown is not None
    assert shown.processes == then.processes
    assert (bar.clock.text(), bar.chip.text) == ("00:10:00", "Past")
    model = observe.legend.view.legend
    u11 = model.index_of(node(session, "u11"), 1)
    expected = then.values(without_system("cpu_rate"), (node(session, "u11"),))[0] * 100
    assert str(model.data(u11, Qt.ItemDataRole.DisplayRole)) == f"{expected:.1f}"
    assert session.newest is not None
    assert session.newest.time_s == 970.0
    QTest.keyClick(observe.panel, Qt.Key.Key_Escape)
    assert bar.clock.text() == "00:16:10"
    assert bar.chip.text == "Paused"


def test_the_live_end_goes_on_while_the_past_is_shown(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 300.0, until)
    session.set_speed(MAX_SPEED)
    session.run()
    until(lambda: session.newest is not None and session.newest.time_s > 400.0)
    session.past.go(250.0)
    at_instant(session, 250.0, until)
    live = session.offer(PLAYBACK)
    assert live is not None
    until(lambda: session.newest is not None and session.newest.time_s >= 1200.0)
    assert session.snapshot is not None
    assert session.snapshot.time_s == 250.0
    start_s = observe.span.start_s
    assert start_s <= 250.0 <= observe.span.end_s
    session.past.leave()
    assert session.snapshot.time_s >= 1200.0


def test_the_play_head_is_dragged_along_the_strip(
    observe: LiveWorkspace, window: ConsoleWindow, until: Until
) -> None:
    session, strip = observe.session, observe.machine.transport.strip
    go_to(session, 970.0, until)
    button = notice_of(window, PastButton)
    assert button.isHidden()

    def place(time_s: float) -> QPoint:
        return QPoint(round(strip.scale.x(time_s)), 24)

    QTest.mousePress(strip, LEFT, pos=place(970.0))
    for time_s in (800.0, 500.0, 300.0):
        QTest.mouseMove(strip, place(time_s))
    QTest.mouseRelease(strip, LEFT, pos=place(300.0))
    reached_s = session.past.time_s
    assert reached_s == pytest.approx(300.0, abs=2.0)
    at_instant(session, reached_s, until)  # type: ignore[arg-type]
    charges = observe.panel.values.at_cursor(["charge"])
    assert charges is not None
    u11 = node(session, "u11")
    assert session.snapshot is not None
    assert charges[1]["charge"][u11] == session.snapshot.values("charge", (u11,))[0]
    assert not button.isHidden()
    assert button.text().startswith(("Past: 00:04:5", "Past: 00:05:0"))
    QTest.mouseClick(strip, LEFT, pos=place(700.0))
    assert session.past.time_s == pytest.approx(700.0, abs=2.0)
    QTest.mouseClick(button, LEFT)
    assert not session.past.is_on
    assert button.isHidden()


def test_nothing_can_be_done_in_the_past(observe: LiveWorkspace, window: ConsoleWindow, until: Until) -> None:
    session, table = observe.session, window.table
    document = session.document
    assert document is not None
    u11 = node(session, "u11")
    document.edit("Set shares", [SetShares.of(u11, 7)])
    go_to(session, 970.0, until)
    session.past.go(300.0)
    at_instant(session, 300.0, until)
    window.show_workspace("design")
    for action in ("undo", "observe.login", "observe.start", "observe.record", "add_user", "parameters"):
        assert not table.trigger(action), action
        answer = table.qaction(action).toolTip().count("The past cannot be changed.")
        assert answer == 1
    with refuses(TreeError, "console.past-cannot-be-changed-return"):
        document.edit("Set shares", [SetShares.of(u11, 9)])
    messages: list[str] = []
    session.line.replied.connect(lambda text, _status: messages.append(text))
    session.line.run("lim u11 shares=50")
    until(lambda: bool(messages))
    assert messages
    assert says(messages[0], "targets.nothing-was-done-view-shows")
    assert table.trigger("past.leave")
    assert table.trigger("undo")


def test_the_tree_is_as_it_was_and_the_file_as_it_is(
    observe: LiveWorkspace, window: ConsoleWindow, answers: Answers, tmp_path: Path, until: Until
) -> None:
    session = observe.session
    document = session.document
    assert document is not None
    u11 = node(session, "u11")
    before = document.tree.node(u11).shares
    go_to(session, 300.0, until)
    document.edit("Set shares", [SetShares.of(u11, 77)])
    table = document.tree
    fresh = table.new_id()
    group = document.tree.node(u11).parent
    window.show_workspace("design")
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    session.select((u11,))
    assert window.table.trigger("add_user")
    added = max(node.id for node in document.tree.walk())
    assert added >= fresh
    go_to(session, 900.0, until)
    session.past.go(250.0)
    at_instant(session, 250.0, until)
    assert document.tree.node(u11).shares == before
    assert added not in document.tree
    answers.to_save = (tmp_path / "kept.yaml", 0)
    assert window.table.trigger("save_as")
    kept = read_scenario(tmp_path / "kept.yaml")
    assert kept.tree.find("u11").shares == 77
    assert len(kept.tree) == len(document.tree) + 1
    session.past.go(600.0)
    at_instant(session, 600.0, until)
    assert document.tree.node(u11).shares == 77
    assert document.tree.node(added).parent == group
    session.past.leave()
    assert document.tree.node(u11).shares == 77
    assert added in document.tree
    assert document.stack.index() == 2
    assert window.table.trigger("undo")
    assert added not in document.tree


def test_the_settings_are_as_they_were(observe: LiveWorkspace, until: Until) -> None:
    session, bar = observe.session, observe.machine.transport.bar
    document = session.document
    assert document is not None
    go_to(session, 300.0, until)
    document.set_settings({"policy.delta_s": 8.0})
    go_to(session, 600.0, until)
    assert bar.step_size.itemText(2) == wording("console.delta-s", delta_s="8")
    session.past.go(250.0)
    at_instant(session, 250.0, until)
    assert document.settings["policy.delta_s"] == 4.0
    assert bar.step_size.itemText(2) == wording("console.delta-s", delta_s="4")
    assert document.present.policy.delta_s == 8.0
    session.past.leave()
    assert document.settings["policy.delta_s"] == 8.0
    assert bar.step_size.itemText(2) == wording("console.delta-s", delta_s="8")


def test_what_others_do_meanwhile_is_taken_in_with_the_present(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    document, target = session.document, session.target
    assert document is not None
    assert isinstance(target, SimulatedTarget)
    u11 = node(session, "u11")
    before = document.tree.node(u11).shares
    go_to(session, 600.0, until)
    session.past.go(300.0)
    at_instant(session, 300.0, until)
    target.command("lim u11 shares=55", "somebody").result(20)
    until(lambda: session.newest is not None and bool(session.newest.outside))
    assert document.tree.node(u11).shares == before
    session.past.leave()
    assert document.tree.node(u11).shares == 55


def test_keys_step_through_the_past(observe: LiveWorkspace, window: ConsoleWindow, until: Until) -> None:
    session, table = observe.session, window.table
    go_to(session, 970.0, until)
    observe.machine.transport.bar.step_size.setCurrentIndex(1)
    QTest.keyClick(observe.panel, Qt.Key.Key_Comma)
    assert session.past.time_s == 969.0
    assert table.trigger("observe.step")
    assert session.past.time_s == 970.0
    events = [event.time_s for event in session.events() if not event.is_planned and event.time_s < 970.0]
    control_shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_Left, control_shift)
    assert session.past.time_s == events[-1]
    QTest.keyClick(window, Qt.Key.Key_Left, control_shift)
    assert session.past.time_s == events[-2]
    QTest.keyClick(window, Qt.Key.Key_Right, control_shift)
    assert session.past.time_s == events[-1]
    QTest.keyClick(window, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert session.past.time_s == 0.0
    QTest.keyClick(window, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert session.past.time_s is None


def test_the_past_plays_and_goes_round(observe: LiveWorkspace, window: ConsoleWindow, until: Until) -> None:
    session = observe.session
    go_to(session, 970.0, until)
    session.past.go(900.0)
    session.set_speed(1000.0)
    assert window.table.trigger("observe.run")
    until(lambda: session.past.time_s == 970.0 and not session.is_running)
    observe.span.fix(100.0, 200.0)
    session.set_speed(100.0)
    seen: list[float] = []
    session.past.moved.connect(lambda: seen.append(session.past.time_s or -1.0))
    assert window.table.trigger("observe.loop")
    until(lambda: any(later < earlier for earlier, later in itertools.pairwise(seen)))
    assert all(100.0 <= time_s <= 200.0 for time_s in seen)
    assert observe.machine.transport.bar.chip.text == "Loop"
    assert observe.machine.transport.bar.chip.toolTip() == wording(
        "console.live.machine.loop-from-to", begin="00:01:40", end="00:03:20"
    )
    assert window.table.trigger("observe.loop")
    assert not session.is_running
    until(lambda: observe.machine.transport.bar.chip.text == "Past")
    assert session.newest is not None
    assert session.newest.time_s == 970.0


def test_what_is_looped_stands_between_brackets_on_the_time_strip(
    observe: LiveWorkspace, window: ConsoleWindow, until: Until
) -> None:
    session, strip = observe.session, observe.machine.transport.strip
    go_to(session, 600.0, until)
    observe.span.fix(120.0, 300.0)
    assert strip.section_px() is None
    assert window.table.trigger("observe.loop")
    session.past.pause()
    ends = strip.section_px()
    assert ends is not None
    assert list(ends) == [round(strip.scale.x(time_s)) for time_s in (120.0, 300.0)]
    observe.span.fix(200.0, 560.0)  # looking at another range leaves the loop as it is
    assert strip.section_px() == ends
    assert strip.accessibleDescription() == wording(
        "console.live.machine.loop-from-to", begin="00:02:00", end="00:05:00"
    )
    inks = {name: _ink(strip, x) for name, x in (("in", ends[1] - 20), ("bracket", ends[1] - 1))}
    assert inks["bracket"] == colour("warn").name()
    assert window.table.trigger("observe.loop")
    assert strip.section_px() is None
    assert "Loop" not in strip.accessibleDescription()
    plain = {name: _ink(strip, x) for name, x in (("in", ends[1] - 20), ("bracket", ends[1] - 1))}
    assert plain["in"] == plain["bracket"]
    assert not set(plain.values()) & set(inks.values())


def _ink(strip: TimeStrip, x: float) -> str:
    """The colour of the middle of the bar at a place."""
    return strip.grab().toImage().pixelColor(round(x), 24).name()


def test_a_range_of_which_nothing_has_passed_is_not_looped(
    observe: LiveWorkspace, window: ConsoleWindow, until: Until
) -> None:
    session = observe.session
    go_to(session, 50.0, until)
    messages: list[str] = []
    session.message.connect(messages.append)
    observe.span.fix(100.0, 200.0)
    assert window.table.trigger("observe.loop")
    assert messages == [wording("console.live.range-shown-is-in-future")]
    assert session.past.section is None
    assert not session.past.is_on


def test_why_and_control_speak_of_the_instant(
    observe: LiveWorkspace, window: ConsoleWindow, until: Until
) -> None:
    session = observe.session
    go_to(session, 300.0, until)
    session.select((node(session, "u11"), node(session, "u21")))
    observe.show_why()
    until(lambda: observe.why_panel.explanation is not None)
    first = observe.why_panel.explanation
    go_to(session, 900.0, until)
    until(lambda: observe.why_panel.explanation != first)
    session.past.go(300.0)
    at_instant(session, 300.0, until)
    until(lambda: observe.why_panel.explanation == first)


def test_another_run_begins_at_its_present(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 600.0, until)
    session.past.go(300.0)
    session.restart()
    assert not session.past.is_on
    until(lambda: session.snapshot is not None and session.snapshot.time_s == 0.0)
    assert session.document is not None
    assert not session.document.locked


def test_a_damaged_past_is_reported_and_the_console_lives_on(
    observe: LiveWorkspace, qtbot: QtBot, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, target = observe.session, observe.session.target
    assert isinstance(target, SimulatedTarget)
    go_to(session, 600.0, until)

    def broken(_time_s: float) -> None:
        raise ValueError("no more")

    monkeypatch.setattr(target.rewinder, "_stand_at", broken)
    with qtbot.waitSignal(session.message, check_params_cb=lambda text: text == "no more"):
        session.past.go(300.0)
    assert session.moment is not None
    assert session.moment.time_s == 300.0
    session.past.leave()
    assert session.snapshot is not None
    assert session.snapshot.time_s == 600.0


def test_the_plots_hold_the_instant_and_then_what_they_showed(observe: LiveWorkspace, until: Until) -> None:
    session, span, table = observe.session, observe.span, observe.table
    go_to(session, 1100.0, until)
    span.follow(120.0)
    before = (span.start_s, span.end_s)
    session.past.go(300.0)
    assert span.start_s < 300.0 < span.end_s
    assert span.end_s - span.start_s == 120.0
    session.past.leave()
    assert (span.start_s, span.end_s) == before
    messages: list[str] = []
    session.message.connect(messages.append)
    session.past.go(600.0)
    at_instant(session, 600.0, until)
    assert table.trigger("past.next")
    assert session.past.time_s == 600.0
    assert messages[-1] == wording("console.no-event-after", at="00:10:00")


def test_fields_and_cells_are_locked_in_the_past(
    observe: LiveWorkspace, window: ConsoleWindow, until: Until
) -> None:
    session = observe.session
    go_to(session, 600.0, until)
    session.past.go(300.0)
    at_instant(session, 300.0, until)
    window.show_workspace("design")
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    u21 = node(session, "u21")
    session.select((u21,))
    shares = design.node_panel.editor("Shares")
    assert shares.isReadOnly()
    assert says(shares.toolTip(), "console.past-cannot-be-changed-return")
    assert not design.node_panel.kind.isEnabled()
    model = design.tree_view.model()
    index = design.tree_view.currentIndex().siblingAtColumn(2)
    assert not model.flags(index) & Qt.ItemFlag.ItemIsEditable
    until(lambda: shares.height() >= shares.sizeHint().height())
    picture = shares.grab().toImage()
    assert picture.pixelColor(3, 3) == colour("raised")
    assert says(design.node_panel.kind.toolTip(), "console.past-cannot-be-changed-return")
    messages: list[str] = []
    session.message.connect(messages.append)
    QTest.keyClick(design.tree_view, Qt.Key.Key_7)
    cell = design.tree_view.visualRect(index).center()
    QTest.mouseClick(design.tree_view.viewport(), LEFT, pos=cell)
    QTest.mouseDClick(design.tree_view.viewport(), LEFT, pos=cell)
    QTest.mouseRelease(design.tree_view.viewport(), LEFT, pos=cell)  # a double click of QTest stays pressed
    assert len(messages) == 2
    assert all(says(words, "console.past-cannot-be-changed-return") for words in messages)
    session.past.leave()
    assert not shares.isReadOnly()
    assert model.flags(index) & Qt.ItemFlag.ItemIsEditable


def test_the_play_head_is_dragged_in_a_plot(observe: LiveWorkspace, until: Until) -> None:
    session, span = observe.session, observe.span
    go_to(session, 970.0, until)
    span.show_whole()
    session.past.go(500.0)
    at_instant(session, 500.0, until)
    plot = observe.panel.plots[1]

    def place(time_s: float) -> QPoint:
        return QPoint(round(plot.scales.x_of(time_s)), 40)

    before = (span.start_s, span.end_s)
    viewport = plot.viewport()
    QTest.mouseMove(viewport, place(500.0))
    assert viewport.cursor().shape() is Qt.CursorShape.SizeHorCursor
    QTest.mousePress(viewport, LEFT, pos=place(500.0))
    for time_s in (450.0, 400.0, 300.0):
        QTest.mouseMove(viewport, place(time_s))
    assert session.past.time_s == pytest.approx(300.0, abs=2.0)
    QTest.mouseMove(viewport, place(1100.0))
    assert not session.past.is_on
    QTest.mouseRelease(viewport, LEFT, pos=place(1100.0))
    assert (span.start_s, span.end_s) == before
    QTest.mousePress(viewport, LEFT, pos=place(970.0))
    QTest.mouseMove(viewport, place(960.0))
    QTest.mouseMove(viewport, place(700.0))
    QTest.mouseRelease(viewport, LEFT, pos=place(700.0))
    assert session.past.time_s == pytest.approx(700.0, abs=2.0)


def test_plots_and_tables_have_the_same_value_at_an_instant_between_ticks(
    observe: LiveWorkspace, until: Until
) -> None:
    session = observe.session
    go_to(session, 300.0, until)
    session.past.go(123.456)
    until(lambda: session.past.snapshot is not None and abs(session.past.snapshot.time_s - 123.456) < 0.1)
    until(lambda: session.moment is session.past.snapshot)
    document = session.document
    assert document is not None
    u11 = document.tree.find("u11").id
    moment = session.moment
    assert moment is not None
    target = session.target
    assert target is not None
    assert observe.panel.values.moment_at(target, session.cursor_s) is moment
    assert moment.values("charge", [u11])[0] > 0


def test_a_loop_shorter_than_an_answer_moves_on(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 120.0, until)
    session.set_speed(MAX_SPEED)  # an hour a second: each frame is longer than the section
    session.past.go(101.0)
    session.past.set_speed(MAX_SPEED)
    seen: list[float] = []
    session.past.moved.connect(lambda: seen.append(session.past.time_s or -1.0))
    session.past.loop((100.0, 106.0))
    until(lambda: len(set(seen)) > 3)
    assert all(100.0 <= time_s <= 106.0 for time_s in seen)
    session.past.leave()
