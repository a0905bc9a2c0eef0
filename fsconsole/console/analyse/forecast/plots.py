"""Usage over fairshare, with one time axis, and the planned jobs between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QSplitter, QWidget

from fsconsole.app.forecast.entry import plain
from fsconsole.app.forecast.jobs import Job
from fsconsole.console.figure_view import FigureView
from fsconsole.console.kit.lane_painter import BarLook, paint_box
from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.style.fonts import tabular_font, ui_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.figures.painted_text import draw_text
from fsconsole.figures.spec import Axis, FigureSpec, FigureStyle
from fsconsole.figures.ticks import power_of_thousand, unit_with_power
from fsconsole.text.durations import length_words
from fsconsole.text.words import capitalised

_LEFT_EM = 4.4
_BEFORE_NAME_EM = 2.1  # Gap between the plot and the name of a curve.
_LEAST_PX = 64
_HEAD_PX = 18
_TITLES = {
    "forecast-cluster-level-fairshare": "Level fairshare",
    "forecast-cluster-priority": "Priority, points",
    "forecast-machine-allocated": "Allocated share, %",
}
_SIDE_PX = 300
NOTHING = FigureSpec("nothing", "", Axis(""), ())
_BAR_PX, _GAP_PX, _LEAST_BAR_PX = 16, 2, 6
_MOST_LANES = 3
_LOOK = BarLook("c2", 0.2, "c2")


class ForecastPlot(FigureView):
    """One of the two plots. Signals: focused(); moved(at) when its line has moved, None without a line."""

    focused = Signal()
    moved = Signal(object)
    text_size = "caption"

    def __init__(self, parent: QWidget, *, has_time: bool) -> None:
        self._has_time = has_time
        self._right_em = _BEFORE_NAME_EM
        self._is_stale = False
        super().__init__(NOTHING, parent)
        self.pointed.connect(self._on_pointed)

    def set_right(self, right_em: float) -> None:
        """Set the width right of the plot, for the names of curves."""
        self._right_em = right_em
        self.update()

    def show_stale(self, *, is_stale: bool) -> None:
        """Give the plot the ground of an outdated one, or its usual one."""
        self._is_stale = is_stale
        self.update()

    def follow(self, at: float | None) -> None:
        """Draw the line at its time in the other plot."""
        if at != self._cursor_at:
            self._cursor_at = at
            self.update()

    def style_shown(self) -> FigureStyle:
        """Return the style of the other plot, without the words that have no room here."""
        return replace(
            super().style_shown(),
            title=False,
            events=False,
            axis_titles="x" if self._has_time else "none",
            x_labels=self._has_time,
            edges_em=(_LEFT_EM, self._right_em),
            ground="raised" if self._is_stale else "surface",
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(200, _LEAST_PX + (24 if self._has_time else 0))

    def sizeHint(self) -> QSize:
        return QSize(480, 120)

    @Slot()
    def _on_pointed(self) -> None:
        self.moved.emit(self._cursor_at)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        # Hidden without curves: axes from 0 to 1 would be misleading.
        if not self.spec.curves:
            return
        super().paintEvent(event)


class ForecastPlots(QWidget):
    """Two plots below their titles; values at the line are beside the titles.

    Attributes:
        is_stale: whether the display is outdated.

    Signals: changed() when Export would be about another figure.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.usage, self.fairshare = ForecastPlot(self, has_time=False), ForecastPlot(self, has_time=True)
        self.bars = JobBars(self)
        self._titles = [PlainLabel("", self) for _ in range(2)]
        self._values = [MutedLabel("", self, "caption") for _ in range(2)]
        self._current = self.fairshare
        self._words = ("", "")
        self.is_stale = False
        self._build_ui()
        for plot, other, label in zip(self._both, self._both[::-1], self._values, strict=True):
            plot.pointed.connect(label.setText)
            plot.moved.connect(other.follow)
            plot.focused.connect(self._focus)
            plot.moved.connect(self._on_moved)

    @property
    def figures(self) -> tuple[FigureSpec, ...]:
        """Usage and fairshare; none where nothing is shown."""
        return tuple(plot.spec for plot in self._both if plot.spec.curves)

    @property
    def current(self) -> FigureSpec | None:
        """The figure that had the focus last, fairshare at first; None where nothing is shown."""
        return self._current.spec if self._current.spec.curves else None

    def show_figures(
        self, figures: Sequence[FigureSpec], jobs: Sequence[Job], until_s: float, unit: str = "cores"
    ) -> None:
        """Show usage and fairshare, and the jobs with the unit of their rates; `figures` may be empty."""
        usage, fairshare = figures or (NOTHING, NOTHING)
        self.usage.show_figure(usage)
        self.fairshare.show_figure(fairshare)
        self._words = (
            f"{_usage_title(usage)}{'; jobs below' if jobs else ''}" if figures else "",
            _TITLES.get(fairshare.name, "Fairshare F") if figures else "",
        )
        self._show_titles()
        self.bars.show_jobs(jobs if figures else (), until_s, unit)
        self._give_edges()
        self.changed.emit()

    def paper_style(self) -> FigureStyle:
        """Return a figure as it is on paper, in the colours shown."""
        return FigureStyle(theme=self.usage.style_shown().theme)

    def show_stale(self, *, is_stale: bool) -> None:
        """Mark the plots as outdated until the new ones come."""
        self.is_stale = is_stale
        for plot in self._both:
            plot.show_stale(is_stale=is_stale)
        self._show_titles()

    def _show_titles(self) -> None:
        for title, words in zip(self._titles, self._words, strict=True):
            title.setText(f"{words} (out of date)" if words and self.is_stale else words)

    @property
    def _both(self) -> tuple[ForecastPlot, ForecastPlot]:
        return self.usage, self.fairshare

    @Slot()
    def _focus(self) -> None:
        plot = self.sender()
        if isinstance(plot, ForecastPlot):
            self._current = plot
            self.changed.emit()

    @Slot(object)
    def _on_moved(self, at: float | None) -> None:
        """Show values of both plots at the line of one."""
        for plot, label in zip(self._both, self._values, strict=True):
            is_known = at is not None and bool(plot.spec.curves)
            label.setText(plot.values_at(at) if is_known and at is not None else "")
            label.setToolTip(label.text())

    def _give_edges(self) -> None:
        """Give the plots and the jobs the same edges: room for the longest name."""
        em = ui_font("caption").pixelSize()
        metrics = QFontMetricsF(ui_font("caption", semibold=True))
        names = [curve.name for spec in self.figures for curve in spec.curves]
        widest = max((metrics.horizontalAdvance(name) for name in names), default=0.0)
        right_em = _BEFORE_NAME_EM + 1.06 * widest / em
        for plot in self._both:
            plot.set_right(right_em)
        self.bars.set_edges(_LEFT_EM * em, right_em * em)

    def _build_ui(self) -> None:
        layout = vbox(on=self, margins=(0, 2, 0, 0))
        parts = zip(self._titles, self._values, self._both, strict=True)
        for (title, values, plot), name in zip(parts, ("Usage", "Fairshare"), strict=True):
            title.setFont(tabular_font(semibold=True))
            values.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            values.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            plot.setObjectName(name)
            head = hbox(title, (values, 1), margins=(12, 0, 12, 0), spacing=8)
            title.setFixedHeight(_HEAD_PX)
            layout.addLayout(head)
            layout.addWidget(plot, 4 if plot is self.usage else 5)
            if plot is self.usage:
                layout.addWidget(self.bars)


def _usage_title(figure: FigureSpec) -> str:
    """Return title and unit of the axis, with a power of ten for large numbers."""
    axis = figure.y_axis
    largest = max(float(np.nanmax(curve.y, initial=0.0)) for curve in figure.curves) * axis.scale
    return f"{capitalised(axis.title)}, {unit_with_power(axis.unit, power_of_thousand(largest))}"


class JobBars(Chart):
    """Boxes with the cores of each job; jobs at the same time lie one below the other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs: tuple[Job, ...] = ()
        self._lanes: tuple[int, ...] = ()
        self._until_s, self._unit = 1.0, "cores"
        self._edges = (0.0, 0.0)
        self.setAccessibleName("Planned jobs")
        self.setAccessibleDescription("None")
        self.setFont(tabular_font("caption"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)

    def show_jobs(self, jobs: Sequence[Job], until_s: float, unit: str) -> None:
        """Show jobs from now until a time, with the unit of their rates."""
        self._jobs = tuple(job for job in jobs if job.start_s < until_s)
        self._lanes, self._until_s, self._unit = _lanes_of(self._jobs), until_s, unit
        jobs_text = (
            f"{plain(job.cores)} {unit} from {length_words(job.start_s)} to {length_words(job.end_s)} "
            "from now"
            for job in self._jobs
        )
        self.setAccessibleDescription("; ".join(jobs_text) or "None")
        self.setVisible(bool(self._jobs))
        self.updateGeometry()
        self.update()

    def text_twin(self) -> TextTwin:
        """Return a line for each job, with its times from now."""
        columns: tuple[Column[Job], ...] = (
            Column(
                capitalised(self._unit),
                lambda job: plain(job.cores),
                order=lambda job: job.cores,
                is_number=True,
            ),
            Column("From", lambda job: length_words(job.start_s), order=lambda job: job.start_s),
            Column("To", lambda job: length_words(job.end_s), order=lambda job: job.end_s),
        )
        return rows_twin(self._jobs, columns)

    def set_edges(self, left_px: float, right_px: float) -> None:
        """Set the distances of the plot's edges from the widget's."""
        self._edges = (left_px, right_px)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, 2 * _GAP_PX + self._lane_count * (self._bar_px + _GAP_PX))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @property
    def _lane_count(self) -> int:
        return max(self._lanes, default=0) + 1

    @property
    def _bar_px(self) -> int:
        return max(_LEAST_BAR_PX, _BAR_PX * min(_MOST_LANES, self._lane_count) // self._lane_count)

    def box(self, number: int) -> QRectF:
        """Return the rectangle of a job's bar."""
        job, lane = self._jobs[number], self._lanes[number]
        left, right = self._edges
        width = self.width() - left - right
        start, end = (left + width * min(time / self._until_s, 1.0) for time in (job.start_s, job.end_s))
        top = _GAP_PX + lane * (self._bar_px + _GAP_PX)
        return QRectF(start + 0.5, top + 0.5, max(end - start - 1, 1.0), self._bar_px - 1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            metrics = QFontMetricsF(self.font())
            for number, job in enumerate(self._jobs):
                box = self.box(number)
                paint_box(painter, box, _LOOK)
                fitting = (
                    one
                    for one in (f"{plain(job.cores)} {self._unit}", plain(job.cores))
                    if metrics.horizontalAdvance(one) + 4 <= box.width()
                    and metrics.capHeight() < box.height()
                )
                painter.setPen(colour("text"))
                draw_text(painter, box, Qt.AlignmentFlag.AlignCenter, next(fitting, ""))


def _lanes_of(jobs: Sequence[Job]) -> tuple[int, ...]:
    """Return the first lane that is free when a job begins, job by job."""
    ends: list[float] = []
    found = dict.fromkeys(range(len(jobs)), 0)
    for number in sorted(found, key=lambda one: jobs[one].start_s):
        job = jobs[number]
        lane = next((place for place, end in enumerate(ends) if end <= job.start_s), len(ends))
        ends[lane : lane + 1] = [job.end_s]
        found[number] = lane
    return tuple(found.values())


def side_by_side(plots: QWidget, side: QWidget, side_px: int = _SIDE_PX) -> QSplitter:
    """Return plots with their form at the right, in a width that the user can change."""
    parts = QSplitter(Qt.Orientation.Horizontal)
    for part in (plots, side):
        parts.addWidget(part)
    side.setMinimumWidth(_SIDE_PX - 20)
    plots.setMinimumWidth(260)
    parts.setSizes([2 * side_px, side_px])
    parts.setStretchFactor(0, 1)
    parts.setStretchFactor(1, 0)
    parts.setHandleWidth(1)
    parts.setChildrenCollapsible(False)
    return parts
