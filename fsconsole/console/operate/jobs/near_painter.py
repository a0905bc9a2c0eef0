"""How the time line of the near-dedicated class is drawn."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen

from fsconsole.console.look.fonts import tabular_font
from fsconsole.console.look.theme import colour
from fsconsole.console.operate.jobs.near_geometry import AXIS, TOP, Bar, Lane, Layout

NOTHING = "No job of the near-dedicated class runs, and no other has made way."
_INSET = 3.0
_GAP = 8.0
_FILLS = {
    "reserved": ("accent", 0.14),
    "done": ("c5", 0.55),
    "rest": ("c5", 0.14),
    "displaced": ("warn", 0.16),
}
_BORDERS = {"reserved": "accent", "done": "c5", "rest": "c5", "displaced": "warn"}
_Align = Qt.AlignmentFlag


class NearPainter:
    """Draws a layout with a painter; made for one painting."""

    def __init__(self, painter: QPainter, layout: Layout, width: float, height: float) -> None:
        self._painter, self._layout = painter, layout
        self._width, self._bottom = width, height - AXIS
        painter.setFont(tabular_font("caption"))
        self._metrics = QFontMetricsF(painter.font())

    def paint(self, selected: frozenset[int], *, is_muted: bool) -> None:
        """Everything, from the back to the front."""
        self._painter.fillRect(QRectF(0, 0, self._width, self._bottom + AXIS), colour("surface"))
        self._paint_axis()
        if is_muted:
            self._painter.setOpacity(0.5)
        for row, lane in enumerate(self._layout.lanes):
            self._paint_lane(lane, is_first=row == 0, is_selected=lane.job in selected)
        if not self._layout.lanes:
            self._paint_nothing()
        self._paint_more()
        self._painter.setOpacity(1.0)
        self._paint_now()

    def _paint_nothing(self) -> None:
        """That the class rests, left of the present where no bar would be."""
        self._painter.setPen(colour("muted"))
        self._painter.drawText(QPointF(12, TOP + self._metrics.ascent() + 8), NOTHING)

    def _paint_axis(self) -> None:
        painter, layout = self._painter, self._layout
        painter.fillRect(QRectF(0, self._bottom, layout.right, 1), colour("line2"))
        for x, words in layout.ticks:
            if layout.left < x < layout.right:
                painter.fillRect(QRectF(round(x), TOP, 1, self._bottom - TOP), colour("grid"))
            painter.setPen(colour("muted"))
            left = x - self._metrics.horizontalAdvance(words) / 2
            if layout.left - 20 <= left <= layout.right - 20:
                painter.drawText(QPointF(left, self._bottom + AXIS - 5), words)

    def _paint_lane(self, lane: Lane, *, is_first: bool, is_selected: bool) -> None:
        painter = self._painter
        if is_selected:
            painter.fillRect(QRectF(0, lane.y, self._layout.right, lane.height), colour("sel"))
        if not is_first:
            painter.fillRect(QRectF(0, lane.y, self._layout.right, 1), colour("line"))
        room = QRectF(12, lane.y, self._layout.left - 20, lane.height)
        painter.setFont(tabular_font("caption", semibold=True))
        metrics = QFontMetricsF(painter.font())
        said = metrics.elidedText(lane.words, Qt.TextElideMode.ElideRight, room.width())
        painter.setPen(colour("text"))
        painter.drawText(room, _Align.AlignVCenter | _Align.AlignLeft, said)
        painter.setFont(tabular_font("caption"))
        beside = room.adjusted(metrics.horizontalAdvance(said) + _GAP, 0, 0, 0)
        self._words(beside, lane.rest, "muted")
        for bar in lane.bars:
            self._paint_bar(bar, lane)

    def _paint_bar(self, bar: Bar, lane: Lane) -> None:
        if bar.width <= 0 and not bar.words:
            return
        painter = self._painter
        box = QRectF(round(bar.x) + 0.5, lane.y + _INSET + 0.5, 0, lane.height - 2 * _INSET - 1)
        box.setRight(max(round(bar.x + bar.width) - 0.5, box.left() + 1))
        token, part = _FILLS[bar.style]
        fill = QColor(colour(token))
        fill.setAlphaF(part)
        painter.setBrush(fill)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRect(box)
        if bar.style == "displaced":
            painter.fillRect(box, QBrush(fill, Qt.BrushStyle.BDiagPattern))
        pen = QPen(colour(_BORDERS[bar.style]), 1)
        if bar.style == "rest":
            pen.setStyle(Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box)
        self._paint_bar_words(bar, box)

    def _paint_bar_words(self, bar: Bar, box: QRectF) -> None:
        """Inside where there is room, else right of it."""
        painter = self._painter
        if bar.beyond:
            painter.setPen(colour("text"))
            painter.drawText(box.adjusted(0, 0, -6, 0), _Align.AlignVCenter | _Align.AlignRight, "→")
        needed = self._metrics.horizontalAdvance(bar.words) + 2 * _GAP
        inner = box.adjusted(_GAP, 0, -_GAP - (14 if bar.beyond else 0), 0)
        now_x = self._layout.now_x
        if inner.left() < now_x < inner.right() - needed:
            inner.setLeft(now_x + _GAP)  # words are not crossed by the mark of the present
        right = QRectF(box.right() + _GAP, box.top(), self._layout.right - box.right() - _GAP, box.height())
        is_outside = needed > box.width() and right.width() > inner.width()
        self._words(right if is_outside else inner, bar.words, "text")

    def _words(self, room: QRectF, words: str, token: str) -> None:
        said = self._metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(room.width(), 0))
        if len(said) > 2 or said == words:
            self._painter.setPen(colour(token))
            self._painter.drawText(room, _Align.AlignVCenter | _Align.AlignLeft, said)

    def _paint_more(self) -> None:
        layout = self._layout
        if layout.more and layout.lanes:
            last = layout.lanes[-1]
            room = QRectF(12, last.y + last.height, layout.right - 12, last.height)
            self._words(room, f"and {layout.more} more", "muted")

    def _paint_now(self) -> None:
        painter, x = self._painter, self._layout.now_x
        painter.fillRect(QRectF(round(x) - 1, TOP - 4, 2, self._bottom - TOP + 4), colour("text"))
        painter.setFont(tabular_font("caption", semibold=True))
        width = QFontMetricsF(painter.font()).horizontalAdvance(self._layout.now) + 16
        tag = QRectF(min(max(x - width / 2, 2), self._width - width - 2), 2, width, TOP - 7)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("text"))
        painter.drawRoundedRect(tag, 3, 3)
        painter.restore()
        painter.setPen(colour("surface"))
        painter.drawText(tag, _Align.AlignCenter, self._layout.now)
