"""A cluster of 50,000 associations and 20,000 jobs in Observe: worked out, shown first, followed."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.digests import Digests
from fsconsole.console.cluster.observe.workspace import ClusterObserveWorkspace
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.document import Document
from fsconsole.console.look.style import install_look
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.slurm.digest import digest_of
from fsconsole.targets.slurm.state import ClusterState
from tests.console.cluster.large import large_standing, large_state
from tests.console.cluster.play import NOW_S, PlayTarget, parts_read

MINUTES = 6


@pytest.fixture(scope="module")
def state() -> ClusterState:
    return large_state()


class Scene:
    """A window into which the large cluster comes."""

    def __init__(self, qtbot: QtBot, state: ClusterState) -> None:
        self.qtbot = qtbot
        self.now_s = float(NOW_S)
        self.session = ConsoleSession()
        self.window = ConsoleWindow(self.session)
        qtbot.addWidget(self.window)
        self.window.resize(1600, 1000)
        self.window.show()
        self.target = PlayTarget(state)
        self.cluster = ClusterSession(self.target, self.session.preferences)
        self.cluster.digests.close()
        self.cluster.digests = Digests(self.cluster, lambda: self.now_s)
        self.cluster.digests.take(state)
        qtbot.waitUntil(lambda: self.cluster.digests.digest is not None, timeout=20_000)

    def open(self) -> ClusterObserveWorkspace:
        """Until Observe is painted."""
        tree = self.target.now.tree
        assert tree is not None
        self.session.open(Document(Scenario(tree.shares.copy()), name="large"), self.cluster)
        self.window.show_workspace("observe")
        made = self.window.workspace("observe")
        assert isinstance(made, ClusterObserveWorkspace)
        self.window.grab()
        return made

    def next_minute(self, seed: int) -> None:
        """Usage is read again, and jobs: all values are others."""
        tree = self.target.now.tree
        assert tree is not None
        self.now_s += 60
        made = large_standing(tree, seed)
        jobs = tuple(self.target.now.jobs[1:])
        self.target.publish(standing=made, jobs=jobs, parts=parts_read(self.now_s))

    def follow(self) -> float:
        """Show the newest state; the longest time in seconds that the window did nothing else."""
        turns = [0.0]
        last = time.perf_counter()

        def turn() -> None:
            nonlocal last
            now = time.perf_counter()
            turns.append(now - last)
            last = now

        timer = QTimer()
        timer.timeout.connect(turn)
        timer.start(2)
        wanted = self.target.now.serial
        self.cluster.look()
        digests = self.cluster.digests
        self.qtbot.waitUntil(
            lambda: digests.digest is not None and digests.digest.state.serial == wanted, timeout=20_000
        )
        self.qtbot.wait(100)
        timer.stop()
        return max(turns)

    def close(self) -> None:
        self.session.open(None)
        self.session.close()
        self.window.close()


@pytest.fixture
def scene(qtbot: QtBot, state: ClusterState) -> Scene:
    from PySide6.QtWidgets import QApplication

    app = QApplication.instance()
    assert isinstance(app, QApplication)
    install_look(app, "light")
    return Scene(qtbot, state)


def test_a_state_is_worked_out(benchmark: object, state: ClusterState) -> None:
    """In a thread: sums of jobs up the tree, partitions, and once for each tree what follows from it."""
    before = digest_of(state)
    assert callable(benchmark)
    benchmark(lambda: digest_of(replace(state, jobs=tuple(state.jobs[1:])), before))


def test_first_view_and_minutes(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    """Shown within 1 s once the state is there; then no freeze of 100 ms when all values change."""
    began = time.perf_counter()
    observe = scene.open()
    first_s = time.perf_counter() - began
    scene.qtbot.wait(1000)  # the other workspaces are made
    freezes = []
    for minute in range(MINUTES):
        scene.next_minute(minute + 2)
        freezes.append(scene.follow())
    began = time.perf_counter()
    view = observe.legend.view
    view.expandAll()
    for at in range(0, view.verticalScrollBar().maximum(), max(1, view.verticalScrollBar().maximum() // 50)):
        view.verticalScrollBar().setValue(at)
        view.viewport().grab()
    scroll_ms = (time.perf_counter() - began) / 50 * 1000
    scene.close()
    with capsys.disabled():
        told = ", ".join(f"{1000 * one:.0f}" for one in freezes)
        print(f"\nfirst view {first_s:.2f} s; longest turns {told} ms; a page scrolled {scroll_ms:.1f} ms")
    assert first_s < 1.0
    assert sorted(freezes)[len(freezes) // 2] < 0.1
