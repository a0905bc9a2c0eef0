"""How the timeline is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from fsconsole.console.kit.lane_painter import GAP, BarLook, LanesPainter
from fsconsole.console.kit.lanes import Bar
from fsconsole.console.operate.nights.timeline_geometry import Layout, Mark, clear_of
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text_at

_HANDLE = (6.0, 18.0)


class TimelinePainter(LanesPainter[Layout]):
    """Draws a night with its window and the marks of its job."""

    looks: ClassVar[Mapping[str, BarLook]] = {
        "over": BarLook("line2", 0.4, "line2"),
        "done": BarLook("c5", 0.55, "c5"),
        "rest": BarLook("c5", 0.14, "c5", is_dashed=True),
        "plan": BarLook("ok", 0.30, "ok"),
        "too long": BarLook("danger", 0.0, "danger", is_dashed=True),
    }
    arrow = "danger"
    _start = _end = ""

    def paint(self, *, start: str, end: str, mark: Mark, is_armed: bool, is_held: bool, focus: bool) -> None:
        self._start, self._end = start, end
        self._paint_ground()
        self.paint_axis()
        self.paint_lanes()
        self._paint_job_marks()
        self._paint_window()
        if is_armed:
            self._paint_handle(mark, is_held=is_held, focus=focus)
        self.paint_now()

    def _paint_ground(self) -> None:
        layout, axis, painter = self.layout, self.layout.axis, self.painter
        painter.fillRect(QRectF(0, 0, self.width, self.height), colour("surface"))
        start = layout.start_x if layout.start_x is not None else axis.right
        end = layout.end_x if layout.end_x is not None else axis.right
        inside = QColor(colour("accent"))
        inside.setAlphaF(0.07)
        painter.fillRect(
            QRectF(start, self.layout.top, max(end - start, 0), self.bottom - self.layout.top), inside
        )
        hatch = paint.hatch(painter, colour("line2"))
        for left, right in ((axis.left, start), (end, axis.right)):
            if right > left:
                painter.fillRect(
                    QRectF(left, self.layout.top, right - left, self.bottom - self.layout.top), hatch
                )

    def paint_bar_words(self, bar: Bar, box: QRectF, inner: QRectF) -> None:
        """Paint the words of a bar, the first of two lines in semibold; words that have no room are left
        out.
        """
        first, _, second = bar.words.partition("\n")
        if bar.kind == "rest":
            inner.setRight(inner.right() - self._kills_inside())
            inner = self._clear_of_mark(inner, first, semibold=True)
        inner = self.words(inner, first, semibold=bar.kind == "rest")
        if second:
            self.words(self._clear_of_mark(inner, second), second, whole=True)

    def _clear_of_mark(self, room: QRectF, words: str, *, semibold: bool = False) -> QRectF:
        """Return the part of a room in which words are not crossed by the mark of the expected end."""
        needed = _width(words, semibold=semibold)
        left, right = clear_of(room.left(), room.right(), needed, self.layout.expected_x)
        return QRectF(left, room.top(), right - left, room.height())

    def _kills_inside(self) -> float:
        """Return the width of the watchdog's label left of its mark; 0 if it is right of it."""
        kills = self.layout.beside[0]
        needed = _width(kills, semibold=True)
        return 0.0 if not kills or needed <= self.layout.beside_room else needed + GAP

    def _paint_job_marks(self) -> None:
        layout = self.layout
        lane = layout.lanes[0]
        top, bottom = lane.y + 2, lane.y + lane.height - 2
        if layout.expected_x is not None:
            self.rule(layout.expected_x, top, bottom, "c5", 2)
            self._triangle(layout.expected_x, top)
        if layout.watchdog_x is not None:
            self.rule(layout.watchdog_x, top, bottom, "danger", 2)
            kills, estimate = layout.beside
            inside = self._kills_inside()
            if inside:
                room = QRectF(layout.watchdog_x - inside, lane.y, inside, lane.height)
                self.words(room, kills, semibold=True, token="danger")
            else:
                room = QRectF(layout.watchdog_x + GAP, lane.y, layout.beside_room, lane.height)
                left = self.words(room, kills, semibold=True, token="danger", whole=True)
                self.words(left.adjusted(GAP, 0, -12, 0), estimate, token="muted", whole=True)
        if layout.spare is not None and len(layout.lanes) > 1:
            x, words = layout.spare
            second = layout.lanes[1]
            begin, end = clear_of(x + GAP, layout.axis.right, _width(words), layout.end_x)
            room = QRectF(begin, second.y, end - begin, second.height)
            self.words(room, words, token="muted", whole=True)

    def _triangle(self, x: float, y: float) -> None:
        painter = self.painter
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("c5"))
        painter.drawPolygon(QPolygonF([QPointF(x - 5, y - 2), QPointF(x + 5, y - 2), QPointF(x, y + 4)]))
        painter.restore()

    def _paint_window(self) -> None:
        painter, layout = self.painter, self.layout
        painter.setFont(tabular_font("caption", semibold=True))
        painter.setPen(colour("accent"))
        if layout.start_x is not None:
            self.rule(layout.start_x, self.layout.top - 2, self.bottom, "accent", 2)
            draw_text_at(painter, QPointF(layout.start_x + 6, self.layout.top - 9), self._start)
        if layout.end_x is not None:
            self.rule(layout.end_x, self.layout.top - 2, self.bottom, "accent", 2)
            draw_text_at(
                painter,
                QPointF(layout.end_x - 6 - _width(self._end, semibold=True), self.layout.top - 9),
                self._end,
            )
        painter.setFont(tabular_font("caption"))

    def _paint_handle(self, mark: Mark, *, is_held: bool, focus: bool) -> None:
        x = self.layout.end_x if mark == "end" else self.layout.start_x
        if x is None:
            return
        width, height = _HANDLE
        middle = (self.layout.top + self.bottom) / 2
        painter = self.painter
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour("accent"), 2 if focus else 1))
        painter.setBrush(colour("accent" if is_held else "surface"))
        painter.drawRoundedRect(QRectF(x - width / 2 - 1, middle - height / 2, width + 2, height), 3, 3)
        painter.setPen(QPen(colour("surface" if is_held else "accent"), 1))
        for off in (-1.0, 1.0):
            painter.drawLine(QLineF(x + off, middle - 4, x + off, middle + 4))
        painter.restore()

    def tag_left(self, left: float, width: float) -> float:
        """Return the place beside the words of the window's marks."""
        metrics = QFontMetricsF(self.painter.font())
        start, end = self.layout.start_x, self.layout.end_x
        if start is not None:
            words_end = start + 6 + metrics.horizontalAdvance(self._start) + 4
            if start < left + width and left < words_end:
                left = words_end if left + width / 2 >= start else start - width - 2
        if end is not None:
            words_start = end - 6 - metrics.horizontalAdvance(self._end) - 4
            if words_start < left + width and left < end:
                left = words_start - width if left + width / 2 <= end else end + 2
        return left


def _width(words: str, *, semibold: bool = False) -> float:
    return QFontMetricsF(tabular_font("caption", semibold=semibold)).horizontalAdvance(words)
