"""Operate with 100,000 finished jobs and 10,000 nodes: how long the window does nothing else meanwhile."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.console.app import prepare_process
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.document import Document
from fsconsole.console.garbage import EVERY_MS, collect_here
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import install_look
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.sacct import FIELDS
from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.targets.slurm.tools import Answer, Run
from tests.benchmarks.calibrators import BOXES
from tests.benchmarks.measure import Benchmark
from tests.console.cluster import play

T = TypeVar("T")
FINISHED, NODES, JOBS, USERS = 100_000, 10_000, 20_000, 400
ROUNDS, WINDOWS = 4, 4
_ENDS = (("COMPLETED", "0:0"), ("FAILED", "127:0"), ("TIMEOUT", "0:0"), ("CANCELLED by 1000", "0:15"))
_ENDED_S = 1_795_658_426


class ThreadTarget(play.PlayTarget):
    """Asks its tools in a thread, as that of a real cluster does."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._pool = ThreadPoolExecutor(1)

    def ask(self, question: Callable[[Run], T]) -> Future[T]:
        return self._pool.submit(question, self.run)

    def close(self, *, wait: bool = False) -> None:
        self._pool.shutdown(wait=True)
        super().close(wait=wait)


class Turns:
    """The longest time between two turns of the event loop, in processor time of the window's thread."""

    def __init__(self, window: ConsoleWindow) -> None:
        self.worked_s = 0.0
        self._timer = QTimer(window)
        self._timer.timeout.connect(self._turn)
        self.begin()
        self._timer.start(1)

    def begin(self) -> None:
        self.worked_s = 0.0
        self._last_s = time.thread_time()

    def stop(self) -> None:
        self._timer.stop()

    def _turn(self) -> None:
        now_s = time.thread_time()
        self.worked_s = max(self.worked_s, now_s - self._last_s)
        self._last_s = now_s


class Opened:
    """A window with Operate over a large cluster."""

    def __init__(self, qtbot: QtBot, app: QApplication) -> None:
        install_look(app, "light")
        prepare_process(app)
        self.qtbot, self.app = qtbot, app
        self.session = ConsoleSession()
        self.target = ThreadTarget(
            replace(play.night_state(), jobs=jobs(JOBS), nodes=nodes(NODES), parts=play.parts_read(_ENDED_S))
        )
        text = sacct(FINISHED)
        self.target.run = lambda command, limit_s=60.0: Answer(tuple(command), 0, text)
        self.cluster = ClusterSession(self.target, self.session.preferences)
        self.cluster.source.now = lambda: _ENDED_S + 60.0
        self.window = ConsoleWindow(self.session)
        qtbot.addWidget(self.window)
        self.window.resize(1600, 1000)
        tree = self.target.now.tree
        assert tree is not None
        self.session.open(Document(Scenario(tree.shares.copy()), name="lab (Slurm)"), self.cluster)
        self.window.show_workspace("operate")
        self.window.show()
        made = self.window.workspace("operate")
        assert isinstance(made, JobsWorkspace)
        self.operate, self.finished, self.nodes = made, made.finished, made.nodes
        self.wait(lambda: made.isVisible() and made.controller.near is not None)
        self.settle()
        gc.collect()  # what was made for this
        collect_here(app).timer.start(EVERY_MS)
        self.turns = Turns(self.window)

    def wait(self, is_so: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(is_so, timeout=60_000)

    def settle(self) -> None:
        """Until all that was begun is done and painted."""
        busy = (self.finished._tasks, self.nodes._tasks, self.operate.controller._tasks)
        QTest.qWait(1)
        self.wait(lambda: not any(tasks.is_busy() for tasks in busy) and not self._is_warming())
        QTest.qWait(30)

    def _is_warming(self) -> bool:
        return self.operate.jobs._warming.isActive()

    def close(self) -> None:
        self.turns.stop()
        collect_here(self.app).timer.stop()
        self.session.open(None)
        self.session.close()
        self.window.close()


def sacct(count: int) -> str:
    """What sacct prints of so many jobs, each with a step."""
    lines = ["|".join(FIELDS)]
    for number in range(1, count + 1):
        end_s = _ENDED_S - number * 80_000 // count
        state, code = _ENDS[number * 7 % 13 % 4]
        ran_s, cpus = 10 + number * 31 % 5000, 1 + number * 13 % 64
        label = f"{number // 100 * 100 + 1}_{number % 100}" if number % 3 else str(number)
        line = (
            *(
                label,
                str(number),
                f"user{number * 17 % USERS}",
                f"acct{number % 60}",
                "batch",
                "normal",
                state,
            ),
            *(code, "0:0", str(end_s - ran_s - 60), str(end_s - ran_s), str(end_s), str(ran_s), "120"),
            *(str(cpus), str(ran_s * cpus), f"{ran_s // 60:02d}:{ran_s % 60:02d}.500", "1"),
            *(f"n{number % NODES:05d}", f"run {number % 997}"),
        )
        lines += ["|".join(line), "|".join((f"{label}.batch", f"{number}.batch", "", *line[3:]))]
    return "\n".join(lines) + "\n"


def nodes(count: int) -> tuple[ClusterNode, ...]:
    """So many nodes, most of them busy, some drained."""
    states = ("mixed", "allocated", "mixed", "idle", "drained")
    made = []
    for number in range(count):
        state = states[number * 7 % 31 % 5]
        made.append(
            ClusterNode(
                name=f"n{number:05d}", partitions=("batch",), state=state, marks=(), cpus=128,
                busy_cpus=number * 13 % 129, reason="fan" if state == "drained" else "",
            )
        )  # fmt: skip
    return tuple(made)


def jobs(count: int) -> tuple[Job, ...]:
    """So many jobs, a third of them running on some of the nodes each."""
    made = []
    for number, job in enumerate(play.many_jobs(count)):
        first, width = number * 7 % (NODES - 16), 1 + number % 16
        where = f"n[{first:05d}-{first + width:05d}]" if job.nodes else ""
        made.append(replace(job, nodes=where, node_count=width + 1))
    return tuple(made)


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication) -> Iterator[Opened]:
    made = Opened(qtbot, qapp)
    yield made
    made.close()


def _show_finished(opened: Opened) -> None:
    opened.window.table.trigger("cluster.show_finished")
    opened.wait(lambda: opened.finished.table.rows.rowCount() == FINISHED)


def _show_nodes(opened: Opened) -> None:
    opened.window.table.trigger("cluster.show_nodes")
    opened.wait(lambda: opened.nodes.table.rows.rowCount() == NODES)


def _show_all_finished(opened: Opened) -> None:
    opened.finished.table.clearSelection()
    opened.finished.box.clear()


def _find(opened: Opened) -> None:
    QTest.keyClicks(opened.finished.box, "user17 state:failed")


def _find_user(opened: Opened) -> None:
    opened.finished.box.setText("user17")


def _sort(opened: Opened) -> None:
    for at in range(len(opened.finished.table.rows.columns)):
        opened.finished.table.sortByColumn(at, Qt.SortOrder.DescendingOrder)
        opened.settle()


def _select_all(opened: Opened) -> None:
    opened.finished.table.selectAll()
    opened.finished.table.verticalScrollBar().setValue(FINISHED // 2)


def _read_again(opened: Opened) -> None:
    opened.finished.table.selectAll()
    opened.finished.read()


def _choose_no_node(opened: Opened) -> None:
    opened.nodes.table.clearSelection()
    opened.operate.controller.choose([])


def _choose_nodes(opened: Opened) -> None:
    nodes = opened.nodes.map
    QTest.mouseClick(nodes, Qt.MouseButton.LeftButton, pos=nodes.cell(3).center())
    QTest.keyClick(nodes, Qt.Key.Key_Down)
    opened.settle()
    opened.nodes.table.selectAll()


def _choose_a_job(opened: Opened) -> None:
    opened.operate.controller.choose([next(job.job_id for job in opened.target.now.jobs if job.nodes)])


def _longest_s(opened: Opened, act: Callable[[Opened], object]) -> float:
    opened.turns.begin()
    act(opened)
    opened.settle()
    return opened.turns.worked_s


def _measure(
    bench: Benchmark, opened: Opened, before: Callable[[Opened], object], act: Callable[[Opened], object]
) -> None:
    """Several times: which turn is the longest, and what falls into it, differs."""

    def longest_s() -> float:
        before(opened)
        opened.settle()
        return _longest_s(opened, act)

    bench.seconds_of(longest_s, of=BOXES, clock=time.thread_time, rounds=ROUNDS, name=act.__name__.strip("_"))


def test_shown(bench: Benchmark, qtbot: QtBot, qapp: QApplication) -> None:
    """For the first time in a window."""
    of_nodes: list[float] = []

    def of_finished_s() -> float:
        opened = Opened(qtbot, qapp)
        assert opened.finished.kept is None
        finished_s = _longest_s(opened, _show_finished)
        of_nodes.append(_longest_s(opened, _show_nodes))
        opened.close()
        return finished_s

    bench.seconds_of(of_finished_s, of=BOXES, clock=time.thread_time, rounds=WINDOWS, name="finished_jobs")
    seconds = iter(of_nodes)
    bench.seconds_of(
        lambda: next(seconds), of=BOXES, clock=time.thread_time, rounds=len(of_nodes), name="nodes"
    )


def test_finished_jobs(bench: Benchmark, opened: Opened) -> None:
    _show_finished(opened)
    for before, act in (
        (_show_all_finished, _find),
        (_find_user, _show_all_finished),
        (_show_all_finished, _sort),
        (_show_all_finished, _select_all),
        (_show_all_finished, _read_again),
    ):
        _measure(bench, opened, before, act)
    assert opened.finished.kept is not None


def test_nodes(bench: Benchmark, opened: Opened) -> None:
    _show_nodes(opened)
    _measure(bench, opened, _choose_no_node, _choose_nodes)
    _measure(bench, opened, _choose_no_node, _choose_a_job)
    now = opened.target.now
    readings = [
        (tuple(replace(one, busy_cpus=number) for one in now.nodes), jobs(JOBS - number))
        for number in range(1, ROUNDS + 1)
    ]
    numbers = count()

    def read_again(opened: Opened) -> None:
        number = next(numbers)
        busy, fewer = readings[number]
        opened.target.publish(nodes=busy, jobs=fewer, parts=play.parts_read(_ENDED_S + 5 * (number + 1)))
        opened.cluster.look()

    _measure(bench, opened, _choose_no_node, read_again)
    assert opened.nodes.table.rows.rows[0].node.busy_cpus == ROUNDS
