"""Series 6 in Observe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from tests.console.live.running import Until


@pytest.fixture
def six(session: ConsoleSession, qtbot: QtBot) -> ConsoleSession:
    """Convex series 6 in place of series 1."""
    path = examples() / "convex-series-6.yaml"
    scenario = read_scenario(path)
    # Sampled as the paper did it, whatever the example says.
    sampled = replace(scenario, plot=replace(scenario.plot, sample_s=10.0, rate_window_s=10.0))
    session.open(Document(sampled, path, text=path.read_text("utf-8")))
    qtbot.waitUntil(lambda: session.snapshot is not None)
    return session


@pytest.fixture
def observe(six: ConsoleSession, window: ConsoleWindow, qtbot: QtBot) -> LiveWorkspace:
    """Observe at the front."""
    window.show_workspace("observe")
    found = window.workspace("observe")
    assert isinstance(found, LiveWorkspace)
    qtbot.waitUntil(found.panel.isVisible)
    window.activateWindow()
    found.panel.setFocus()
    return found


@pytest.fixture
def until(qtbot: QtBot) -> Until:
    def wait(condition: Callable[[], bool]) -> None:
        qtbot.waitUntil(condition)

    return wait
