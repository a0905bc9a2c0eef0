"""What people do to plots: wheel and drags on axes, mark, one plot, one curve, powers of ten, copies."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from fsconsole.console.live.plots.plot_canvas import left_px
from fsconsole.console.live.time_range import time_grid
from fsconsole.console.live.workspace import LiveWorkspace
from tests.console.live.running import Until, go_to, node
from tests.texts import span, wording

LEFT_BUTTON, NO_KEY = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def turn(widget: QWidget, at: QPoint, notches: int = 1) -> None:
    """Turn the wheel away from the person."""
    place = QPointF(at)
    event = QWheelEvent(
        place, QPointF(widget.mapToGlobal(at)), QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton,
        NO_KEY, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)


def drag(widget: QWidget, start: QPoint, end: QPoint, key: Qt.KeyboardModifier = NO_KEY) -> None:
    QTest.mousePress(widget, LEFT_BUTTON, key, start)
    middle = QPoint((start.x() + end.x()) // 2, (start.y() + end.y()) // 2)
    for at in (middle, end):
        place = QPointF(at)
        move = QMouseEvent(
            QEvent.Type.MouseMove, place, QPointF(widget.mapToGlobal(at)), LEFT_BUTTON, LEFT_BUTTON, key
        )
        QApplication.sendEvent(widget, move)
    QTest.mouseRelease(widget, LEFT_BUTTON, key, end)


def test_the_value_axis_is_zoomed_moved_and_reset(observe: LiveWorkspace, until: Until) -> None:
    go_to(observe.session, 970.0, until)
    plot = observe.panel.rows["allocated_share"].plot
    axis = QPoint(left_px() // 2, round(plot.scales.y_of(0.4)))
    assert not plot.reset.isVisible()
    turn(plot.viewport(), axis, 3)
    low, high = plot.y_limits
    assert high - low == pytest.approx(0.85**3)
    assert plot.scales.y_of(0.4) == pytest.approx(axis.y(), abs=1.5)
    assert plot.reset.isVisible()
    drag(plot.viewport(), axis, axis + QPoint(0, 10))
    assert plot.y_limits[1] > high
    drag(plot.viewport(), axis, axis - QPoint(0, 30), SHIFT)
    assert plot.y_limits[1] - plot.y_limits[0] < high - low
    assert observe.session.cursor_s is None or not observe.panel.time_cursor.is_pinned
    QTest.mouseClick(plot.reset, LEFT_BUTTON)
    assert plot.y_limits == (0.0, 1.0)
    assert not plot.reset.isVisible()
    turn(plot.viewport(), axis)
    QTest.mouseDClick(plot.viewport(), LEFT_BUTTON, pos=axis)
    assert plot.y_limits == (0.0, 1.0)


def test_a_zoomed_value_axis_stays_while_the_curves_grow(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 100.0, until)
    plot = observe.panel.rows["charge"].plot
    turn(plot.viewport(), QPoint(left_px() // 2, round(plot.scales.area.bottom())), 2)
    chosen = plot.y_limits
    go_to(session, 970.0, until)
    assert plot.y_limits == chosen
    plot.start_y_anew()
    until(lambda: plot.y_limits[1] > chosen[1])


def test_the_time_axis_is_zoomed_moved_and_reset(observe: LiveWorkspace, until: Until) -> None:
    go_to(observe.session, 970.0, until)
    axis, span = observe.panel.axis, observe.span
    span.show_whole()
    whole = (span.start_s, span.end_s)
    assert axis.mode_words == wording("console.live.plots.whole-run")
    at = QPoint(left_px() + 300, 10)
    turn(axis, at, 4)
    width = span.end_s - span.start_s
    assert width == pytest.approx(0.85**4 * (whole[1] - whole[0]))
    assert (axis.mode_words, axis.release.isVisible()) == ("", True)
    start = span.start_s
    drag(axis, at, at - QPoint(60, 0))
    assert span.start_s > start
    drag(axis, at, at + QPoint(60, 0), SHIFT)
    assert span.end_s - span.start_s < width
    QTest.mouseDClick(axis, LEFT_BUTTON, pos=at)
    assert (span.start_s, span.end_s) == whole
    plot = observe.panel.plots[0]
    first, last = (QPoint(round(plot.scales.x_of(time_s)), 30) for time_s in (300.0, 600.0))
    drag(plot.viewport(), first, last, CTRL)
    assert (span.start_s, span.end_s) == pytest.approx((300, 600), abs=3)
    QTest.mouseClick(axis.release, LEFT_BUTTON)
    assert (span.start_s, span.end_s) == whole


def test_ticks_stand_at_whole_minutes_and_the_axis_says_how_to_read_them(
    observe: LiveWorkspace, until: Until
) -> None:
    span = observe.span
    assert span.unit == "min:s"
    for width in (300.0, 700.0, 1200.0):
        assert all(time_s % 60 == 0 for time_s in time_grid((0.0, 1200.0), width))
        assert all(time_s % 3600 == 0 for time_s in time_grid((1000.0, 200_000.0), width))
    local = time_grid((10.0, 7000.0), 700.0, offset_s=1000.0)
    assert all((time_s + 1000.0) % 300 == 0 for time_s in local)


def test_a_mark_shows_differences_of_time_and_of_each_curve(observe: LiveWorkspace, until: Until) -> None:
    session, panel = observe.session, observe.panel
    go_to(session, 970.0, until)
    plot = panel.plots[1]
    place = QPoint(round(plot.scales.x_of(612.0)), 40)
    QTest.mouseClick(plot.viewport(), LEFT_BUTTON, CTRL, place)
    assert panel.mark.time_s == 610.0
    assert not panel.time_cursor.is_pinned
    panel.time_cursor.pin(740.0)
    until(lambda: session.snapshot is not None and session.snapshot.time_s == 740.0)
    assert observe.plot_controls.cursor_words.text().endswith(
        wording("console.live.plots.after-mark", exact=span(min=2, s=10))
    )
    rows = {row.name: row.text for row in panel.rows["allocated_share"].values.rows}
    assert rows == {"u11": "50.0 (0.0)", "u21": "40.0 (0.0)", "u22": "10.0 (0.0)"}
    charge = {row.name: row.text for row in panel.rows["charge"].values.rows}
    (value, change) = charge["u11"].rstrip(")").split(" (+")
    u11 = node(session, "u11")
    assert session.snapshot is not None
    assert panel.mark.moment is not None
    now, then = (moment.values("charge", [u11])[0] for moment in (session.snapshot, panel.mark.moment))
    assert (float(value), float(change)) == pytest.approx((now, now - then), abs=0.06)
    observe.exports.copy_values()
    lines = QGuiApplication.clipboard().text().splitlines()
    header, first = (line.split("\t") for line in lines[:2])
    column = header.index("charge [CPU s] difference")
    assert float(first[column]) == pytest.approx(now - then)
    assert len(lines) == 4
    for key in range(2):  # first the cursor goes, then the mark
        QTest.keyClick(panel, Qt.Key.Key_Escape)
        assert (panel.mark.time_s is None) is (key == 1)


def test_one_plot_is_shown_alone_and_all_again(observe: LiveWorkspace, until: Until) -> None:
    go_to(observe.session, 100.0, until)
    panel = observe.panel
    before = [plot.quantity.name for plot in panel.plots]
    QTest.mouseClick(panel.rows["charge"].values.maximise, LEFT_BUTTON)
    assert [plot.quantity.name for plot in panel.plots] == ["charge"]
    assert observe.plot_controls.plots_button.text() == wording("console.live.plots.1-of", words="5 plots")
    assert observe.table.qaction("observe.maximise_plot").isChecked()
    QTest.keyClick(panel, Qt.Key.Key_Escape)
    assert [plot.quantity.name for plot in panel.plots] == before


def test_solo_draws_what_is_selected_until_it_is_off(observe: LiveWorkspace, until: Until) -> None:
    session, solo = observe.session, observe.curve_choice.solo
    go_to(session, 100.0, until)
    before = session.shown
    assert not solo.isEnabled()
    session.select([node(session, "u22")])
    QTest.mouseClick(solo, LEFT_BUTTON)
    assert session.shown == (node(session, "u22"),)
    session.select([node(session, "u11")])
    assert session.shown == (node(session, "u11"),)
    QTest.mouseClick(solo, LEFT_BUTTON)
    assert session.shown == before


def test_powers_of_ten_keep_a_place_of_its_own_for_0(observe: LiveWorkspace, until: Until) -> None:
    session, panel = observe.session, observe.panel
    go_to(session, 970.0, until)
    plot = panel.rows["charge"].plot
    panel.toggle_log("charge")
    assert plot.is_log
    scales = plot.scales
    assert scales.y_of(0.0) == pytest.approx(scales.area.bottom())
    low, high = plot.y_limits
    assert scales.area.top() == pytest.approx(scales.y_of(high))
    assert scales.y_of(10 * low) < scales.y_of(low) < scales.y_of(low / 10) < scales.y_of(0.0)
    steps = [scales.y_of(low * 10.0**power) - scales.y_of(low * 10.0 ** (power + 1)) for power in range(2)]
    assert steps[0] == pytest.approx(steps[1])
    u21 = node(session, "u21")
    _, values = plot.curve_data(u21)
    assert values.min() == 0.0  # it logs in later: what is recorded is what is drawn
    assert panel.rows["charge"].values.unit.endswith("log")
    assert session.preferences.value("plots/log") == ["charge"]
    panel.toggle_log("charge")
    assert not plot.is_log


def test_the_range_shown_is_copied_as_a_table(observe: LiveWorkspace, until: Until) -> None:
    go_to(observe.session, 970.0, until)
    observe.span.fix(400.0, 500.0)
    observe.exports.copy_range("allocated_share")
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert lines[0][0] == "time_s"
    times = [float(line[0]) for line in lines[1:]]
    assert 400 <= min(times) < max(times) <= 500
    assert len(times) == 11
    assert len(lines[0]) == 4
    assert [title.split() for title in lines[0][1:]] == [
        [name, "allocated_share", "[%]"] for name in ("u11", "u21", "u22")
    ]
    assert lines[1][1:] == ["50.0", "0.0", "50.0"]
    observe.panel.time_cursor.pin(500.0)
    until(lambda: observe.session.snapshot is not None and observe.session.snapshot.time_s == 500.0)
    observe.exports.copy_values("allocated_share")
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert lines[0] == [
        "node",
        wording("console.live.plots.at-s", name="allocated_share", unit=" [%]", time_s="500"),
    ]
    assert lines[1:] == [["u11", "50.0"], ["u21", "40.0"], ["u22", "10.0"]]
