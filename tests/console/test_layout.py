"""Docks get their first sizes from the workspace; a layout that a person has chosen stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.observe.workspace import ObserveWorkspace
from fsconsole.console.preferences import Preferences
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow


@pytest.fixture
def windows(qtbot: QtBot, session: ConsoleSession, tmp_path: Path) -> Iterator[list[ConsoleWindow]]:
    """Windows that a test makes, with preferences of their own; closed at its end."""
    session.preferences = Preferences(tmp_path)
    made: list[ConsoleWindow] = []
    yield made
    for window in made:
        window.close()
        window.deleteLater()


def shown(qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow], name: str, width: int) -> None:
    """Add a window that shows a workspace."""
    window = ConsoleWindow(session)
    windows.append(window)
    window.show_workspace(name)
    window.resize(width, 800 if width < 1500 else 1000)
    with qtbot.waitActive(window):
        window.show()
    qtbot.waitUntil(window.workspace(name).isVisible)


def test_the_node_dock_is_slim_in_a_narrow_window(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow]
) -> None:
    shown(qtbot, session, windows, "design", 1280)
    design = windows[0].workspace("design")
    assert isinstance(design, DesignWorkspace)
    qtbot.waitUntil(lambda: 330 <= design.node_dock.width() <= 350)
    assert design.tree_dock.width() > 900
    assert design.changes_dock.isHidden()


def test_sizes_that_a_person_gave_outlive_a_start(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow]
) -> None:
    shown(qtbot, session, windows, "observe", 1280)
    first = windows[0].workspace("observe")
    assert isinstance(first, ObserveWorkspace)
    qtbot.waitUntil(lambda: first.legend_dock.width() == 376)
    first.resizeDocks([first.legend_dock], [460], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: first.legend_dock.width() == 460)
    windows[0].keep_state()
    shown(qtbot, session, windows, "observe", 1280)
    second = windows[1].workspace("observe")
    assert isinstance(second, ObserveWorkspace)
    qtbot.waitUntil(lambda: second.legend_dock.width() == 460)
    windows[1].resize(1600, 1000)
    qtbot.waitUntil(lambda: second.width() > 1500)
    assert second.legend_dock.width() == 460
    windows[1].reset_layout()
    qtbot.waitUntil(lambda: second.legend_dock.width() == 390)


def test_changes_get_their_dock_back_in_a_wider_window(
    qtbot: QtBot, session: ConsoleSession, windows: list[ConsoleWindow]
) -> None:
    shown(qtbot, session, windows, "design", 1280)
    windows[0].keep_state()
    shown(qtbot, session, windows, "design", 1600)
    design = windows[1].workspace("design")
    assert isinstance(design, DesignWorkspace)
    qtbot.waitUntil(design.changes_dock.isVisible)
    windows[1].resize(1280, 800)
    qtbot.waitUntil(design.changes_dock.isHidden)
    windows[1].reset_layout()
    assert design.changes_dock.isHidden()
    assert design.bottom.tabs.count() == 3
