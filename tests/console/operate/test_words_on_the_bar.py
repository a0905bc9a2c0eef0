"""Operate keeps words beside its icons where an operator aims: armed, at 1600 px, with a long target."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from fsconsole.console.operate.nights.workspace import NightsWorkspace
from fsconsole.console.window import ConsoleWindow


def test_kill_and_extend_have_their_words_while_armed(window: ConsoleWindow, armed: NightsWorkspace) -> None:
    window.resize(1600, 1000)
    window.show_workspace("operate")
    bar = window.frame.bar
    bar.target.say("Simulated Y-MP 8/64")
    QApplication.processEvents()
    words = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    shown = {button.text(): button.toolButtonStyle() for button in bar._buttons}
    assert shown == dict.fromkeys(["Start window…", "Stop window…", "Extend…", "Kill…"], words)
