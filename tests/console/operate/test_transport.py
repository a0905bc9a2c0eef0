"""Operate passes time with the transport of Observe."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.operate.nights.workspace import NightsWorkspace
from fsconsole.console.window import ConsoleWindow
from fsconsole.targets.base import PLAYBACK
from tests.texts import says


def test_time_is_run_stepped_and_paced_in_operate_as_in_observe(
    qtbot: QtBot, window: ConsoleWindow, operate: NightsWorkspace
) -> None:
    session, bar = window.session, operate.transport
    assert bar.isVisible()
    left = Qt.MouseButton.LeftButton
    bar.step_size.setCurrentIndex(1)
    QTest.mouseClick(bar.step, left)
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.time_s == 1.0)
    qtbot.waitUntil(lambda: bar.clock.text() == "00:00:01")
    QTest.mouseClick(bar.speed.button(100.0), left)
    QTest.mouseClick(bar.run, left)
    qtbot.waitUntil(lambda: bar.run.text() == "Pause")
    QTest.mouseClick(bar.run, left)
    qtbot.waitUntil(lambda: not session.is_running)
    window.show_workspace("observe")
    observe = window.workspace("observe")
    assert isinstance(observe, LiveWorkspace)
    other = observe.machine.transport.bar
    assert (other.step_size.currentText(), other.speed.value) == ("1 s", 100.0)


def test_in_the_past_the_transport_says_what_runs_and_stops_the_live_end(
    qtbot: QtBot, window: ConsoleWindow, operate: NightsWorkspace
) -> None:
    session, bar = window.session, operate.transport
    left, target = Qt.MouseButton.LeftButton, session.target
    assert target is not None
    live = target.offer(PLAYBACK)
    assert live is not None
    assert bar.live.isHidden()
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.time_s > 5)
    session.past.go(2.0)
    qtbot.waitUntil(bar.live.isVisible)
    assert (bar.run.text(), bar.live.text()) == ("Play past", "Pause live")
    assert says(bar.run.toolTip(), "console.play-or-pause-past-space")
    QTest.mouseClick(bar.live, left)
    assert not live.is_running
    assert session.past.is_on
    qtbot.waitUntil(lambda: bar.live.text() == "Run live")
    assert says(bar.run.toolTip(), "console.play-or-pause-past-space-2")
    QTest.mouseClick(bar.run, left)
    qtbot.waitUntil(lambda: bar.run.text() == "Pause past")
    assert not live.is_running
    session.past.leave()
    qtbot.waitUntil(bar.live.isHidden)
    assert bar.run.text() == "Run"
