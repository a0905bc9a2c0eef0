"""The near-dedicated class over time: reservations, its running jobs, and those that they displaced."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from fsconsole.console.operate.jobs.near_geometry import Layout, layout_of
from fsconsole.console.operate.jobs.near_painter import NearPainter
from fsconsole.slurm.near_dedicated import DedicatedView


class NearLine(QWidget):
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
    def shown_layout(self) -> Layout | None:
        """Where everything is; None while there is nothing."""
        if self._view is None:
            return None
        return layout_of(self._view, float(self.width()), float(self.height()))

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(800, 160)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Rows, marks, the focus."""
        layout = self.shown_layout
        if layout is None:
            return
        painter = QPainter(self)
        NearPainter(painter, layout, self.width(), self.height()).paint(
            self._selected, is_muted=self._is_muted
        )
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the job of the row."""
        layout = self.shown_layout
        lane = layout.lane_at(event.position().y()) if layout is not None else None
        if event.button() is Qt.MouseButton.LeftButton and lane is not None and lane.job:
            self.job_chosen.emit(lane.job)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and Down select the job above or below."""
        layout = self.shown_layout
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        jobs = [lane.job for lane in layout.lanes if lane.job] if layout is not None else []
        if step is None or not jobs:
            super().keyPressEvent(event)
            return
        at = next((place for place, job in enumerate(jobs) if job in self._selected), None)
        row = (0 if step > 0 else len(jobs) - 1) if at is None else min(max(at + step, 0), len(jobs) - 1)
        self.job_chosen.emit(jobs[row])

    def event(self, event: QEvent) -> bool:
        """The row under the pointer in words."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            layout = self.shown_layout
            lane = layout.lane_at(event.pos().y()) if layout is not None else None
            QToolTip.showText(event.globalPos(), lane.tip if lane is not None else "", self)
            return True
        return super().event(event)
