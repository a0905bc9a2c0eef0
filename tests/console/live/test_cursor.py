"""Time cursor, range and strip of Observe by keys and clicks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.console.live.workspace import LiveWorkspace
from tests.console.live.running import Until, go_to, open_again
from tests.texts import wording


def test_cursor_keys_go_by_samples_and_events(observe: LiveWorkspace, qtbot: QtBot, until: Until) -> None:
    session = observe.session
    go_to(session, 970.0, until)
    QTest.keyClick(observe.panel, Qt.Key.Key_Left)
    assert session.cursor_s == 960.0
    QTest.keyClick(observe.panel, Qt.Key.Key_Left)
    QTest.keyClick(observe.panel, Qt.Key.Key_Right)
    assert session.cursor_s == 960.0
    QTest.keyClick(observe.panel, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert session.cursor_s == 490.0
    after = wording("console.live.plots.s-after", at="0", text=wording("shares.scenario.logs-in", who="u21"))
    assert observe.plot_controls.cursor_words.text() == "Cursor 08:10" + after
    assert observe.panel.axis.tag.split(", ") == ["08:10", "490 s"]
    QTest.keyClick(observe.panel, Qt.Key.Key_Escape)
    assert session.cursor_s is None


def test_a_click_pins_the_cursor_at_a_sample(observe: LiveWorkspace, qtbot: QtBot, until: Until) -> None:
    session = observe.session
    go_to(session, 970.0, until)
    plot = observe.panel.plots[1]
    place = QPoint(round(plot.scales.x_of(612.0)), 40)
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert session.cursor_s == 610.0
    rows = {row.name: row.text for row in observe.panel.rows["allocated_share"].values.rows}
    assert rows["u22"] == "10.0"


def test_the_cursor_follows_the_pointer_until_a_click_pins_it(
    observe: LiveWorkspace, qtbot: QtBot, until: Until
) -> None:
    session, panel = observe.session, observe.panel
    go_to(session, 970.0, until)
    plot, button = panel.plots[1], Qt.MouseButton.LeftButton

    def at(time_s: float) -> QPoint:
        return QPoint(round(plot.scales.x_of(time_s)), 40)

    QTest.mouseMove(plot.viewport(), at(700.0))
    QTest.mouseMove(plot.viewport(), at(612.0))
    until(lambda: session.cursor_s == 610.0)
    assert panel.axis.tag.split(", ") == ["10:10", "610 s"]
    shown = {row.name: row.text for row in panel.rows["allocated_share"].values.rows}
    assert shown == {"u11": "50.0", "u21": "40.0", "u22": "10.0"}
    QTest.mouseClick(plot.viewport(), button, pos=at(612.0))
    QTest.mouseMove(plot.viewport(), at(800.0))
    assert (session.cursor_s, panel.time_cursor.is_pinned) == (610.0, True)
    QTest.mouseClick(plot.viewport(), button, pos=at(800.0))
    assert (session.cursor_s, panel.time_cursor.is_pinned) == (800.0, True)
    QTest.mouseClick(plot.viewport(), button, pos=at(1000.0))  # right of the present
    assert not panel.time_cursor.is_pinned
    QTest.mouseMove(observe.machine.transport.bar.run, QPoint(5, 5))
    until(lambda: session.cursor_s is None)


def test_a_double_click_leaves_the_cursor_as_it_was(
    observe: LiveWorkspace, qtbot: QtBot, until: Until
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
    observe: LiveWorkspace, qtbot: QtBot, until: Until
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


def test_the_strips_box_moves_the_range(observe: LiveWorkspace, qtbot: QtBot, until: Until) -> None:
    go_to(observe.session, 970.0, until)
    strip, span = observe.machine.transport.strip, observe.span
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


def shown_values(observe: LiveWorkspace) -> dict[str, tuple[tuple[str, str], ...]]:
    """(name, value) of every row beside every plot."""
    return {
        name: tuple((row.name, row.text) for row in plot.values.rows)
        for name, plot in observe.panel.rows.items()
    }


def test_values_at_a_pinned_cursor_stay_to_the_digit(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    open_again(session, until, lambda scenario: replace(scenario, plot=replace(scenario.plot, sample_s=1.0)))
    go_to(session, 600.0, until)
    observe.span.show_whole()
    plot, button = observe.panel.plots[0], Qt.MouseButton.LeftButton
    QTest.mouseClick(plot.viewport(), button, pos=QPoint(round(plot.scales.x_of(528.0)), 40))
    pinned_s = session.cursor_s
    assert pinned_s is not None
    before, words = shown_values(observe), observe.plot_controls.cursor_words.text()
    finest = session.target.series.sample_times  # type: ignore[union-attr]
    go_to(session, 4000.0, until)
    assert finest(0.0, 1e9)[0] > pinned_s  # only larger buckets reach back so far
    assert shown_values(observe) == before
    assert observe.plot_controls.cursor_words.text() == words
    observe.panel.time_cursor.pin(pinned_s + 1.0)
    until(lambda: session.snapshot is not None and session.snapshot.time_s == pinned_s + 1.0)
    assert shown_values(observe) != before
    assert observe.plot_controls.cursor_words.text().startswith("Cursor 08:49")
    observe.panel.time_cursor.free()
    session.set_cursor(pinned_s + 1.0)  # as the pointer does
    assert observe.plot_controls.cursor_words.text().startswith(
        wording("console.live.plots.cursor-largest-values-from", between="")
    )


def test_a_new_run_has_no_pin_of_the_run_before(observe: LiveWorkspace, until: Until) -> None:
    session, panel = observe.session, observe.panel
    go_to(session, 970.0, until)
    panel.time_cursor.pin(610.0)
    session.restart()
    assert (session.cursor_s, panel.time_cursor.is_pinned) == (None, False)
    assert observe.plot_controls.cursor_words.text() == ""
