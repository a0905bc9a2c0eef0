"""How the time line is drawn."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from fsconsole.console.look.fonts import tabular_font
from fsconsole.console.look.theme import colour
from fsconsole.console.operate.nights.time_line_geometry import AXIS, TOP, Bar, Layout, Mark, clear_of

_INSET = 4.0
_SLIM = 25.0  # px below which a lane spares its bars
_GAP = 8.0
_HANDLE = (6.0, 18.0)
_FILLS = {
    "over": ("line2", 0.4),
    "done": ("c5", 0.55),
    "rest": ("c5", 0.14),
    "plan": ("ok", 0.30),
    "too long": ("danger", 0.0),
}
_BORDERS = {"over": "line2", "done": "c5", "rest": "c5", "plan": "ok", "too long": "danger"}
_DASHED = ("rest", "too long")
_Align = Qt.AlignmentFlag


class TimeLinePainter:
    """Draws a layout with a painter; made for one painting."""

    def __init__(self, painter: QPainter, layout: Layout, width: float, height: float) -> None:
        self._painter, self._layout = painter, layout
        self._width, self._height = width, height
        self._bottom = height - AXIS
        self._start = self._end = ""
        painter.setFont(tabular_font("caption"))
        self._metrics = QFontMetricsF(painter.font())

    def paint(
        self, *, now: str, start: str, end: str, mark: Mark, is_armed: bool, is_held: bool, focus: bool
    ) -> None:
        """Everything, from the back to the front; the words are those of the marks."""
        self._paint_ground()
        self._paint_axis()
        self._paint_lanes()
        for bar in self._layout.bars:
            self._paint_bar(bar)
        self._paint_job_marks()
        self._start, self._end = start, end
        self._paint_window(start, end)
        if is_armed:
            self._paint_handle(mark, is_held=is_held, focus=focus)
        self._paint_now(now)

    def _rule(self, x: float, top: float, bottom: float, token: str, width: float = 1.0) -> None:
        self._painter.fillRect(QRectF(round(x - width / 2), top, width, bottom - top), colour(token))

    def _paint_ground(self) -> None:
        layout, painter = self._layout, self._painter
        painter.fillRect(QRectF(0, 0, self._width, self._height), colour("surface"))
        start = layout.start_x if layout.start_x is not None else layout.right
        end = layout.end_x if layout.end_x is not None else layout.right
        inside = QColor(colour("accent"))
        inside.setAlphaF(0.07)
        painter.fillRect(QRectF(start, TOP, max(end - start, 0), self._bottom - TOP), inside)
        hatch = QBrush(colour("line"), Qt.BrushStyle.BDiagPattern)
        for left, right in ((layout.left, start), (end, layout.right)):
            if right > left:
                painter.fillRect(QRectF(left, TOP, right - left, self._bottom - TOP), hatch)

    def _paint_axis(self) -> None:
        layout = self._layout
        self._painter.fillRect(QRectF(0, self._bottom, layout.right, 1), colour("line2"))
        last = -1e9
        for x, words in layout.ticks:
            if layout.left < x < layout.right:
                self._rule(x, TOP, self._bottom, "grid")
            left = x - self._metrics.horizontalAdvance(words) / 2
            if left > last and left >= layout.left - 30:
                self._painter.setPen(colour("muted"))
                self._painter.drawText(QPointF(left, self._height - 6), words)
                last = left + self._metrics.horizontalAdvance(words) + _GAP

    def _paint_lanes(self) -> None:
        painter = self._painter
        for row, lane in enumerate(self._layout.lanes):
            if row:
                painter.fillRect(QRectF(0, lane.y, self._layout.right, 1), colour("line"))
            painter.setFont(tabular_font("caption", semibold=row == 0))
            painter.setPen(colour("text" if row == 0 else "muted"))
            place = QRectF(12, lane.y, self._layout.left - 16, lane.height)
            painter.drawText(place, _Align.AlignVCenter | _Align.AlignLeft, lane.words)
        painter.setFont(tabular_font("caption"))

    def _paint_bar(self, bar: Bar) -> None:
        lane, painter = self._layout.lanes[bar.lane], self._painter
        right = self._layout.right if bar.beyond else bar.x + bar.width
        inset = _INSET if lane.height >= _SLIM else _INSET / 2
        box = QRectF(round(bar.x) + 0.5, lane.y + inset + 0.5, 0, lane.height - 2 * inset - 1)
        box.setRight(max(round(right) - 0.5, box.left()))
        token, part = _FILLS[bar.kind]
        fill = QColor(colour(token))
        fill.setAlphaF(part)
        painter.setBrush(fill)
        style = Qt.PenStyle.CustomDashLine if bar.kind in _DASHED else Qt.PenStyle.SolidLine
        pen = QPen(colour(_BORDERS[bar.kind]), 1, style)
        if bar.kind in _DASHED:
            pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.drawRect(box)
        self._paint_bar_words(bar, box)

    def _paint_bar_words(self, bar: Bar, box: QRectF) -> None:
        """The first line in semibold where there are two; words that have no room are left out."""
        painter = self._painter
        inner = box.adjusted(_GAP, 0, -_GAP - (14 if bar.beyond else 0), 0)
        first, _, second = bar.words.partition("\n")
        if bar.kind == "rest":
            inner.setRight(inner.right() - self._kills_inside())
            inner = self._clear_of_mark(inner, first, semibold=True)
        inner = self._words(inner, first, semibold=bar.kind == "rest")
        if second:
            self._words(self._clear_of_mark(inner, second), second, whole=True)
        if bar.beyond:
            painter.setPen(colour("danger"))
            painter.drawText(box.adjusted(0, 0, -6, 0), _Align.AlignVCenter | _Align.AlignRight, "→")

    def _clear_of_mark(self, room: QRectF, words: str, *, semibold: bool = False) -> QRectF:
        """The part of a room in which words are not crossed by the mark of the expected end."""
        needed = _width(words, semibold=semibold)
        left, right = clear_of(room.left(), room.right(), needed, self._layout.expected_x)
        return QRectF(left, room.top(), right - left, room.height())

    def _kills_inside(self) -> float:
        """Width that the words of the watchdog take left of its mark; 0 where they stand right of it."""
        kills = self._layout.beside[0]
        needed = _width(kills, semibold=True)
        return 0.0 if not kills or needed <= self._layout.beside_room else needed + _GAP

    def _words(
        self, room: QRectF, words: str, *, semibold: bool = False, whole: bool = False, token: str = "text"
    ) -> QRectF:
        """Write at the left of room; the room that is left."""
        painter = self._painter
        painter.setFont(tabular_font("caption", semibold=semibold))
        metrics = QFontMetricsF(painter.font())
        needed = metrics.horizontalAdvance(words)
        if whole and needed > room.width():
            return room
        said = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(room.width(), 0))
        if len(said) > 2 or said == words:
            painter.setPen(colour(token))
            painter.drawText(room, _Align.AlignVCenter | _Align.AlignLeft, said)
        painter.setFont(tabular_font("caption"))
        return room.adjusted(needed + _GAP, 0, 0, 0)

    def _paint_job_marks(self) -> None:
        layout = self._layout
        lane = layout.lanes[0]
        top, bottom = lane.y + 2, lane.y + lane.height - 2
        if layout.expected_x is not None:
            self._rule(layout.expected_x, top, bottom, "c5", 2)
            self._triangle(layout.expected_x, top)
        if layout.watchdog_x is not None:
            self._rule(layout.watchdog_x, top, bottom, "danger", 2)
            kills, estimate = layout.beside
            inside = self._kills_inside()
            if inside:
                room = QRectF(layout.watchdog_x - inside, lane.y, inside, lane.height)
                self._words(room, kills, semibold=True, token="danger")
            else:
                room = QRectF(layout.watchdog_x + _GAP, lane.y, layout.beside_room, lane.height)
                left = self._words(room, kills, semibold=True, token="danger", whole=True)
                self._words(left.adjusted(_GAP, 0, -12, 0), estimate, token="muted", whole=True)
        if layout.spare is not None and len(layout.lanes) > 1:
            x, words = layout.spare
            second = layout.lanes[1]
            room = QRectF(x + _GAP, second.y, layout.right - x - _GAP, second.height)
            self._words(room, words, token="muted", whole=True)

    def _triangle(self, x: float, y: float) -> None:
        painter = self._painter
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("c5"))
        painter.drawPolygon(QPolygonF([QPointF(x - 5, y - 2), QPointF(x + 5, y - 2), QPointF(x, y + 4)]))
        painter.restore()

    def _paint_window(self, start: str, end: str) -> None:
        painter, layout = self._painter, self._layout
        painter.setFont(tabular_font("caption", semibold=True))
        painter.setPen(colour("accent"))
        if layout.start_x is not None:
            self._rule(layout.start_x, TOP - 2, self._bottom, "accent", 2)
            painter.drawText(QPointF(layout.start_x + 6, TOP - 9), start)
        if layout.end_x is not None:
            self._rule(layout.end_x, TOP - 2, self._bottom, "accent", 2)
            width = QFontMetricsF(painter.font()).horizontalAdvance(end)
            painter.drawText(QPointF(layout.end_x - 6 - width, TOP - 9), end)
        painter.setFont(tabular_font("caption"))

    def _paint_handle(self, mark: Mark, *, is_held: bool, focus: bool) -> None:
        x = self._layout.end_x if mark == "end" else self._layout.start_x
        if x is None:
            return
        width, height = _HANDLE
        middle = (TOP + self._bottom) / 2
        painter = self._painter
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour("accent"), 2 if focus else 1))
        painter.setBrush(colour("accent" if is_held else "surface"))
        painter.drawRoundedRect(QRectF(x - width / 2 - 1, middle - height / 2, width + 2, height), 3, 3)
        painter.setPen(QPen(colour("surface" if is_held else "accent"), 1))
        for off in (-1.0, 1.0):
            painter.drawLine(QLineF(x + off, middle - 4, x + off, middle + 4))
        painter.restore()

    def _beside_marks(self, left: float, width: float) -> float:
        """Where the tag of the present stands without covering the words of the window's marks."""
        metrics = QFontMetricsF(self._painter.font())
        start, end = self._layout.start_x, self._layout.end_x
        if start is not None:
            words_end = start + 6 + metrics.horizontalAdvance(self._start) + 4
            if start < left + width and left < words_end:
                left = words_end if left + width / 2 >= start else start - width - 2
        if end is not None:
            words_start = end - 6 - metrics.horizontalAdvance(self._end) - 4
            if words_start < left + width and left < end:
                left = words_start - width if left + width / 2 <= end else end + 2
        return left

    def _paint_now(self, words: str) -> None:
        x = self._layout.now_x
        if x is None:
            return
        painter = self._painter
        self._rule(x, TOP - 4, self._bottom, "text", 2)
        painter.setFont(tabular_font("caption", semibold=True))
        width = QFontMetricsF(painter.font()).horizontalAdvance(words) + 16
        left = self._beside_marks(min(max(x - width / 2, 2), self._width - width - 2), width)
        tag = QRectF(left, 3, width, TOP - 7)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("text"))
        painter.drawRoundedRect(tag, 3, 3)
        painter.restore()
        painter.setPen(colour("surface"))
        painter.drawText(tag, _Align.AlignCenter, words)


def _width(words: str, *, semibold: bool = False) -> float:
    return QFontMetricsF(tabular_font("caption", semibold=semibold)).horizontalAdvance(words)
