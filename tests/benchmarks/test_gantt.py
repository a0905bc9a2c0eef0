"""Frames of the machine over time while 200,000 jobs are panned, beside an item for each job of a scene."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPen
from PySide6.QtWidgets import QApplication, QGraphicsScene, QGraphicsView
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from fsconsole.batch.months import MonthRun, whole_period
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.simulate import simulate
from fsconsole.console.analyse.study.gantt_scene import Scene, scene_of
from fsconsole.console.analyse.study.gantt_view import GanttView
from fsconsole.console.style.application_style import install_look
from tests.batch.measures.schedules import kth_jobs
from tests.benchmarks.test_measures import repeated

SIZE = (1100, 760)
JOBS = 200_000
FRAME_MS = 1000 / 30
PARTS = (0.95, 0.3, 0.02)  # of all time, in sight
FRAMES = 30
BASELINE_FRAMES = 4


@pytest.fixture(scope="module")
def scene() -> Scene:
    """KTH-SP2 eight times under FCFS."""
    schedule = simulate(repeated(kth_jobs(), 8), 100, BatchPolicy("fcfs"))
    assert len(schedule.jobs) >= JOBS
    run = MonthRun(schedule, np.ones(len(schedule.jobs), dtype=np.bool_), whole_period(schedule))
    return scene_of(run)


def frames_ms(app: QApplication, draw: Callable[[int], None], count: int) -> list[float]:
    """Milliseconds of each frame, painting included."""
    took = []
    for number in range(count + 2):
        began = time.perf_counter()
        draw(number)
        app.processEvents()
        took.append(1000 * (time.perf_counter() - began))
    return took[2:]


class _Items(QGraphicsView):
    """An item for each job, which is what comes to mind first."""

    def __init__(self, scene: Scene) -> None:
        self._items = QGraphicsScene()
        super().__init__(self._items)
        lanes, brush, pen = scene.lanes, QBrush(QColor("#8090c0")), QPen(Qt.PenStyle.NoPen)
        columns = (lanes.start_s, scene.end_s - lanes.start_s, lanes.first, lanes.wide)
        for start, runs, first, wide in zip(*(one.tolist() for one in columns), strict=True):
            self._items.addRect(QRectF(start, first, runs, wide), pen, brush)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.first_s, self.last_s = scene.first_s, scene.last_s

    def look(self, begin_s: float, seconds: float) -> None:
        self.resetTransform()
        self.scale(self.viewport().width() / seconds, self.viewport().height() / 100)
        self.centerOn(begin_s + seconds / 2, 50)


@pytest.mark.benchmark(group="gantt")
def test_two_hundred_thousand_jobs_pan_at_thirty_frames_a_second(
    benchmark: BenchmarkFixture, qtbot: QtBot, qapp: QApplication, scene: Scene
) -> None:
    install_look(qapp, "light")
    view = GanttView()
    qtbot.addWidget(view)
    view.resize(*SIZE)
    view.show_scene(scene)
    view.show()
    qapp.processEvents()
    own: dict[float, float] = {}

    def pan_all() -> None:
        for part in PARTS:
            view.fit()
            view.zoom(part)
            view.pan(-float("inf"))
            step = 0.02 * view.areas.machine.width if part < 0.9 else 1.0
            took = frames_ms(qapp, lambda _: view.pan(step), FRAMES)  # noqa: B023 (used at once)
            own[part] = statistics.median(took)

    benchmark.pedantic(pan_all, rounds=1, iterations=1, warmup_rounds=0)  # type: ignore[no-untyped-call]
    view.hide()
    items = _Items(scene)
    qtbot.addWidget(items)
    items.resize(*SIZE)
    items.show()
    whole = scene.last_s - scene.first_s
    for part in PARTS:
        seconds = part * whole
        took = frames_ms(
            qapp,
            lambda number: items.look(scene.first_s + number * 0.01 * seconds, seconds),  # noqa: B023
            BASELINE_FRAMES,
        )
        baseline = statistics.median(took)
        benchmark.extra_info[f"own_ms_{part:g}"] = round(own[part], 1)
        benchmark.extra_info[f"items_ms_{part:g}"] = round(baseline, 1)
        print(f"{part:g} of the time in sight: {own[part]:.1f} ms, an item a job {baseline:.1f} ms")
    assert max(own.values()) <= FRAME_MS
