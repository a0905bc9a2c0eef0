"""All of 50,000 associations and of 50,000 jobs selected: in each table, and painted then."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QTableView, QTreeView
from pytestqt.qtbot import QtBot

from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from tests.benchmarks.calibrators import BOXES
from tests.benchmarks.measure import Benchmark
from tests.benchmarks.test_cluster_window import USERS, WORKSPACES, Opened
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.slurm.fake.large import large_cluster
from tests.slurm.fake.large_tools import play

JOBS = 50_000


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication, fake_slurm: FakeSlurm) -> Iterator[Opened]:
    """A window on the cluster, with all workspaces made."""
    play(fake_slurm, large_cluster(USERS), JOBS)
    made = Opened(qtbot, qapp, JOBS)
    made.connect()
    for workspace in WORKSPACES:
        made.paint(workspace)
    yield made
    made.close()


def _view(opened: Opened, name: str) -> QTreeView | QTableView:
    opened.paint(name)
    workspace = opened.window.workspace(name)
    if isinstance(workspace, JobsWorkspace):
        return workspace.jobs.table
    assert isinstance(workspace, DesignWorkspace | LiveWorkspace)
    view = workspace.tree_view if isinstance(workspace, DesignWorkspace) else workspace.legend.view
    view.expandAll()
    return view


@pytest.mark.parametrize("name", WORKSPACES)
def test_all_rows_are_selected_and_painted(bench: Benchmark, opened: Opened, name: str) -> None:
    """Until actions know of it; within 0.25 s of the window's thread on the machine of the README."""
    view = _view(opened, name)

    def select() -> None:
        view.selectAll()
        opened.qtbot.wait(1)

    def paint() -> None:
        view.viewport().grab()

    def clear() -> None:
        opened.session.select(())
        view.clearSelection()
        opened.qtbot.wait(50)

    bench(select, setup=clear, rounds=3, clock=time.thread_time, of=BOXES, name="select")
    print(name, "select", bench.seconds)
    view.scrollToBottom()
    bench(paint, rounds=5, clock=time.thread_time, of=BOXES, name="paint")
    print(name, "paint", bench.seconds)
