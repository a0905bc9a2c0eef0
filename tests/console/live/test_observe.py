"""Observe by keys and clicks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QStyledItemDelegate, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from fsconsole.console.design.load.dialog import LoadDialog
from fsconsole.console.document import Document
from fsconsole.console.live.legend_model import place_of
from fsconsole.console.live.plots import plot_annotations
from fsconsole.console.live.plots.value_column import ValueRow, arranged
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.machine.machine import Machine
from fsconsole.resources import examples
from fsconsole.shares.edits import Insert, Remove, SetShares
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.actions import StartProcess, Work
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.targets.base import Clock
from tests.console.live.running import Until, go_to, node, now
from tests.texts import says, wording


def test_space_runs_and_pauses_and_data_arrive(observe: LiveWorkspace, qtbot: QtBot, until: Until) -> None:
    session = observe.session
    plot = observe.panel.plots[0]
    session.set_speed(100.0)  # the run must not end before it is looked at
    QTest.keyClick(observe.panel, Qt.Key.Key_Space)
    until(lambda: len(plot.curve_data(node(session, "u11"))[0]) > 5)
    assert observe.machine.transport.bar.run.text() == "Pause"
    QTest.keyClick(observe.panel, Qt.Key.Key_Space)
    until(lambda: not now(session).running)
    until(lambda: observe.machine.transport.bar.chip.text in ("Paused", "Ended"))
    assert observe.machine.transport.bar.run.text() == "Run"


def test_keys_change_the_speed_and_step(observe: LiveWorkspace, qtbot: QtBot, until: Until) -> None:
    session = observe.session
    assert session.target is not None
    QTest.keyClick(observe.panel, Qt.Key.Key_BracketRight)
    assert session.playback is not None
    assert session.playback.speed == 100.0
    assert observe.machine.transport.bar.speed.value == 100.0
    QTest.keyClick(observe.panel, Qt.Key.Key_BracketLeft)
    QTest.keyClick(observe.panel, Qt.Key.Key_BracketLeft)
    assert session.playback is not None
    assert session.playback.speed == 1.0
    for at, ticks in enumerate((1, 60, 240)):
        before = now(session).tick
        observe.machine.transport.bar.step_size.setCurrentIndex(at)
        QTest.keyClick(observe.panel, Qt.Key.Key_Period)
        until(lambda wanted=before + ticks: now(session).tick == wanted)  # type: ignore[misc]


def test_a_click_on_a_speed_leaves_the_space_bar_to_run(observe: LiveWorkspace, until: Until) -> None:
    bar, session = observe.machine.transport.bar, observe.session
    assert session.target is not None
    for widget in (bar.speed.button(100.0), observe.legend.switch, observe.machine.processes.sleeping):
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
        focus = QApplication.focusWidget()
        assert focus is observe.panel
        QTest.keyClick(focus, Qt.Key.Key_Space)
        assert session.playback is not None
        assert session.playback.is_running
        QTest.keyClick(focus, Qt.Key.Key_Space)
        assert session.playback is not None
        assert not session.playback.is_running
    assert session.playback is not None
    assert session.playback.speed == 100.0


def test_the_range_is_named_from_the_first_start(observe: LiveWorkspace) -> None:
    assert (observe.span.start_s, observe.span.end_s) == (0.0, 600.0)
    assert observe.plot_controls.span_box.currentText() == wording("console.live.plots.follow-10-min")
    observe.span.fix(0.0, 600.0)
    assert observe.plot_controls.span_box.currentText() == "Fixed"
    observe.span.begin(Clock(until_s=1200.0))
    assert observe.plot_controls.span_box.currentText() == wording("console.live.plots.follow-10-min")


def test_the_run_ends_where_the_scenario_does(observe: LiveWorkspace, until: Until) -> None:
    observe.session.set_speed(float("inf"))
    observe.session.run()
    until(lambda: observe.machine.transport.bar.chip.text == "Ended")
    assert observe.machine.transport.bar.clock.text() == "00:20:00"
    assert "1991 14:20:00" in observe.machine.transport.bar.date.text()


def test_curves_and_values_are_those_of_the_paper(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 970.0, until)
    rows = {row.name: row.text for row in observe.panel.rows["allocated_share"].values.rows}
    assert rows == {"u11": "50.0", "u21": "40.0", "u22": "10.0"}
    # Junglas, series 6: at 490 s u21 gets nearly all for a moment.
    times, values = observe.panel.rows["cpu_rate"].plot.curve_data(node(session, "u21"))
    assert values[(times > 490) & (times <= 510)].max() > 0.9


def test_all_rates_of_the_present_are_of_one_window(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 506.5, until)  # between two samples, while u21 catches up
    observe.legend.refresh()
    observe.machine.processes.refresh()
    observe.panel._refresh_all()
    observe.panel._on_cursor_moved()
    legend = observe.legend.view.legend
    beside = {row.name: row.text for row in observe.panel.rows["cpu_rate"].values.rows}
    for name in ("u11", "u21", "u22"):
        user = node(session, name)
        in_legend = legend.data(legend.index_of(user, place_of("cpu_rate")))
        rates = [row.cpu_rate for row in now(session).processes if row.node == user]
        assert beside[name] == in_legend
        assert float(in_legend) == pytest.approx(100 * sum(rates), abs=0.06)


def test_the_present_is_painted_where_the_clock_is(
    observe: LiveWorkspace, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[float] = []
    monkeypatch.setattr(
        plot_annotations, "paint_present", lambda _painter, _scales, now_s: painted.append(now_s)
    )
    for time_s in (300.0, 304.0, 307.5):
        go_to(observe.session, time_s, until)
        until(lambda: bool(painted) and painted[-1] == now(observe.session).time_s)


def test_the_status_tells_when_a_run_goes_on_past_its_end(observe: LiveWorkspace, until: Until) -> None:
    go_to(observe.session, 1200.0, until)
    assert observe.status_text().startswith(
        wording("console.live.machine.of", now="1\u202f200.0 s", end="1\u202f200 s")
    )
    go_to(observe.session, 1204.0, until)
    assert observe.status_text().startswith(
        wording("console.live.machine.scenario-ended-at", now="1\u202f204.0 s", end="1\u202f200 s")
    )


def test_the_switch_rescales_as_the_tree_does(observe: LiveWorkspace, qtbot: QtBot, until: Until) -> None:
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
    assert daemon.data(daemon.index_of(node(session, "Daemon"), place_of("allocated_share"))) == "45.0"
    QTest.mouseClick(observe.legend.switch, Qt.MouseButton.LeftButton)
    until(lambda: session.leave_out_system)
    assert daemon.remark(node(session, "Daemon")) == wording(
        "console.live.left-out", share="45.0\xa0%", doing="idle"
    )


def test_legend_boxes_draw_curves(observe: LiveWorkspace, qtbot: QtBot) -> None:
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


def test_selecting_in_the_legend_selects_everywhere_and_back(observe: LiveWorkspace, qtbot: QtBot) -> None:
    session, view = observe.session, observe.legend.view
    u21, u22 = node(session, "u21"), node(session, "u22")
    place = view.visualRect(view.legend.index_of(u21)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.selection == (u21,)
    session.select([u22])
    chosen = [view.legend.node_of(index) for index in view.selectionModel().selectedRows()]
    assert chosen == [u22]


def test_the_legend_model_is_sound(observe: LiveWorkspace) -> None:
    tester = QAbstractItemModelTester(
        observe.legend.view.legend, QAbstractItemModelTester.FailureReportingMode.Warning
    )
    observe.legend.view.reset_keeping_state()
    observe.legend.refresh()
    assert tester.model() is observe.legend.view.legend


def test_the_process_model_is_sound(observe: LiveWorkspace, until: Until) -> None:
    model = observe.machine.processes.table.processes
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    for column in range(model.columnCount()):
        model.sort(column, Qt.SortOrder.DescendingOrder)
    session = observe.session
    session.act(StartProcess(node(session, "u11"), Work(), "copy", count=3))
    until(lambda: model.rowCount() == 7)
    assert tester.model() is model


def test_groups_stay_open_in_the_legend_when_nodes_come_and_go(observe: LiveWorkspace) -> None:
    session, view = observe.session, observe.legend.view
    gr1, daemon, u23 = (node(session, name) for name in ("gr1", "Daemon", "u23"))
    view.collapse(view.legend.index_of(gr1))
    view.expand(view.legend.index_of(daemon))
    assert session.document is not None
    session.document.edit("Remove", [Remove(u23)])
    assert not view.isExpanded(view.legend.index_of(gr1))
    assert view.isExpanded(view.legend.index_of(daemon))


def test_hidden_plots_draw_nothing_and_catch_up(
    observe: LiveWorkspace, window: ConsoleWindow, until: Until
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


def test_a_tree_without_system_groups_has_none_to_leave_out(
    session: ConsoleSession, window: ConsoleWindow, qtbot: QtBot
) -> None:
    path = examples() / "two-organisations.yaml"
    session.open(Document(read_scenario(path), name=path.name))
    qtbot.waitUntil(lambda: session.snapshot is not None)
    window.show_workspace("observe")
    shown = window.workspace("observe")
    assert isinstance(shown, LiveWorkspace)
    window.table.refresh()
    assert not shown.legend.switch.isEnabled()
    assert not shown.legend.switch.isChecked()
    assert not window.table.qaction("observe.leave_out").isEnabled()


def test_editing_shares_acts_at_the_next_delta(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 970.0, until)
    assert session.document is not None
    session.document.edit("Set shares", [SetShares.of(node(session, "u22"), 800)])
    go_to(session, 980.0, until)
    legend = observe.legend.view.legend
    observe.legend.refresh()
    assert legend.data(legend.index_of(node(session, "u22"), place_of("allocated_share"))) == "25.0"
    session.document.stack.undo()
    go_to(session, 990.0, until)
    observe.legend.refresh()
    assert legend.data(legend.index_of(node(session, "u22"), place_of("allocated_share"))) == "10.0"


def test_a_fault_in_the_engine_is_shown_and_the_console_lives(
    observe: LiveWorkspace, qtbot: QtBot, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = observe.session

    def broken(_machine: Machine, _until: int) -> None:
        raise ZeroDivisionError("a share of nothing")

    with monkeypatch.context() as patch:
        patch.setattr(Machine, "advance", broken)
        session.run()
        until(lambda: observe.machine.transport.bar.chip.text == "Fault")
        assert not observe.machine.transport.bar.run.isEnabled()
    session.restart()
    until(lambda: session.snapshot is not None and session.snapshot.fault is None)
    go_to(session, 10.0, until)
    until(lambda: observe.machine.transport.bar.chip.text == "Paused")


def test_recording_writes_a_run_folder(
    observe: LiveWorkspace, tmp_path: Path, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = observe.session
    monkeypatch.setattr(observe.machine.recorder, "ask_run_folder", lambda: tmp_path / "six.run")
    observe.machine.toggle_recording()
    until(observe.machine.recorder.is_recording)
    until(observe.machine.transport.bar.record.isChecked)
    go_to(session, 100.0, until)
    observe.machine.toggle_recording()
    until(lambda: not observe.machine.recorder.is_recording())
    assert (tmp_path / "six.run" / "manifest.json").exists()


def test_a_figure_has_the_shown_curves_and_where_they_come_from(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 970.0, until)
    figure = observe.exports.figure("allocated_share")
    assert figure is not None
    assert [curve.name for curve in figure.curves] == ["u11", "u21", "u22"]
    assert figure.curves[1].y[-1] == pytest.approx(0.4)
    assert figure.provenance.seed == 1
    assert figure.provenance.scenario_digest
    assert figure.provenance.origin == wording(
        "console.live.plots.live-run-of-up-to",
        name="convex-series-6.yaml",
        now="970",
        by_hand="",
        kept=wording("console.live.plots.values-to-7-digits", thinned=""),
    )
    assert [mark.text for mark in figure.events] == [
        (wording("shares.scenario.logs-in", who="u21") + " (+1)")
    ]
    observe.exports.copy_plot("charge")
    assert not QGuiApplication.clipboard().image().isNull()
    QGuiApplication.clipboard().clear()


def test_a_small_window_has_lower_plots_and_whole_headers(
    observe: LiveWorkspace, window: ConsoleWindow, until: Until
) -> None:
    window.resize(1280, 800)
    until(lambda: window.width() == 1280)
    legend = observe.legend.view.legend
    until(lambda: observe.legend_dock.width() == 376)
    header = observe.legend.view.header()
    assert [legend.headerData(at, Qt.Orientation.Horizontal) for at in range(5)][2:] == [
        "Alloc. %",
        "Eff. %",
        "N. usage",
    ]
    for column in range(5):
        assert header.sectionSizeHint(column) <= header.sectionSize(column)
    observe.resizeDocks([observe.legend_dock], [320], Qt.Orientation.Horizontal)
    until(lambda: observe.legend.view.isColumnHidden(place_of("normalised_usage")))
    assert header.sectionSize(place_of("node")) > 130
    assert min(plot.height() for plot in observe.panel.plots) >= 60
    for row in observe.panel.rows.values():
        assert arranged(5, row.values.height()).shown == 5


def test_in_a_small_window_the_left_column_is_the_legends(
    observe: LiveWorkspace, window: ConsoleWindow, until: Until
) -> None:
    window.resize(1280, 800)
    until(lambda: (window.width(), window.height()) == (1280, 800))
    view, console = observe.legend.view, observe.machine.console_dock
    until(lambda: observe.legend_dock.height() > 2 * console.height())
    users = [node(observe.session, name) for name in ("u11", "u12", "u21", "u22", "u23")]
    for user in users:
        assert view.viewport().rect().contains(view.visualRect(view.legend.index_of(user)))
    assert console.isVisible()
    assert observe.machine.console.height() >= 4 * observe.machine.console.fontMetrics().lineSpacing()


def test_groups_of_the_drawn_curves_are_open_at_first(observe: LiveWorkspace, window: ConsoleWindow) -> None:
    window.session.open(Document(read_scenario(examples() / "navoceano-c916.yaml")))
    view = observe.legend.view
    assert view.legend.tree is not None
    drawn = {view.legend.tree.node(one).name for one in window.session.shown}
    assert drawn == {"NAVOCEANO", "Army", "Navy R&D", "Air Force", "DoD Other"}
    for one in window.session.shown:
        assert not view.visualRect(view.legend.index_of(one)).isEmpty()
    assert not view.isExpanded(view.legend.index_of(view.legend.tree.find("System").id))


def test_long_names_of_the_legend_lose_their_middle(observe: LiveWorkspace) -> None:
    view, option = observe.legend.view, QStyleOptionViewItem()
    delegate = view.itemDelegate()
    assert isinstance(delegate, QStyledItemDelegate)
    delegate.initStyleOption(option, view.legend.index_of(node(observe.session, "u11")))
    assert option.textElideMode is Qt.TextElideMode.ElideMiddle
    metrics = QFontMetricsF(view.font())
    style = observe.session.curves.style(node(observe.session, "u11"))
    row = ValueRow(style, "climate-model-east", "12.5")
    short, _ = row.fitting(metrics, metrics.horizontalAdvance("climate-model 12.5"))
    assert short.startswith("cli")
    assert short.endswith("t")
    assert row.fitting(metrics, 1000.0) == ("climate-model-east", "12.5")


def test_more_curves_than_can_be_told_apart_become_a_band(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    assert session.document is not None
    go_to(session, 100.0, until)
    observe.panel._max_curves = 2
    session.show_nodes([node(session, name) for name in ("u11", "u22", "u12", "u21", "u23")])
    assert len(observe.panel.drawn.rest) == 3
    rows = observe.panel.rows["charge"].values.rows
    assert rows[-1].name == wording("console.live.plots.rest-mean", rest="3")
    band = observe.panel.rows["charge"].plot._band
    assert band.isVisible()
    assert np.isfinite(band.yData).all()


@pytest.mark.parametrize("size", [(1600, 1000), (1280, 800)])
def test_names_of_deep_nodes_go_before_usage(
    observe: LiveWorkspace, window: ConsoleWindow, until: Until, size: tuple[int, int]
) -> None:
    window.resize(*size)
    until(lambda: (window.width(), window.height()) == size)
    view = observe.legend.view
    assert not view.isColumnHidden(place_of("normalised_usage"))
    window.session.open(Document(read_scenario(examples() / "navoceano-c916.yaml")))
    assert view.legend.tree is not None
    for each in view.legend.tree.walk():
        view.expand(view.legend.index_of(each.id))
    until(lambda: view.isColumnHidden(place_of("normalised_usage")))
    assert view.sizeHintForColumn(place_of("node")) <= view.columnWidth(place_of("node"))


def test_a_button_that_can_draw_no_curve_says_why(
    qtbot: QtBot, session: ConsoleSession, window: ConsoleWindow
) -> None:
    def press(word: str) -> None:
        button = next(
            one for one in window.findChildren(QPushButton) if one.text() == word and one.isVisible()
        )
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    tree = ShareTree("root", 100)
    session.open(Document(Scenario(tree)))
    window.show_workspace("observe")
    qtbot.waitUntil(lambda: "No curve to draw." in visible_texts(window))
    press("Draw: Users with work")
    assert says(visible_texts(window), "console.live.tree-has-no-users-add")
    user = Node(tree.new_id(), "ann", 1, Kind.USER)
    assert session.document is not None
    session.document.edit("Add", [Insert(0, 0, (user,))])
    press("Draw: Users with work")
    assert says(visible_texts(window), "targets.no-user-has-work-plan")
    press("Plan load…")
    dialog = window.findChild(LoadDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.is_ready)
    QTest.mouseClick(dialog.buttons.verb, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session.shown == (user.id,))


def visible_texts(window: ConsoleWindow) -> list[str]:
    return [label.text() for label in window.findChildren(QLabel) if label.isVisible()]
