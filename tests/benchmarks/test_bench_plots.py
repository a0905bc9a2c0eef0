"""Frames of the live plots beside a bare, tuned pyqtgraph script that draws the same, in the same run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.live.plots.panel import PlotsPanel
from fsconsole.console.live.plots.plot_curves import Drawn
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import install_look
from fsconsole.recording.series import TieredSeries
from fsconsole.shares.edits import Insert
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import QUANTITIES, Scenario
from fsconsole.shares.tree import ROOT_ID, Kind, Node
from fsconsole.targets.live import LIVE_COLUMNS
from fsconsole.targets.simulated import SimulatedTarget
from tests.benchmarks.calibrators import BOXES
from tests.benchmarks.measure import Benchmark
from tests.benchmarks.test_bench_machine import site

SIZE = (1400, 800)
NODES = 20  # in each of five plots: 100 curves
POINTS = 600
FRAMES = 40
EXAMPLES = Path(__file__).resolve().parents[2] / "example_trees"


@pytest.fixture
def session(qtbot: QtBot, qapp: QApplication) -> Iterator[ConsoleSession]:
    install_look(qapp, "light")
    made = ConsoleSession()
    path = EXAMPLES / "convex-series-1.yaml"
    made.open(Document(read_scenario(path), path, text=path.read_text("utf-8")))
    qtbot.waitUntil(lambda: made.snapshot is not None, timeout=60_000)
    yield made
    made.close()


def _wave(shift: int, scale: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """One curve's values; other ones at each shift."""
    at = np.arange(POINTS)
    return scale * (0.5 + 0.4 * np.sin((at + shift) / 25.0) + 0.05 * np.cos((at + shift) / 3.0))


def _frames(draw: Callable[[int], None], app: QApplication) -> list[float]:
    """Seconds of each frame, painting included."""
    took = []
    for number in range(FRAMES + 5):
        began = time.thread_time()
        draw(number)
        app.processEvents()
        took.append(time.thread_time() - began)
    return took[5:]


class _Bare:
    """Five plots of kept curve items with ready data, nothing else."""

    def __init__(self, pens: list[QPen]) -> None:
        self.widget = QWidget()
        layout = QVBoxLayout(self.widget)
        layout.setContentsMargins(0, 0, 0, 0)
        self.curves = []
        for number in range(len(QUANTITIES)):
            plot = pg.PlotWidget(background="w")
            plot.getPlotItem().hideButtons()
            plot.setRange(xRange=(0, POINTS), yRange=(0, 1), padding=0)
            plot.getPlotItem().getViewBox().disableAutoRange()
            if number < len(QUANTITIES) - 1:
                plot.getPlotItem().hideAxis("bottom")
            layout.addWidget(plot)
            for pen in pens:
                curve = pg.PlotCurveItem(pen=pen, skipFiniteCheck=True)
                plot.addItem(curve, ignoreBounds=True)
                self.curves.append(curve)
        self.x = np.arange(POINTS, dtype=float)
        self.data = [[_wave(7 * shift + 13 * at, 0.9) for at in range(NODES)] for shift in range(16)]

    def draw(self, number: int) -> None:
        waves = self.data[number % 16]
        for at, curve in enumerate(self.curves):
            curve.setData(self.x, waves[at % NODES], skipFiniteCheck=True)


class _Console:
    """The panel as it is, fed by a series that gets a new sample of every node each frame."""

    def __init__(self, session: ConsoleSession) -> None:
        document = session.document
        assert document is not None
        nodes = [Node(document.tree.new_id(), f"n{at}", 1, Kind.USER) for at in range(NODES)]
        for node in nodes:
            document.edit("Insert", [Insert(ROOT_ID, len(document.tree.root.children), (node,))])
        self.ids = [node.id for node in nodes]
        self.session = session
        self.span = TimeRange()
        self.panel = PlotsPanel(session, self.span, max_curves=NODES)
        self.series = TieredSeries(LIVE_COLUMNS, NODES)
        assert session.target is not None
        assert isinstance(session.target, SimulatedTarget)
        session.target.series = self.series
        session.show_nodes(self.ids)
        for at in range(POINTS):
            self._append(at)
        self.at = POINTS

    def _append(self, at: int) -> None:
        values = np.array([_wave(13 * node, 0.9)[at % POINTS] for node in range(NODES)])
        self.series.append(float(at), self.ids, dict.fromkeys(LIVE_COLUMNS, values))

    def draw(self, _number: int) -> None:
        self.at += 1
        self.series.append(
            float(self.at),
            self.ids,
            dict.fromkeys(LIVE_COLUMNS, 0.5 + 0.4 * np.sin(self.at / 25 + np.arange(NODES))),
        )
        self.span.advance(float(self.at))
        self.panel.refresh()


def test_hundred_curves_cost_at_most_a_third_more_than_bare_ones(
    bench: Benchmark, session: ConsoleSession, qapp: QApplication, qtbot: QtBot
) -> None:
    console = _Console(session)
    styles = [session.curves.style(node) for node in console.ids]
    pens = []
    for style in styles:
        pen = QPen(QColor(session.curves.colour(console.ids[0])), 1)
        pen.setCosmetic(True)
        if style.dash:
            pen.setDashPattern(list(style.dash))
        pens.append(pen)
    bare = _Bare(pens)
    for widget in (bare.widget, console.panel):
        qtbot.addWidget(widget)
        widget.resize(*SIZE)
        widget.show()
    qapp.processEvents()
    console.panel.hide()
    baseline = statistics.median(_frames(bare.draw, qapp))
    bare.widget.hide()
    console.panel.show()
    qapp.processEvents()
    assert console.panel.drawn == Drawn(tuple(console.ids))
    bench.seconds_of(
        lambda: statistics.median(_frames(console.draw, qapp)), of=BOXES, clock=time.thread_time, rounds=2
    )
    own = min(bench.seconds)
    console.panel.hide()
    bare.widget.show()
    baseline = max(baseline, statistics.median(_frames(bare.draw, qapp)))
    print(f"bare {1000 * baseline:.1f} ms, console {1000 * own:.1f} ms, ratio {own / baseline:.2f}")
    assert own <= 1.3 * baseline


def _watched(name: str) -> Scenario:
    """Return a scenario without end: series 1, sampled each second, or a larger one, each 10 s."""
    if name == "convex_series_1":
        scenario = read_scenario(EXAMPLES / "convex-series-1.yaml")
        return replace(scenario, plot=replace(scenario.plot, until_s=1e6))
    scenario = site(16, 500)
    return replace(scenario, plot=replace(scenario.plot, until_s=1e6, sample_s=10.0))


@pytest.mark.parametrize("name", ["convex_series_1", "16_cpus_500_processes"])
def test_full_speed_leaves_the_window_its_frames(
    bench: Benchmark, session: ConsoleSession, qtbot: QtBot, name: str
) -> None:
    """Processor time of a frame and of a simulated second; what both come to by the clock is printed."""
    from fsconsole.console.window import ConsoleWindow

    session.open(Document(_watched(name)))
    window = ConsoleWindow(session)
    window.resize(*SIZE)
    window.show()
    window.show_workspace("observe")
    qtbot.waitUntil(lambda: session.snapshot is not None, timeout=60_000)
    frames: list[None] = []
    session.frame.connect(lambda: frames.append(None))
    session.set_speed(float("inf"))
    session.run()

    def clocks() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        assert session.snapshot is not None
        times = time.thread_time(), time.process_time(), time.perf_counter()
        return np.array([*times, session.snapshot.time_s, len(frames)])

    def watch() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        begun = clocks()
        loop = QEventLoop()
        QTimer.singleShot(2000, loop.quit)
        loop.exec()
        return clocks() - begun

    watch()  # the start is not counted
    turns: list[np.ndarray[tuple[int], np.dtype[np.float64]]] = []

    def frame_s() -> float:
        turns.append(watch())
        own_s, _, _, _, count = turns[-1]
        return float(own_s / max(count, 1.0))

    bench.seconds_of(frame_s, of=BOXES, clock=time.thread_time, rounds=4, name="frame")
    rests = [float((all_s - own_s) / simulated_s) for own_s, all_s, _, simulated_s, _ in turns]
    bench.seconds_of(iter(rests).__next__, rounds=len(rests), name="simulated_second")
    session.pause()
    window.hide()
    _, all_s, clock_s, simulated_s, count = np.sum(turns, axis=0)
    speed = f"{simulated_s / clock_s:.0f} simulated s/s, {count / clock_s:.1f} frames/s"
    print(f"{speed} with {all_s / clock_s:.2f} of a processor")
