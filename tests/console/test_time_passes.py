"""Time passes and a cluster is polled: nothing that a user aims at moves, and no key is taken away.

Each workspace with each kind of target; the watch judges what happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets.linux.groups_worker import GroupsWorker
from fsconsole.targets.linux.target import LinuxTarget
from fsconsole.targets.slurm.state import Link, Part, PartName
from tests.console.cluster.play import NOW_S, PlayTarget, night_state, parts_read
from tests.console.watch import Watch
from tests.linux.control_groups import FileGroups, removable

__all__ = ["removable"]

POLLS, POLL_MS = 12, 60
MINUTES, FRAMES = 3, 20

Passing = Callable[[], Callable[[], bool]]  # Begins; what it returns is true once enough time has passed.


def open_machine(qtbot: QtBot, window: ConsoleWindow, example: str) -> Passing:
    """A simulated machine, which runs for three minutes at 100 times their speed."""
    session = window.session
    session.open(Document(read_scenario(examples() / example), name=example))
    qtbot.waitUntil(lambda: session.snapshot is not None)

    def begin() -> Callable[[], bool]:
        shown: list[float] = []

        def note() -> None:
            if session.snapshot is not None:
                shown.append(session.snapshot.time_s)

        session.frame.connect(note)
        session.set_speed(100.0)
        session.run()
        return lambda: len(shown) > FRAMES and shown[-1] > 60 * MINUTES

    return begin


def open_cluster(qtbot: QtBot, window: ConsoleWindow, watch: Watch) -> Passing:
    """A Slurm cluster whose jobs change with each poll; an alert comes, and it answers slowly for a while.

    The first poll comes when the input is over, however busy this machine is.
    """
    play = PlayTarget(night_state())
    window.session.preferences.set_value("alerts/most_pending", 1)
    window.clusters.connections.open(play)
    qtbot.waitUntil(lambda: window.session.document is not None)
    jobs = play.now.jobs
    polls: list[int] = []

    def poll() -> None:
        if not watch.is_judging:
            QTimer.singleShot(POLL_MS, window, poll)
            return
        at = len(polls)
        polls.append(at)
        parts = {**parts_read(), PartName.JOBS: Part(NOW_S + 5.0 * at, 0.1 * at)}
        link = Link.SLOW if 4 <= at < 8 else Link.ANSWERS
        play.publish(jobs=jobs[at % 4 :], parts=parts, link=link)
        if at < POLLS:
            QTimer.singleShot(POLL_MS, window, poll)

    def begin() -> Callable[[], bool]:
        polls.clear()
        QTimer.singleShot(POLL_MS, window, poll)
        return lambda: len(polls) > POLLS

    return begin


def open_groups(qtbot: QtBot, window: ConsoleWindow, folder: Path) -> Passing:
    """A tree on folders like control groups, which are read ten times a second."""
    groups, log = FileGroups(folder), folder / "audit.jsonl"
    session, controller = window.session, window.linux.controller
    session.open(Document(read_scenario(examples() / "convex-series-1.yaml"), name="convex-series-1.yaml"))
    controller.make = lambda tree: LinuxTarget(
        lambda changed: GroupsWorker(groups, tree, changed, log=log, sys=folder), period_s=POLL_MS / 1000
    )
    controller.look_for_left = list
    window.table.trigger("linux.open")

    def begin() -> Callable[[], bool]:
        seen: list[object] = []
        session.frame.connect(lambda: seen.append(None))
        return lambda: len(seen) > POLLS

    return begin


@pytest.fixture
def passing(
    request: pytest.FixtureRequest,
    qtbot: QtBot,
    empty_window: ConsoleWindow,
    watch: Watch,
    tmp_path: Path,
    removable: None,
) -> Iterator[Passing]:
    """What is open in the window, and how time passes there."""
    empty_window.resize(1600, 1000)
    openers: dict[str, Callable[[QtBot, ConsoleWindow], Passing]] = {
        "machine": partial(open_machine, example="convex-series-1.yaml"),
        "night": partial(open_machine, example="near-dedicated-ymp.yaml"),
        "cluster": partial(open_cluster, watch=watch),
        "groups": partial(open_groups, folder=tmp_path),
    }
    yield openers[request.param](qtbot, empty_window)
    empty_window.session.close_target()


def settle(qtbot: QtBot, window: ConsoleWindow) -> None:
    """Let a workspace that has just come to the front find its places."""
    seen: list[list[object]] = []

    def stands() -> bool:
        seen.append([one.geometry() for one in window.findChildren(QWidget) if one.isVisible()])
        return len(seen) > 20 and all(one == seen[-1] for one in seen[-20:])

    qtbot.waitUntil(stands)


@pytest.mark.parametrize("passing", ["machine", "night", "cluster", "groups"], indirect=True)
@pytest.mark.parametrize("workspace", WORKSPACES)
def test_nothing_moves_while_time_passes(
    qtbot: QtBot, empty_window: ConsoleWindow, watch: Watch, passing: Passing, workspace: str
) -> None:
    empty_window.show_workspace(workspace)
    settle(qtbot, empty_window)
    watch.geometry = True
    has_passed = passing()
    qtbot.waitUntil(has_passed)
    qtbot.wait(POLL_MS)


@pytest.mark.parametrize("width", [1280, 1600])
def test_the_transport_stands_while_a_machine_runs(
    qtbot: QtBot, empty_window: ConsoleWindow, watch: Watch, width: int
) -> None:
    begin = open_machine(qtbot, empty_window, "convex-series-1.yaml")
    empty_window.resize(width, 800)
    empty_window.show_workspace("observe")
    settle(qtbot, empty_window)
    watch.geometry = True
    qtbot.waitUntil(begin())
    assert empty_window.session.is_running


@pytest.mark.parametrize("passing", ["cluster"], indirect=True)
def test_polls_leave_a_half_typed_word_alone(
    qtbot: QtBot, empty_window: ConsoleWindow, watch: Watch, passing: Passing
) -> None:
    window = empty_window
    window.show_workspace("operate")
    settle(qtbot, window)
    qtbot.waitUntil(passing())  # An alert is there.

    def buttons() -> list[QPushButton]:
        found = [one for one in window.findChildren(QPushButton) if one.text() == "Acknowledge"]
        return [one for one in found if one.isVisible()]

    qtbot.waitUntil(lambda: len(buttons()) == 1)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    buttons()[0].setFocus()  # It had the focus once.
    operate = window.workspace("operate")
    field = operate.jobs.box  # type: ignore[attr-defined]
    assert isinstance(field, QLineEdit)
    field.setFocus()
    QTest.keyClicks(field, "acc")
    qtbot.waitUntil(passing())
    assert QApplication.focusWidget() is field
    assert field.text() == "acc"
