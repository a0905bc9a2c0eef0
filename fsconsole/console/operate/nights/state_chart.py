"""The controller's states as a chart, the present one filled."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from fsconsole.console.operate.nights.chart_geometry import Box, Edge, boxes_of, edges_of
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour

_MARGIN = 14
_FOOT = 26
_MOST_HEIGHT = 190.0
_Align = Qt.AlignmentFlag


class StateChart(QWidget):
    """Idle, Scanning, Preempting, Running, Draining."""

    def __init__(self, controller: NightController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # to be read aloud, and reached by F6
        controller.changed.connect(self._follow)

    @property
    def sentence(self) -> str:
        """How the present state ends."""
        return self._controller.night.leaves_by if self._controller.night is not None else ""

    @Slot()
    def _follow(self) -> None:
        night = self._controller.night
        if night is not None:
            words = night.phase_text.get(night.phase, "")
            self.setAccessibleName(f"Control state {night.phase.value}, {words}. {self.sentence}")
            self.update()

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(410, 190)

    def minimumSizeHint(self) -> QSize:
        return QSize(340, 150)

    def paintEvent(self, _event: QPaintEvent) -> None:
        night = self._controller.night
        if night is None:
            return
        painter = QPainter(self)
        height = min(self.height() - 2 * _MARGIN - _FOOT, _MOST_HEIGHT)
        boxes = boxes_of(night, self.width() - 2 * _MARGIN, height)
        painter.translate(_MARGIN, _MARGIN)
        for edge in sorted(edges_of(night, boxes), key=lambda one: one.is_taken):
            _paint_edge(painter, edge)
        for box in boxes:
            _paint_box(painter, box)
        painter.resetTransform()
        painter.setFont(tabular_font("caption"))
        painter.setPen(colour("muted"))
        top = min(self.height() - _FOOT, _MARGIN + max(height, 110) + 6)
        room = QRectF(_MARGIN, top, self.width() - 2 * _MARGIN, _FOOT - 4)
        said = QFontMetricsF(painter.font()).elidedText(
            self.sentence, Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, _Align.AlignLeft | _Align.AlignVCenter, said)
        if self.hasFocus():
            paint.frame(painter, self.rect(), "accent")
        painter.end()


def _paint_box(painter: QPainter, box: Box) -> None:
    rect = QRect(round(box.x), round(box.y), round(box.width), round(box.height))
    ground, border = ("accent", "accent") if box.is_current else ("raised", "line2")
    paint.box(painter, rect, ground, border)
    painter.setPen(colour("onaccent" if box.is_current else "text"))
    painter.setFont(tabular_font(semibold=True))
    name = QRectF(rect.x(), rect.y() + 4, rect.width(), 18)
    painter.drawText(name, _Align.AlignCenter, box.phase.value)
    painter.setFont(tabular_font("caption"))
    painter.setPen(colour("onaccent" if box.is_current else "muted"))
    said = QFontMetricsF(painter.font()).elidedText(box.words, Qt.TextElideMode.ElideRight, rect.width() - 8)
    painter.drawText(name.translated(0, 18), _Align.AlignCenter, said)


def _paint_edge(painter: QPainter, edge: Edge) -> None:
    ink = colour("accent" if edge.is_taken else "line2")
    points = [QPointF(*point) for point in edge.points]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(ink, 1.4))
    painter.drawPolyline(points)
    _paint_head(painter, points[-2], points[-1])
    if edge.words:
        painter.setFont(tabular_font("caption"))
        painter.setPen(colour("muted"))
        x, y = edge.words_at
        room = QRectF(x - 110, y - 20, 110, 40)
        painter.drawText(room, _Align.AlignRight | _Align.AlignVCenter, edge.words)


def _paint_head(painter: QPainter, before: QPointF, at: QPointF) -> None:
    angle = math.atan2(at.y() - before.y(), at.x() - before.x())
    sides = [at - QPointF(7 * math.cos(angle + turn), 7 * math.sin(angle + turn)) for turn in (-0.45, 0.45)]
    painter.setBrush(painter.pen().color())
    painter.drawPolygon(QPolygonF([at, *sides]))
