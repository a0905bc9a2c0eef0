"""Frames of the machine over time while 200,000 jobs are panned."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from fsconsole.batch.months import MonthRun, whole_period
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.simulate import simulate
from fsconsole.console.analyse.study.gantt_scene import Scene, scene_of
from fsconsole.console.analyse.study.gantt_view import GanttView
from fsconsole.console.style.application_style import install_look
from tests.batch.measures.schedules import kth_jobs
from tests.benchmarks.calibrators import BOXES
from tests.benchmarks.measure import Benchmark
from tests.benchmarks.test_measures import repeated

SIZE = (1100, 760)
JOBS = 200_000
PARTS = (0.95, 0.3, 0.02)  # of all time, in sight
FRAMES = 30


@pytest.fixture(scope="module")
def scene() -> Scene:
    """KTH-SP2 eight times under FCFS."""
    schedule = simulate(repeated(kth_jobs(), 8), 100, BatchPolicy("fcfs"))
    assert len(schedule.jobs) >= JOBS
    run = MonthRun(schedule, np.ones(len(schedule.jobs), dtype=np.bool_), whole_period(schedule))
    return scene_of(run)


@pytest.mark.parametrize("part", PARTS)
def test_two_hundred_thousand_jobs_are_panned(
    bench: Benchmark, part: float, qtbot: QtBot, qapp: QApplication, scene: Scene
) -> None:
    install_look(qapp, "light")
    view = GanttView()
    qtbot.addWidget(view)
    view.resize(*SIZE)
    view.show_scene(scene)
    view.show()
    qapp.processEvents()
    view.fit()
    view.zoom(part)
    view.pan(-float("inf"))
    step = 0.02 * view.areas.machine.width if part < 0.9 else 1.0

    def frame() -> None:
        view.pan(step)
        qapp.processEvents()

    bench(frame, of=BOXES, clock=time.thread_time, rounds=FRAMES)
