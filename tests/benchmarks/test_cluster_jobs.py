"""The table of a cluster's 20,000 jobs: finding as one types, sorting, a new reading every few seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from itertools import count

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.app.jobs.columns import Field
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.document import Document
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.console.operate.jobs.jobs_panel import JobsPanel
from fsconsole.console.operate.jobs.jobs_rows import COLUMN
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import install_look
from fsconsole.shares.scenario.spec import Scenario
from tests.benchmarks.measure import Benchmark
from tests.console.cluster import play

JOBS = 20_000
TYPED = ("a", "an", "anna", "user:anna", "user:anna state:running", "user:anna cpus>16 elapsed>1m", "")


class _Idle:
    """Takes work and does none of it."""

    def submit(self, *_: object) -> Future[None]:
        return Future()

    def shutdown(self, **_: object) -> None:
        pass


class Jobs:
    """The panel over a cluster that is played; the window's own timer does not look at it."""

    def __init__(self, qtbot: QtBot, app: QApplication) -> None:
        install_look(app, "light")
        self.app = app
        self.session = ConsoleSession()
        self.target = play.PlayTarget(replace(play.night_state(), jobs=play.many_jobs(JOBS)))
        self.cluster = ClusterSession(self.target, self.session.preferences)
        self.cluster._timer.stop()
        self.cluster.source.close()  # what Observe computes in a thread of its own is measured there
        self.cluster.source._worker = _Idle()  # type: ignore[assignment]
        tree = self.target.now.tree
        assert tree is not None
        self.session.open(Document(Scenario(tree.shares.copy())), self.cluster)
        self.panel = JobsPanel(JobController(self.session))
        qtbot.addWidget(self.panel)
        self.panel.resize(1200, 500)
        self.panel.show()
        self.draw()

    def draw(self) -> None:
        """As the window would, before the person sees it."""
        self.panel.grab()

    def type(self, text: str) -> None:
        """All at once, so that it is one search."""
        self.panel.box.setText(text)
        self.draw()

    def read(self, number: int) -> None:
        """A new reading: another minute, some jobs gone, some new ones."""
        jobs = play.many_jobs(JOBS)[number % 50 :]
        self.target.publish(jobs=jobs, parts=play.parts_read(play.NOW_S + 5 * number))
        self.cluster.look()
        self.draw()


@pytest.fixture
def jobs(qtbot: QtBot, qapp: QApplication) -> Iterator[Jobs]:
    made = Jobs(qtbot, qapp)
    assert made.panel.counts == (JOBS, JOBS)
    yield made
    made.session.open(None)
    made.session.close()


@pytest.mark.parametrize("text", TYPED)
def test_find_as_you_type(bench: Benchmark, jobs: Jobs, text: str) -> None:
    """Drawing included; columns are those of one reading, as while one types."""

    def back() -> None:
        jobs.type("user:fs_kim")

    bench(lambda: jobs.type(text), setup=back, rounds=8, clock=time.thread_time)


def test_first_search_of_a_reading(bench: Benchmark, jobs: Jobs) -> None:
    """A moment after the reading: columns are worked out while nothing else is to do."""
    numbers = count()

    def anew() -> None:
        jobs.type("")
        jobs.read(next(numbers))
        while jobs.panel._warming.isActive():
            jobs.app.processEvents()

    bench(lambda: jobs.type("anna running cpus>16"), setup=anew, rounds=8, clock=time.thread_time)


@pytest.mark.parametrize("by", [Field.USER, Field.ELAPSED, Field.REASON, Field.FAIRSHARE])
def test_sorting(bench: Benchmark, jobs: Jobs, by: Field) -> None:
    """Drawing included."""
    orders = count()

    def turn() -> None:
        order = Qt.SortOrder.DescendingOrder if next(orders) % 2 else Qt.SortOrder.AscendingOrder
        jobs.panel.table.sortByColumn(COLUMN[by], order)
        jobs.draw()

    bench(turn, rounds=8, clock=time.thread_time)


@pytest.mark.parametrize("selected", [1, 1000])
def test_a_new_reading_is_shown(bench: Benchmark, jobs: Jobs, selected: int) -> None:
    """With a search, an order, a place and jobs selected."""
    jobs.type("batch")
    jobs.panel.table.sortByColumn(COLUMN[Field.ELAPSED], Qt.SortOrder.DescendingOrder)
    jobs.panel.table.select([int(one) for one in jobs.panel.table.jobs.ids[2000 : 2000 + selected]])
    readings = [play.many_jobs(JOBS)[number:] for number in range(10)]
    numbers = count()

    def read() -> None:
        number = next(numbers)
        parts = play.parts_read(play.NOW_S + 5 * number)
        jobs.target.publish(jobs=readings[number], parts=parts)
        jobs.cluster.look()
        jobs.draw()

    bench(read, rounds=8, clock=time.thread_time)
    assert len(jobs.panel.table.selected_ids) == selected
