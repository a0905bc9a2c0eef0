"""A cluster of 50,000 associations and 20,000 jobs in the window: connected to, painted, edited."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import install_look
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.edits import SetShares
from fsconsole.targets.slurm.location import Location
from tests.benchmarks.calibrators import BOXES
from tests.benchmarks.measure import Benchmark
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.slurm.fake.large import large_cluster
from tests.slurm.fake.large_tools import play

USERS, JOBS = 50_000, 20_000
WORKSPACES = ("observe", "design", "operate")


class Opened:
    """A window."""

    def __init__(self, qtbot: QtBot, app: QApplication, jobs: int = JOBS) -> None:
        """`jobs` is the number of jobs that the cluster lists."""
        self._jobs = jobs
        install_look(app, "light")
        self.qtbot = qtbot
        self.session = ConsoleSession()
        self.window = ConsoleWindow(self.session)
        qtbot.addWidget(self.window)
        self.window.resize(1600, 1000)
        self.window.show_workspace("observe")
        self.window.show()

    @property
    def cluster(self) -> ClusterSession:
        cluster = self.session.offer(CLUSTER)
        assert cluster is not None
        return cluster

    def wait(self, is_so: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(is_so, timeout=60_000)

    def paint(self, workspace: str) -> None:
        """Show a workspace and all that it can."""
        self.window.show_workspace(workspace)
        self.window.grab()

    def connect(self, place: Location | None = None) -> None:
        """Until usage and jobs are read, worked out and painted in what is shown."""
        self.window.clusters.connections.reconnect(place or Location())
        self.wait(lambda: self.session.offer(CLUSTER) is not None and self._is_worked_out())
        self.window.grab()

    def close(self) -> None:
        self.session.open(None)
        self.session.close()
        self.window.close()

    def _is_worked_out(self) -> bool:
        digest = self.cluster.source.shown
        return (
            digest is not None and digest.state.standing is not None and len(digest.state.jobs) == self._jobs
        )


@pytest.fixture
def fakes(fake_slurm: FakeSlurm) -> FakeSlurm:
    play(fake_slurm, large_cluster(USERS), JOBS)
    return fake_slurm


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication) -> Iterator[Opened]:
    made = Opened(qtbot, qapp)
    yield made
    made.close()


def test_painted(bench: Benchmark, fakes: FakeSlurm, opened: Opened) -> None:
    """Each workspace for the first time; what passes until then is for the most part the tools' own time."""
    began = time.perf_counter()
    opened.connect()
    print(f"painted {time.perf_counter() - began:.1f} s after connecting, by the clock")
    for workspace in WORKSPACES[1:]:
        bench(opened.paint, workspace, rounds=1, warm=False, of=BOXES, clock=time.thread_time, name=workspace)


def test_a_share_is_edited(bench: Benchmark, fakes: FakeSlurm, opened: Opened) -> None:
    """Drawing included; what follows from it is computed in threads, which the clock on the wall shows."""
    opened.connect()
    opened.paint("design")
    document = opened.session.document
    assert document is not None
    staging = opened.cluster.offer(STAGING)
    assert staging is not None
    users = [node.id for node in document.tree.walk() if not node.is_group]
    numbers = count(1)

    def edit() -> None:
        number = next(numbers)
        document.edit("Set shares", [SetShares(((users[number], 200 + number),))])
        opened.window.grab()

    def settle() -> None:
        opened.wait(lambda: not staging.is_working)

    bench(edit, setup=settle, rounds=15, of=BOXES, clock=time.thread_time, name="window's thread")
    bench(edit, setup=settle, rounds=15, of=BOXES, clock=time.perf_counter, name="wall")
    settle()
    assert len(staging.nodes) == next(numbers) - 1
    staging.revert_all()  # else the window asks whether it may close
