"""The lab's cluster in Observe, at the time at which it was captured."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.document import Document
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.scenario.spec import Scenario
from tests.console.cluster.observe.readings import read_again
from tests.console.cluster.play import NOW_S, PlayTarget, cluster_state


@dataclass
class Clock:
    """Goes on when a test says so."""

    now_s: float = NOW_S

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def target() -> PlayTarget:
    return PlayTarget(cluster_state())


@pytest.fixture
def cluster(target: PlayTarget, empty_session: ConsoleSession, clock: Clock) -> ClusterSession:
    """Open in the session."""
    made = ClusterSession(target, empty_session.preferences, now=clock)
    assert made.state.tree is not None
    empty_session.open(Document(Scenario(made.state.tree.shares.copy()), name="lab"), made)
    return made


@pytest.fixture
def observe(empty_window: ConsoleWindow, cluster: ClusterSession, qtbot: QtBot) -> LiveWorkspace:
    """Observe at the front, with the first values in it."""
    empty_window.resize(1600, 1000)
    empty_window.show_workspace("observe")
    found = empty_window.workspace("observe")
    assert isinstance(found, LiveWorkspace)
    qtbot.waitUntil(found.panel.isVisible)
    qtbot.waitUntil(lambda: found.cluster.watch.digest is not None)
    empty_window.activateWindow()
    found.panel.setFocus()
    return found


@pytest.fixture
def minutes(observe: LiveWorkspace, target: PlayTarget, clock: Clock, qtbot: QtBot) -> None:
    """Ten more minutes have been read, a minute each."""
    for _ in range(10):
        read_again(observe, target, clock, qtbot)
