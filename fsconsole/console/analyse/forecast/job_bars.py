"""Planned jobs as boxes below a plot, at its times."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.app.forecast.entry import plain
from fsconsole.app.forecast.jobs import Job
from fsconsole.console.kit.lane_painter import BarLook, paint_box
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour, theme

_BAR_PX, _GAP_PX, _LEAST_PX = 16, 2, 6
_MOST_LANES = 3
_LOOK = BarLook("c2", 0.2, "c2")


class JobBars(QWidget):
    """Boxes with the cores of each job; jobs at the same time lie one below the other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs: tuple[Job, ...] = ()
        self._lanes: tuple[int, ...] = ()
        self._until_s = 1.0
        self._edges = (0.0, 0.0)
        self.setFont(tabular_font("caption"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)

    def show_jobs(self, jobs: Sequence[Job], until_s: float) -> None:
        """Show jobs from now until a time."""
        self._jobs = tuple(job for job in jobs if job.start_s < until_s)
        self._lanes, self._until_s = _lanes_of(self._jobs), until_s
        said = (f"{plain(job.cores)} cores from {plain(job.start_s)} to {plain(job.end_s)} s" for job in jobs)
        self.setAccessibleName("Planned jobs: " + (", ".join(said) or "none"))
        self.setVisible(bool(self._jobs))
        self.updateGeometry()
        self.update()

    def set_edges(self, left_px: float, right_px: float) -> None:
        """How far the plot's edges are from those of the widget."""
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
        return max(_LEAST_PX, _BAR_PX * min(_MOST_LANES, self._lane_count) // self._lane_count)

    def box(self, number: int) -> QRectF:
        """Where a job is drawn."""
        job, lane = self._jobs[number], self._lanes[number]
        left, right = self._edges
        width = self.width() - left - right
        start, end = (left + width * min(time / self._until_s, 1.0) for time in (job.start_s, job.end_s))
        top = _GAP_PX + lane * (self._bar_px + _GAP_PX)
        return QRectF(start + 0.5, top + 0.5, max(end - start - 1, 1.0), self._bar_px - 1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        metrics = QFontMetricsF(self.font())
        for number, job in enumerate(self._jobs):
            box = self.box(number)
            paint_box(painter, box, _LOOK)
            words = next(
                (one for one in (f"{plain(job.cores)} cores", plain(job.cores))
                 if metrics.horizontalAdvance(one) + 4 <= box.width() and metrics.capHeight() < box.height()),
                "",
            )  # fmt: skip
            painter.setPen(colour("text"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        painter.end()


def _lanes_of(jobs: Sequence[Job]) -> tuple[int, ...]:
    """The first lane that is free when a job begins, job by job."""
    ends: list[float] = []
    found = dict.fromkeys(range(len(jobs)), 0)
    for number in sorted(found, key=lambda one: jobs[one].start_s):
        job = jobs[number]
        lane = next((place for place, end in enumerate(ends) if end <= job.start_s), len(ends))
        ends[lane : lane + 1] = [job.end_s]
        found[number] = lane
    return tuple(found.values())
