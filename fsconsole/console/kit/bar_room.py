"""Room for bars above a page; it does not move the page while the pointer is in use there."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer, Signal, Slot
from PySide6.QtGui import QCursor, QMoveEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

_LOOK_MS = 1000
_RESTS_S = 5  # A pointer that has not moved for this long is not about to click.


class BarRoom(QWidget):
    """Shows bars one below the other; they come and go by themselves.

    A bar that comes while the pointer is on the page lies over the top of the page, and one that goes leaves
    its room empty, until the pointer has left the page or lies still: what it aims at stays where it is.

    Signals: settled() after the page got another height.
    """

    settled = Signal()

    def __init__(self, page: QWidget, bars: Iterable[QWidget], parent: QWidget) -> None:
        """Put the bars above `page`, in a layout of `parent`."""
        super().__init__(parent)
        self._page = page
        self._pointer, self._rests_s = QPoint(), 0
        self.column = QWidget(parent)
        layout = QVBoxLayout(self.column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for bar in bars:
            layout.addWidget(bar)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(0)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._on_timeout)
        for watched in (self.column, page):
            watched.installEventFilter(self)
        self._settle()

    @property
    def is_settled(self) -> bool:
        """Whether the bars have just the room that they need."""
        return self.height() == self._wanted_px

    @property
    def _wanted_px(self) -> int:
        return max(self.column.sizeHint().height(), 0)

    @property
    def _is_aimed_at(self) -> bool:
        return self._page.underMouse() and not self.column.underMouse()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self.column and kind is QEvent.Type.LayoutRequest:
            self._on_bars_changed()
        elif (watched is self._page and kind is QEvent.Type.Leave) or (
            watched is self.column and kind is QEvent.Type.Enter
        ):
            self._settle()
        return super().eventFilter(watched, event)

    def _on_bars_changed(self) -> None:
        self._place()
        if not self._is_aimed_at:
            self._settle()
        elif not self._timer.isActive():
            self._rests_s = 0
            self._timer.start()

    @Slot()
    def _on_timeout(self) -> None:
        at = QCursor.pos()
        self._rests_s = self._rests_s + 1 if at == self._pointer else 0
        self._pointer = at
        if self._rests_s >= _RESTS_S or not self._is_aimed_at:
            self._settle()

    def _settle(self) -> None:
        self._timer.stop()
        if not self.is_settled:
            self.setFixedHeight(self._wanted_px)
            self.settled.emit()
        self._place()

    def _place(self) -> None:
        self.column.setGeometry(self.x(), self.y(), self.width(), self._wanted_px)
        self.column.raise_()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()
