"""A console with a cluster in memory."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from fsconsole.console.window import ConsoleWindow
from tests.console.cluster.play import PlayTarget, cluster_state


@pytest.fixture
def play() -> PlayTarget:
    """The lab as it was captured."""
    return PlayTarget(cluster_state())


@pytest.fixture
def cluster_window(qtbot: QtBot, empty_window: ConsoleWindow, play: PlayTarget) -> ConsoleWindow:
    """The console with the lab open in Design."""
    empty_window.resize(1600, 1000)
    empty_window.session.preferences.set_value("workspace", "design")
    empty_window.clusters.connections.make = lambda _: play
    empty_window.show_workspace("design")
    empty_window.clusters.connections.open(play)
    return empty_window
