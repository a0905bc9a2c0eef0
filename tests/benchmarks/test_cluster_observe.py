"""A cluster of 50,000 associations and 20,000 jobs in Observe: worked out, shown first, followed."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import cycle

import pytest
from PySide6.QtGui import QPixmap
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.document import Document
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import install_look
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.slurm.state import ClusterState
from fsconsole.targets.slurm.summary import digest_of
from tests.benchmarks.calibrators import BOXES
from tests.benchmarks.measure import Benchmark
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
        self.cluster = ClusterSession(self.target, self.session.preferences, now=lambda: self.now_s)
        qtbot.waitUntil(lambda: self.cluster.source.shown is not None, timeout=20_000)

    def open(self) -> LiveWorkspace:
        """Until Observe is painted."""
        tree = self.target.now.tree
        assert tree is not None
        self.session.open(Document(Scenario(tree.shares.copy()), name="large"), self.cluster)
        self.window.show_workspace("observe")
        made = self.window.workspace("observe")
        assert isinstance(made, LiveWorkspace)
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

    def follow(self) -> None:
        """Show the newest state."""
        wanted = self.target.now.serial
        self.cluster.look()
        source = self.cluster.source
        self.qtbot.waitUntil(
            lambda: source.shown is not None and source.shown.state.serial == wanted, timeout=20_000
        )
        self.qtbot.wait(100)

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


def test_a_state_is_computed(bench: Benchmark, state: ClusterState) -> None:
    """In a thread: sums of jobs up the tree, partitions, and once for each tree what follows from it."""
    before = digest_of(state)
    found = bench(lambda: digest_of(replace(state, jobs=tuple(state.jobs[1:])), before))
    assert found.index is before.index
    bench(digest_of, state, name="new_tree")


def test_first_view(bench: Benchmark, scene: Scene) -> None:
    """The window's processor time once the state is there."""
    observe = bench(scene.open, rounds=1, warm=False, clock=time.thread_time)
    assert observe.isVisible()
    scene.qtbot.wait(1000)  # the other workspaces are made
    scene.close()


def test_minutes(bench: Benchmark, scene: Scene) -> None:
    """All values change: the processor time of the window's thread for one reading."""
    scene.open()
    scene.qtbot.wait(1000)
    seeds = iter(range(2, 100))
    bench(scene.follow, setup=lambda: scene.next_minute(next(seeds)), rounds=MINUTES, clock=time.thread_time)
    scene.close()


def test_scrolling(bench: Benchmark, scene: Scene) -> None:
    """A page of the associations, all accounts open, painted anew."""
    view = scene.open().legend.view
    view.expandAll()
    bar = view.verticalScrollBar()
    places = cycle(range(0, bar.maximum(), max(1, bar.maximum() // 50)))

    def next_page() -> QPixmap:
        bar.setValue(next(places))
        return view.viewport().grab()

    assert not bench(next_page, of=BOXES, clock=time.thread_time).isNull()
    scene.close()
