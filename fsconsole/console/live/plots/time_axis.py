"""The time axis below the plots."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from fsconsole.console.live.plots.plot_canvas import RIGHT, left_px
from fsconsole.console.live.plots.value_column import column_px
from fsconsole.console.live.time_range import TimeRange, time_grid
from fsconsole.console.style import paint
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import keep_height
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.buttons import flat_button
from fsconsole.figures.painted_text import draw_text

_AXIS_PX = 24
_TAG_PADDING = 8
_WHEEL_STEP = 0.85
_STRETCH_PX = 200  # Length of a drag with Shift that multiplies the range by e.
_CENTRE = Qt.AlignmentFlag.AlignCenter
_AT_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_AT_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class TimeAxis(QWidget):
    """Times of the vertical grid lines, and over them the cursor's; wheel and drags change the range."""

    def __init__(self, span: TimeRange, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._range = span
        keep_height(self, _AXIS_PX)
        self._span = (0.0, 1.0)
        self._cursor_s: float | None = None
        # Time under the pointer, and its last position in pixels.
        self._pressed: tuple[float, float] | None = None
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setToolTip("Wheel zooms time, drag moves it, Shift+drag stretches it, double click resets it")
        self.release = flat_button(
            "Reset time", "Show the previous range again (double-click the axis)", span.release, self
        )
        self.release.setObjectName("reset_time")
        set_look(self.release, "boxed")
        self.release.setCursor(Qt.CursorShape.ArrowCursor)
        self.release.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        span.changed.connect(self._show_mode)
        self._show_mode()

    @Slot()
    def _show_mode(self) -> None:
        """Show whether the user has chosen the range, and the way back."""
        self.release.setVisible(self._range.mode == "fixed")
        self._place_release()
        self.update()

    def _place_release(self) -> None:
        self.release.adjustSize()
        keep_height(self.release, _AXIS_PX - 4)
        self.release.move(self.width() - column_px(), 1)

    @property
    def mode_words(self) -> str:
        """How the range comes about, where no person has chosen it."""
        if self._range.mode == "fixed":
            return ""
        return "follows the present" if self._range.mode == "follow" else "the whole run"

    @property
    def _width(self) -> float:
        return max(1.0, self.width() - left_px() - RIGHT - column_px())

    def _time_at(self, x: float) -> float:
        start, end = self._range.start_s, self._range.end_s
        return start + (x - left_px()) / self._width * (end - start)

    @property
    def tag(self) -> str:
        """The words at the cursor; empty where it is not pinned."""
        return "" if self._cursor_s is None else self._range.exact(self._cursor_s)

    def show_span(self, span: tuple[float, float], cursor_s: float | None) -> None:
        """Show another range or cursor."""
        if (span, cursor_s) != (self._span, self._cursor_s):
            self._span, self._cursor_s = span, cursor_s
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setFont(tabular_font("caption"))
            metrics = QFontMetricsF(painter.font())
            start, end = self._span
            width = self._width
            painter.setPen(colour("muted"))
            draw_text(painter, QRectF(0, 2, left_px() - 6, self.height() - 6), _AT_RIGHT, self._range.unit)
            # The last label may extend into the column of values.
            left = self.width() - column_px() + _TAG_PADDING
            draw_text(painter, QRectF(left, 2, column_px(), self.height() - 6), _AT_LEFT, self.mode_words)
            tag = self._tag_box(metrics)
            for time_s in time_grid(self._span, width, self._range.offset_s):
                x = left_px() + (time_s - start) / (end - start) * width
                words = self._range.words(time_s)
                half = metrics.horizontalAdvance(words) / 2
                is_clear = tag.isNull() or x + half < tag.left() - 2 or x - half > tag.right() + 2
                if is_clear and x - half > left_px() / 2 + half and x + half < self.width() - column_px():
                    draw_text(painter, QRectF(x - half, 2, 2 * half + 1, self.height() - 6), _CENTRE, words)
            if not tag.isNull():
                paint.box(painter, tag.toRect(), "text", radius=2)
                painter.setPen(colour("surface"))
                draw_text(painter, tag, _CENTRE, self.tag)

    def _tag_box(self, metrics: QFontMetricsF) -> QRectF:
        """Return the place of the cursor's label; null if the cursor is not visible."""
        start, end = self._span
        if self._cursor_s is None or not start <= self._cursor_s <= end:
            return QRectF()
        x = left_px() + (self._cursor_s - start) / (end - start) * self._width
        wide = metrics.horizontalAdvance(self.tag) + 2 * _TAG_PADDING
        return QRectF(min(max(x - wide / 2, 0), self.width() - wide), 1, wide, self.height() - 6)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_release()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() or event.angleDelta().x()
        self._range.zoom(self._time_at(event.position().x()), _WHEEL_STEP ** (turned / 120))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            x = event.position().x()
            self._pressed = (self._time_at(x), x)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            return
        time_s, last = self._pressed
        x, span = event.position().x(), self._range
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            span.zoom(time_s, math.exp((last - x) / _STRETCH_PX))
        else:
            by = self._time_at(last) - self._time_at(x)
            span.fix(span.start_s + by, span.end_s + by)
        self._pressed = (time_s, x)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._pressed = None

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self._pressed = None
        self._range.release()
