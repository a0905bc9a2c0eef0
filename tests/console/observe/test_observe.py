"""Observe by keys and clicks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QMenu
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.observe.dialogs import LoginDialog, NiceDialog, StartDialog
from fsconsole.console.observe.legend_model import Column
from fsconsole.console.observe.plots import furniture
from fsconsole.console.observe.plots.value_column import arranged
from fsconsole.console.observe.process_model import Column as ProcessColumn
from fsconsole.console.observe.workspace import ObserveWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.machine.machine import Machine
from fsconsole.resources import examples
from fsconsole.shares.edits import Remove, SetShares
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.actions import Login, StartProcess, Work
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.tree import ROOT_ID
from fsconsole.targets.base import Snapshot

Until = Callable[[Callable[[], bool]], None]


@pytest.fixture
def six(session: ConsoleSession, qtbot: QtBot) -> ConsoleSession:
    """Convex series 6 in place of series 1."""
    path = examples() / "convex-series-6.yaml"
    scenario = read_scenario(path)
    # Sampled as the paper did it, whatever the example says.
    sampled = replace(scenario, plot=replace(scenario.plot, sample_s=10.0, rate_window_s=10.0))
    session.open(Document(sampled, path, text=path.read_text("utf-8")))
    qtbot.waitUntil(lambda: session.snapshot is not None, timeout=60_000)
    return session


@pytest.fixture
def observe(six: ConsoleSession, window: ConsoleWindow, qtbot: QtBot) -> ObserveWorkspace:
    """Observe at the front."""
    window.show_workspace("observe")
    found = window.workspace("observe")
    assert isinstance(found, ObserveWorkspace)
    qtbot.waitUntil(found.panel.isVisible)
    window.activateWindow()
    found.panel.setFocus()
    return found


@pytest.fixture
def until(qtbot: QtBot) -> Until:
    def wait(condition: Callable[[], bool]) -> None:
        qtbot.waitUntil(condition, timeout=20_000)

    return wait


def now(session: ConsoleSession) -> Snapshot:
    snapshot = session.snapshot
    assert snapshot is not None
    return snapshot


def node(session: ConsoleSession, name: str) -> int:
    assert session.document is not None
    return session.document.tree.find(name).id


def go_to(session: ConsoleSession, time_s: float, until: Until) -> None:
    """Step to a time and wait until it is shown."""
    frames: list[float] = []
    session.frame.connect(lambda snapshot: frames.append(snapshot.time_s))
    session.step(round((time_s - now(session).time_s) * 60))
    until(lambda: bool(frames) and frames[-1] >= time_s)


def test_space_runs_and_pauses_and_data_arrive(observe: ObserveWorkspace, qtbot: QtBot, until: Until) -> None:
    session = observe.session
    plot = observe.panel.plots[0]
    session.set_speed(1000.0)
    QTest.keyClick(observe.panel, Qt.Key.Key_Space)
    until(lambda: len(plot.curve_data(node(session, "u11"))[0]) > 5)
    assert observe.transport.bar.run.text() == "Pause"
    QTest.keyClick(observe.panel, Qt.Key.Key_Space)
    until(lambda: not now(session).running)
    until(lambda: observe.transport.bar.chip.text in ("Paused", "Ended"))
    assert observe.transport.bar.run.text() == "Run"


def test_keys_change_the_speed_and_step(observe: ObserveWorkspace, qtbot: QtBot, until: Until) -> None:
    session = observe.session
    assert session.target is not None
    QTest.keyClick(observe.panel, Qt.Key.Key_BracketRight)
    assert session.target.speed == 100.0
    assert observe.transport.bar.speed.value == 100.0
    QTest.keyClick(observe.panel, Qt.Key.Key_BracketLeft)
    QTest.keyClick(observe.panel, Qt.Key.Key_BracketLeft)
    assert session.target.speed == 1.0
    for at, ticks in enumerate((1, 60, 240)):
        before = now(session).tick
        observe.transport.bar.step_size.setCurrentIndex(at)
        QTest.keyClick(observe.panel, Qt.Key.Key_Period)
        until(lambda wanted=before + ticks: now(session).tick == wanted)  # type: ignore[misc]


def test_a_click_on_a_speed_leaves_the_space_bar_to_run(observe: ObserveWorkspace, until: Until) -> None:
    bar, session = observe.transport.bar, observe.session
    assert session.target is not None
    for widget in (bar.speed.button(100.0), observe.legend.switch, observe.processes.sleeping):
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
        focus = QApplication.focusWidget()
        assert focus is observe.panel
        QTest.keyClick(focus, Qt.Key.Key_Space)
        assert session.target.is_running
        QTest.keyClick(focus, Qt.Key.Key_Space)
        assert not session.target.is_running
    assert session.target.speed == 100.0


def test_the_range_is_named_from_the_first_start(observe: ObserveWorkspace) -> None:
    assert (observe.span.start_s, observe.span.end_s) == (0.0, 600.0)
    assert observe.plot_controls.span_box.currentText() == "Follow 10 min"
    observe.span.fix(0.0, 600.0)
    assert observe.plot_controls.span_box.currentText() == "Fixed"
    observe.span.begin(1200.0)
    assert observe.plot_controls.span_box.currentText() == "Follow 10 min"


def test_the_run_ends_where_the_scenario_does(observe: ObserveWorkspace, until: Until) -> None:
    observe.session.set_speed(float("inf"))
    observe.session.run()
    until(lambda: observe.transport.bar.chip.text == "Ended")
    assert observe.transport.bar.clock.text() == "00:20:00"
    assert "1991 14:20:00" in observe.transport.bar.date.text()


def test_curves_and_values_are_those_of_the_paper(observe: ObserveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 970.0, until)
    rows = {row.name: row.text for row in observe.panel.rows["allocated_share"].values.rows}
    assert rows == {"u11": "50.0", "u21": "40.0", "u22": "10.0"}
    # Junglas, series 6: at 490 s u21 gets nearly all for a moment.
    times, values = observe.panel.rows["cpu_rate"].plot.curve_data(node(session, "u21"))
    assert values[(times > 490) & (times <= 510)].max() > 0.9


def test_all_rates_of_the_present_are_of_one_window(observe: ObserveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 506.5, until)  # between two samples, while u21 catches up
    observe.legend.refresh()
    observe.processes.refresh()
    observe.panel._refresh_all()
    observe.panel._cursor_moved()
    legend = observe.legend.view.legend
    beside = {row.name: row.text for row in observe.panel.rows["cpu_rate"].values.rows}
    for name in ("u11", "u21", "u22"):
        user = node(session, name)
        in_legend = legend.data(legend.index_of(user, Column.CPU))
        rates = [row.cpu_rate for row in now(session).processes if row.node == user]
        assert beside[name] == in_legend
        assert float(in_legend) == pytest.approx(100 * sum(rates), abs=0.06)


def test_the_present_is_painted_where_the_clock_is(
    observe: ObserveWorkspace, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[float] = []
    monkeypatch.setattr(furniture, "paint_present", lambda _painter, _scales, now_s: painted.append(now_s))
    for time_s in (300.0, 304.0, 307.5):
        go_to(observe.session, time_s, until)
        until(lambda: bool(painted) and painted[-1] == now(observe.session).time_s)


def test_the_status_tells_when_a_run_goes_on_past_its_end(observe: ObserveWorkspace, until: Until) -> None:
    go_to(observe.session, 1200.0, until)
    assert observe.status_text().startswith("1\N{THIN SPACE}200.0 s of 1\N{THIN SPACE}200 s")
    go_to(observe.session, 1204.0, until)
    assert observe.status_text().startswith("1\N{THIN SPACE}204.0 s past the end at 1\N{THIN SPACE}200 s")


def test_the_switch_rescales_as_the_tree_does(observe: ObserveWorkspace, qtbot: QtBot, until: Until) -> None:
    session = observe.session
    go_to(session, 970.0, until)
    u21 = node(session, "u21")
    plot = observe.panel.rows["allocated_share"].plot
    rescaled = plot.curve_data(u21)[1][-1]
    QTest.keyClick(observe.panel, Qt.Key.Key_S)
    assert session.leave_out_system is False
    assert not observe.legend.switch.isChecked()
    raw = plot.curve_data(u21)[1][-1]
    assert session.document is not None
    flat = FlatTree.of(session.document.tree)
    column = now(session).sample.columns["allocated_share"]
    row = flat.row_of[u21]
    assert raw == pytest.approx(column[row], rel=1e-6)
    assert rescaled == pytest.approx(flat.without_system(column)[row], rel=1e-6)
    # 9000 of 20 000 shares are each system group's; u21 has 800 of 1000 of gr2's 1000.
    assert raw == pytest.approx(0.04, rel=1e-6)
    daemon = observe.legend.view.legend
    assert daemon.data(daemon.index_of(node(session, "Daemon"), Column.ALLOCATED)) == "45.0"
    QTest.mouseClick(observe.legend.switch, Qt.MouseButton.LeftButton)
    until(lambda: session.leave_out_system)
    assert daemon.remark(node(session, "Daemon")) == "left out, 45.0 %, idle"


def test_legend_boxes_draw_curves(observe: ObserveWorkspace, qtbot: QtBot) -> None:
    session, legend = observe.session, observe.legend.view.legend
    gr1, u11, u12 = (node(session, name) for name in ("gr1", "u11", "u12"))
    checked = Qt.ItemDataRole.CheckStateRole
    assert legend.data(legend.index_of(gr1), checked) == Qt.CheckState.PartiallyChecked
    assert legend.setData(legend.index_of(u12), Qt.CheckState.Checked, checked)
    assert legend.data(legend.index_of(gr1), checked) == Qt.CheckState.Checked
    assert u12 in observe.panel.drawn.nodes
    assert observe.curve_choice.button.text() == "4 curves"
    view = observe.legend.view
    place = view.visualRect(legend.index_of(u11)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.AltModifier, place)
    assert session.shown == (u11,)


def test_selecting_in_the_legend_selects_everywhere_and_back(observe: ObserveWorkspace, qtbot: QtBot) -> None:
    session, view = observe.session, observe.legend.view
    u21, u22 = node(session, "u21"), node(session, "u22")
    place = view.visualRect(view.legend.index_of(u21)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.selection == (u21,)
    session.select([u22])
    chosen = [view.legend.node_of(index) for index in view.selectionModel().selectedRows()]
    assert chosen == [u22]


def test_the_legend_model_is_sound(observe: ObserveWorkspace) -> None:
    tester = QAbstractItemModelTester(
        observe.legend.view.legend, QAbstractItemModelTester.FailureReportingMode.Warning
    )
    observe.legend.view.reset_keeping_state()
    observe.legend.refresh()
    assert tester.model() is observe.legend.view.legend


def test_the_process_model_is_sound(observe: ObserveWorkspace, until: Until) -> None:
    model = observe.processes.table.processes
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    for column in ProcessColumn:
        model.sort(column, Qt.SortOrder.DescendingOrder)
    session = observe.session
    session.act(StartProcess(node(session, "u11"), Work(), "copy", count=3))
    until(lambda: model.rowCount() == 7)
    assert tester.model() is model


def test_groups_stay_open_in_the_legend_when_nodes_come_and_go(observe: ObserveWorkspace) -> None:
    session, view = observe.session, observe.legend.view
    gr1, daemon, u23 = (node(session, name) for name in ("gr1", "Daemon", "u23"))
    view.collapse(view.legend.index_of(gr1))
    view.expand(view.legend.index_of(daemon))
    assert session.document is not None
    session.document.edit("Remove", [Remove(u23)])
    assert not view.isExpanded(view.legend.index_of(gr1))
    assert view.isExpanded(view.legend.index_of(daemon))


def test_cursor_keys_go_by_samples_and_events(observe: ObserveWorkspace, qtbot: QtBot, until: Until) -> None:
    session = observe.session
    go_to(session, 970.0, until)
    QTest.keyClick(observe.panel, Qt.Key.Key_Left)
    assert session.cursor_s == 960.0
    QTest.keyClick(observe.panel, Qt.Key.Key_Left)
    QTest.keyClick(observe.panel, Qt.Key.Key_Right)
    assert session.cursor_s == 960.0
    QTest.keyClick(observe.panel, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert session.cursor_s == 490.0
    assert observe.plot_controls.cursor_words.text() == "Cursor 08:10, 0 s after u21 logs in"
    assert observe.panel.axis.tag == "08:10, 490 s"
    QTest.keyClick(observe.panel, Qt.Key.Key_Escape)
    assert session.cursor_s is None


def test_a_click_pins_the_cursor_at_a_sample(observe: ObserveWorkspace, qtbot: QtBot, until: Until) -> None:
    session = observe.session
    go_to(session, 970.0, until)
    plot = observe.panel.plots[1]
    place = QPoint(round(plot.scales.x_of(612.0)), 40)
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.cursor_s == 610.0
    rows = {row.name: row.text for row in observe.panel.rows["allocated_share"].values.rows}
    assert rows["u22"] == "10.0"


def test_the_cursor_follows_the_pointer_until_a_click_pins_it(
    observe: ObserveWorkspace, qtbot: QtBot, until: Until
) -> None:
    session, panel = observe.session, observe.panel
    go_to(session, 970.0, until)
    plot, button = panel.plots[1], Qt.MouseButton.LeftButton

    def at(time_s: float) -> QPoint:
        return QPoint(round(plot.scales.x_of(time_s)), 40)

    QTest.mouseMove(plot.viewport(), at(700.0))
    QTest.mouseMove(plot.viewport(), at(612.0))
    until(lambda: session.cursor_s == 610.0)
    assert panel.axis.tag == "10:10, 610 s"
    shown = {row.name: row.text for row in panel.rows["allocated_share"].values.rows}
    assert shown == {"u11": "50.0", "u21": "40.0", "u22": "10.0"}
    QTest.mouseClick(plot.viewport(), button, pos=at(612.0))
    QTest.mouseMove(plot.viewport(), at(800.0))
    assert (session.cursor_s, panel.time_cursor.is_pinned) == (610.0, True)
    QTest.mouseClick(plot.viewport(), button, pos=at(800.0))
    assert (session.cursor_s, panel.time_cursor.is_pinned) == (800.0, False)
    QTest.mouseMove(observe.transport.bar.run, QPoint(5, 5))
    until(lambda: session.cursor_s is None)


def test_a_double_click_leaves_the_cursor_as_it_was(
    observe: ObserveWorkspace, qtbot: QtBot, until: Until
) -> None:
    session, panel = observe.session, observe.panel
    go_to(session, 970.0, until)
    viewport, button = panel.plots[0].viewport(), Qt.MouseButton.LeftButton
    for pinned_s in (None, 610.0):
        if pinned_s is not None:
            panel.time_cursor.pin(pinned_s)
        QTest.mouseClick(viewport, button, pos=QPoint(400, 40))
        QTest.mouseDClick(viewport, button, pos=QPoint(400, 40))
        assert session.cursor_s == pinned_s
        assert panel.time_cursor.is_pinned == (pinned_s is not None)
        assert observe.span.mode == "whole"


def test_dragging_pans_and_a_double_click_shows_all(
    observe: ObserveWorkspace, qtbot: QtBot, until: Until
) -> None:
    go_to(observe.session, 970.0, until)
    plot, span = observe.panel.plots[0], observe.span
    start = span.start_s
    viewport, button = plot.viewport(), Qt.MouseButton.LeftButton
    QTest.mousePress(viewport, button, pos=QPoint(400, 40))
    QTest.mouseMove(viewport, QPoint(450, 40))
    QTest.mouseMove(viewport, QPoint(500, 40))
    QTest.mouseRelease(viewport, button, pos=QPoint(500, 40))
    assert span.mode == "fixed"
    assert span.start_s < start
    assert observe.session.cursor_s is None
    assert observe.plot_controls.span_box.currentText() == "Fixed"
    QTest.mouseDClick(viewport, button, pos=QPoint(400, 40))
    assert (span.mode, span.start_s, span.end_s) == ("whole", 0.0, 1200.0)
    assert observe.plot_controls.span_box.currentText() == "Whole run"


def test_the_strips_box_moves_the_range(observe: ObserveWorkspace, qtbot: QtBot, until: Until) -> None:
    go_to(observe.session, 970.0, until)
    strip, span = observe.transport.strip, observe.span
    width = span.end_s - span.start_s
    middle = strip.scale.x((span.start_s + span.end_s) / 2)
    button = Qt.MouseButton.LeftButton
    QTest.mousePress(strip, button, pos=QPoint(round(middle), 24))
    QTest.mouseMove(strip, QPoint(round(middle) - 100, 24))
    QTest.mouseRelease(strip, button, pos=QPoint(round(middle) - 100, 24))
    assert span.mode == "fixed"
    assert span.end_s - span.start_s == pytest.approx(width)
    before = span.end_s
    right = round(strip.scale.x(span.end_s))
    QTest.mousePress(strip, button, pos=QPoint(right, 24))
    QTest.mouseMove(strip, QPoint(right - 60, 24))
    QTest.mouseRelease(strip, button, pos=QPoint(right - 60, 24))
    assert span.end_s < before


def test_hidden_plots_draw_nothing_and_catch_up(
    observe: ObserveWorkspace, window: ConsoleWindow, until: Until
) -> None:
    session = observe.session
    observe.panel.show_quantities(["cpu_rate"])
    charge = observe.panel.rows["charge"].plot
    drawn = len(charge.curve_data(node(session, "u11"))[0])
    go_to(session, 300.0, until)
    assert len(charge.curve_data(node(session, "u11"))[0]) == drawn
    observe.panel.show_quantities(["cpu_rate", "charge"])
    assert len(charge.curve_data(node(session, "u11"))[0]) == 31
    window.hide()
    session.step(600)
    until(lambda: now(session).time_s == 310.0)
    assert len(charge.curve_data(node(session, "u11"))[0]) == 31
    window.show()
    until(lambda: len(charge.curve_data(node(session, "u11"))[0]) == 32)


def dialog_of(kind: type) -> object:
    return next((widget for widget in QApplication.topLevelWidgets() if isinstance(widget, kind)), None)


def accept(dialog: LoginDialog | StartDialog | NiceDialog, qtbot: QtBot) -> None:
    box = dialog.buttons
    chosen = next(b for b in box.buttons() if box.buttonRole(b) == QDialogButtonBox.ButtonRole.AcceptRole)
    QTest.mouseClick(chosen, Qt.MouseButton.LeftButton)


def test_u21_logged_in_by_hand_gets_his_shares(
    observe: ObserveWorkspace, window: ConsoleWindow, qtbot: QtBot, until: Until
) -> None:
    session = observe.session
    go_to(session, 100.0, until)
    u21 = node(session, "u21")
    legend = observe.legend.view.legend
    assert legend.remark(u21) == "not logged in"
    window.table.trigger("observe.login")
    dialog = dialog_of(LoginDialog)
    assert isinstance(dialog, LoginDialog)
    QTest.keyClicks(dialog.user, "nobody")
    accept(dialog, qtbot)
    assert "No user 'nobody'" in dialog.problem
    dialog.user.clearEditText()
    QTest.keyClicks(dialog.user, "u21")
    accept(dialog, qtbot)
    until(lambda: u21 in now(session).logged_in)
    go_to(session, 200.0, until)
    observe.legend.refresh()
    assert legend.remark(u21) == ""
    assert legend.data(legend.index_of(u21, Column.ALLOCATED)) == "40.0"
    assert any(flag.text == "u21 logged in" for flag in observe.events.flags())


def test_processes_are_started_reniced_and_ended_by_keyboard(
    observe: ObserveWorkspace, window: ConsoleWindow, qtbot: QtBot, until: Until
) -> None:
    session, table = observe.session, observe.processes.table
    session.select([node(session, "u11")])
    window.table.trigger("observe.start")
    dialog = dialog_of(StartDialog)
    assert isinstance(dialog, StartDialog)
    assert dialog.user.currentText() == "u11"
    dialog.command.setText("wave")
    dialog.count.setValue(2)
    dialog.work.kind.setCurrentIndex(1)
    accept(dialog, qtbot)
    until(lambda: sum(row.command == "wave" for row in table.processes.rows) == 2)
    pids = {row.pid for row in table.processes.rows if row.command == "wave"}
    table.select_pids(pids)
    window.activateWindow()
    table.setFocus()
    until(table.hasFocus)
    QTest.keyClick(table, Qt.Key.Key_F2)
    renice = dialog_of(NiceDialog)
    assert isinstance(renice, NiceDialog)
    renice.nice.setValue(39)
    accept(renice, qtbot)
    until(lambda: {row.nice for row in table.processes.rows if row.pid in pids} == {39})
    assert {row.pid for row in table.selected()} == pids
    window.activateWindow()
    table.setFocus()
    until(table.hasFocus)
    QTest.keyClick(table, Qt.Key.Key_Delete)
    until(lambda: not any(row.pid in pids for row in table.processes.rows))


def test_the_process_table_filters_sorts_and_copies(
    observe: ObserveWorkspace, qtbot: QtBot, until: Until
) -> None:
    session, panel = observe.session, observe.processes
    go_to(session, 970.0, until)
    panel.refresh()
    model = panel.table.processes
    rates = [row.cpu_rate for row in model.rows]
    assert rates == sorted(rates, reverse=True)
    QTest.keyClicks(panel.search, "u2")
    assert {model.charged_to(row.node) for row in model.rows} == {"u21", "u22"}
    panel.search.clear()
    panel.sleeping.setChecked(False)
    assert all(row.state != "sleeping" for row in model.rows)
    panel.table.selectRow(0)
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    cells = QGuiApplication.clipboard().text().split("\t")
    assert len(cells) == len(ProcessColumn)
    assert cells[0] == str(model.rows[0].pid)
    assert float(cells[ProcessColumn.CPU]) == pytest.approx(model.rows[0].cpu_rate)


def test_the_arrow_points_down_where_the_largest_stand_first(
    observe: ObserveWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = observe.processes.table.horizontalHeader()
    pointed_up: list[bool] = []
    monkeypatch.setattr("fsconsole.console.look.paint.arrow", lambda *_, up, **_others: pointed_up.append(up))
    header.setSortIndicator(ProcessColumn.CPU, Qt.SortOrder.DescendingOrder)
    header.grab()
    assert set(pointed_up) == {False}
    pointed_up.clear()
    header.setSortIndicator(ProcessColumn.CPU, Qt.SortOrder.AscendingOrder)
    header.grab()
    assert set(pointed_up) == {True}


def test_log_out_of_a_process_names_the_user(observe: ObserveWorkspace, until: Until) -> None:
    session, table = observe.session, observe.processes.table
    u11 = node(session, "u11")
    until(lambda: u11 in now(session).logged_in and bool(table.processes.rows))
    table.select_pids({row.pid for row in table.processes.rows if row.node == u11})
    menu = QMenu()
    observe.operator.add_log_out(menu, {row.node for row in table.selected()})
    assert [action.text() for action in menu.actions()] == ["Log out u11"]
    menu.actions()[0].trigger()
    until(lambda: u11 not in now(session).logged_in)
    menu.clear()
    observe.operator.add_log_out(menu, {ROOT_ID})
    assert menu.isEmpty()


def test_a_tree_without_system_groups_has_none_to_leave_out(
    session: ConsoleSession, window: ConsoleWindow, qtbot: QtBot
) -> None:
    path = examples() / "two-organisations.yaml"
    session.open(Document(read_scenario(path), name=path.name))
    qtbot.waitUntil(lambda: session.snapshot is not None, timeout=60_000)
    window.show_workspace("observe")
    shown = window.workspace("observe")
    assert isinstance(shown, ObserveWorkspace)
    window.table.refresh()
    assert not shown.legend.switch.isEnabled()
    assert not shown.legend.switch.isChecked()
    assert not window.table.qaction("observe.leave_out").isEnabled()


def test_editing_shares_acts_at_the_next_delta(observe: ObserveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 970.0, until)
    assert session.document is not None
    session.document.edit("Set shares", [SetShares.of(node(session, "u22"), 800)])
    go_to(session, 980.0, until)
    legend = observe.legend.view.legend
    observe.legend.refresh()
    assert legend.data(legend.index_of(node(session, "u22"), Column.ALLOCATED)) == "25.0"
    session.document.stack.undo()
    go_to(session, 990.0, until)
    observe.legend.refresh()
    assert legend.data(legend.index_of(node(session, "u22"), Column.ALLOCATED)) == "10.0"


def test_a_fault_in_the_engine_is_shown_and_the_console_lives(
    observe: ObserveWorkspace, qtbot: QtBot, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = observe.session

    def broken(_machine: Machine, _until: int) -> None:
        raise ZeroDivisionError("a share of nothing")

    with monkeypatch.context() as patch:
        patch.setattr(Machine, "advance", broken)
        session.run()
        until(lambda: observe.transport.bar.chip.text == "Fault")
        assert not observe.transport.bar.run.isEnabled()
    session.restart()
    until(lambda: session.snapshot is not None and session.snapshot.fault is None)
    go_to(session, 10.0, until)
    until(lambda: observe.transport.bar.chip.text == "Paused")


def test_recording_writes_a_run_folder(
    observe: ObserveWorkspace, tmp_path: Path, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = observe.session
    monkeypatch.setattr(observe.recorder, "ask_run_folder", lambda: tmp_path / "six.run")
    observe.toggle_recording()
    until(observe.recorder.is_recording)
    until(observe.transport.bar.record.isChecked)
    go_to(session, 100.0, until)
    observe.toggle_recording()
    until(lambda: not observe.recorder.is_recording())
    assert (tmp_path / "six.run" / "manifest.json").exists()


def test_a_figure_has_the_shown_curves_and_where_they_come_from(
    observe: ObserveWorkspace, until: Until
) -> None:
    session = observe.session
    go_to(session, 970.0, until)
    figure = observe.exports.figure("allocated_share")
    assert figure is not None
    assert [curve.name for curve in figure.curves] == ["u11", "u21", "u22"]
    assert figure.curves[1].y[-1] == pytest.approx(0.4)
    assert figure.provenance.seed == 1
    assert figure.provenance.scenario_digest
    assert figure.provenance.origin == "live run of convex-series-6.yaml up to 970 s, values to 7 digits"
    assert [mark.text for mark in figure.events] == ["u21 logs in"]
    observe.exports.copy_plot("charge")
    assert not QGuiApplication.clipboard().image().isNull()
    QGuiApplication.clipboard().clear()


def test_a_small_window_has_lower_plots_and_whole_headers(
    observe: ObserveWorkspace, window: ConsoleWindow, until: Until
) -> None:
    window.resize(1280, 800)
    until(lambda: window.width() == 1280)
    legend = observe.legend.view.legend
    until(lambda: observe.legend_dock.width() == 376)
    header = observe.legend.view.header()
    assert [legend.headerData(at, Qt.Orientation.Horizontal) for at in Column][2:] == [
        "Alloc. %",
        "Eff. %",
        "N. usage",
    ]
    for column in Column:
        assert header.sectionSizeHint(column) <= header.sectionSize(column)
    observe.resizeDocks([observe.legend_dock], [320], Qt.Orientation.Horizontal)
    until(lambda: observe.legend.view.isColumnHidden(Column.USAGE))
    assert header.sectionSize(Column.NODE) > 130
    assert min(plot.height() for plot in observe.panel.plots) >= 60
    for row in observe.panel.rows.values():
        assert arranged(5, row.values.height()).shown == 5


def test_more_curves_than_can_be_told_apart_become_a_band(observe: ObserveWorkspace, until: Until) -> None:
    session = observe.session
    assert session.document is not None
    go_to(session, 100.0, until)
    observe.panel._max_curves = 2
    session.show_nodes([node(session, name) for name in ("u11", "u22", "u12", "u21", "u23")])
    assert len(observe.panel.drawn.rest) == 3
    rows = observe.panel.rows["charge"].values.rows
    assert rows[-1].name == "rest (3), mean"
    band = observe.panel.rows["charge"].plot._band
    assert band.isVisible()
    assert np.isfinite(band.yData).all()


def test_log_in_twice_is_told(observe: ObserveWorkspace, qtbot: QtBot) -> None:
    session = observe.session
    with qtbot.waitSignal(session.message, timeout=20_000) as told:
        session.act(Login(node(session, "u11")))
    assert told.args == ["u11 is logged in already"]
