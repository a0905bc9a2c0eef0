"""The near-dedicated class over time: reservations, its running jobs, and those that they displaced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from fsconsole.console.kit.lane_painter import GAP, BarLook, LanesPainter, LanesView
from fsconsole.console.kit.lanes import LABEL_LEFT, TOP, LanesLayout
from fsconsole.console.operate.jobs.near_dedicated_geometry import layout_of
from fsconsole.console.style.theme import colour
from fsconsole.slurm.near_dedicated import DedicatedView

NOTHING = "No job of the near-dedicated class runs, and no other has made way."


class NearLine(LanesView):
    """A click selects a row's job; Up and Down walk from job to job. Signals: job_chosen(number)."""

    job_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: DedicatedView | None = None
        self._selected: frozenset[int] = frozenset()
        self._is_muted = False
        self.setAccessibleName("Near-dedicated class over time")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumHeight(82)

    def show_view(self, view: DedicatedView | None, *, is_muted: bool) -> None:
        """Show the class as it stands."""
        self._view, self._is_muted = view, is_muted
        self.setEnabled(view is not None)
        self.setAccessibleDescription(view.sentence if view is not None else "")
        self.update()

    def select(self, jobs: frozenset[int]) -> None:
        """Mark the rows of some jobs."""
        if jobs != self._selected:
            self._selected = jobs
            self.update()

    @property
    def shown_layout(self) -> LanesLayout | None:
        """Where everything is; None while there is nothing."""
        if self._view is None:
            return None
        return layout_of(self._view, float(self.width()), float(self.height()))

    def sizeHint(self) -> QSize:
        return QSize(800, 160)

    def paintEvent(self, _event: QPaintEvent) -> None:
        layout = self.shown_layout
        if layout is None:
            return
        painter = QPainter(self)
        drawn = _NearPainter(painter, layout, self.width(), self.height())
        drawn.paint(self._selected, is_muted=self._is_muted)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        layout = self.shown_layout
        lane = layout.lane_at(event.position().y()) if layout is not None else None
        if event.button() is Qt.MouseButton.LeftButton and lane is not None and lane.item:
            self.job_chosen.emit(lane.item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        layout = self.shown_layout
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        jobs = [lane.item for lane in layout.lanes if lane.item] if layout is not None else []
        if step is None or not jobs:
            super().keyPressEvent(event)
            return
        at = next((place for place, job in enumerate(jobs) if job in self._selected), None)
        row = (0 if step > 0 else len(jobs) - 1) if at is None else min(max(at + step, 0), len(jobs) - 1)
        self.job_chosen.emit(jobs[row])


class _NearPainter(LanesPainter[LanesLayout]):
    looks: ClassVar[Mapping[str, BarLook]] = {
        "reserved": BarLook("accent", 0.14, "accent"),
        "done": BarLook("c5", 0.55, "c5"),
        "rest": BarLook("c5", 0.14, "c5", is_dashed=True),
        "displaced": BarLook("warn", 0.16, "warn", is_hatched=True),
    }

    def paint(self, selected: frozenset[int], *, is_muted: bool) -> None:
        painter = self.painter
        painter.fillRect(QRectF(0, 0, self.width, self.height), colour("surface"))
        self.paint_axis()
        painter.setOpacity(0.5 if is_muted else 1.0)
        self.paint_lanes(selected)
        if not self.layout.lanes:  # left of the present, where no bar would be
            painter.setPen(colour("muted"))
            painter.drawText(QPointF(LABEL_LEFT, TOP + self.metrics.ascent() + GAP), NOTHING)
        painter.setOpacity(1.0)
        self.paint_now()
