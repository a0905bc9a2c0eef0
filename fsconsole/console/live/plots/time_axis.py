"""The time axis under the plots, with the tag of the cursor."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from fsconsole.console.live.plots.plot import LEFT, RIGHT
from fsconsole.console.live.plots.plot_annotations import time_grid
from fsconsole.console.live.plots.value_column import WIDTH
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour

HEIGHT = 24
_TAG_PADDING = 8


class TimeAxis(QWidget):
    """Times of the vertical grid lines, and over them the cursor's.

    Attributes:
        beside_px: width of the values right of the plots.
    """

    def __init__(self, span: TimeRange, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.beside_px = WIDTH
        self._range = span
        self.setFixedHeight(HEIGHT)
        self._span = (0.0, 1.0)
        self._cursor_s: float | None = None

    @property
    def tag(self) -> str:
        """The words at the cursor; empty where it is not pinned."""
        return "" if self._cursor_s is None else self._range.exact(self._cursor_s)

    def words_at(self, time_s: float) -> str:
        """What stands at a grid line."""
        return self._range.words(time_s)

    def show_span(self, span: tuple[float, float], cursor_s: float | None) -> None:
        """Show another range or cursor."""
        if (span, cursor_s) != (self._span, self._cursor_s):
            self._span, self._cursor_s = span, cursor_s
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(tabular_font("caption"))
        metrics = QFontMetricsF(painter.font())
        start, end = self._span
        width = self.width() - LEFT - RIGHT - self.beside_px
        painter.setPen(colour("muted"))
        for time_s in time_grid(self._span, width):
            x = LEFT + (time_s - start) / (end - start) * width
            words = self.words_at(time_s)
            half = metrics.horizontalAdvance(words) / 2
            if x - half > 0:
                painter.drawText(QRectF(x - half, 2, 2 * half + 1, HEIGHT - 6), _CENTRE, words)
        if self._cursor_s is not None and start <= self._cursor_s <= end:
            x = LEFT + (self._cursor_s - start) / (end - start) * width
            self._paint_tag(painter, x, metrics.horizontalAdvance(self.tag))
        painter.end()

    def _paint_tag(self, painter: QPainter, x: float, words: float) -> None:
        wide = words + 2 * _TAG_PADDING
        left = min(max(x - wide / 2, 0), self.width() - wide)
        body = QRectF(left, 1, wide, HEIGHT - 6)
        paint.box(painter, body.toRect(), "text", radius=2)
        painter.setPen(colour("surface"))
        painter.drawText(body, _CENTRE, self.tag)


_CENTRE = Qt.AlignmentFlag.AlignCenter
