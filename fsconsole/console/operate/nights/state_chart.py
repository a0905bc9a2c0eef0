"""The controller's states as a chart, the present one filled."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import grown_px, scaled, tall
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text
from fsconsole.neardedicated.view import NightView, Phase

_MARGIN = 14
_FOOT = 26
_MOST_HEIGHT = 190.0
_Align = Qt.AlignmentFlag
_BOX = (112.0, 44.0)  # Valid for the text size of the specification.
_NAME = 18.0  # Height of a line in a box.
_LEAST_GAP = 24.0
_WINDOW_OVER_PX = 84.0
_PLACES = {
    Phase.IDLE: (0, 0),
    Phase.SCANNING: (1, 0),
    Phase.PREEMPTING: (2, 0),
    Phase.CHECKPOINTING: (2, 0),
    Phase.RUNNING: (2, 1),
    Phase.DRAINING: (1, 1),
}
# Phases of a job, in order.
_WAY = (Phase.SCANNING, Phase.PREEMPTING, Phase.RUNNING, Phase.DRAINING)


@dataclass(frozen=True, slots=True)
class Box:
    """A state: its place, its line of words, whether it is the present one."""

    phase: Phase
    x: float
    y: float
    width: float
    height: float
    words: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Edge:
    """A way from state to state with its words; `points` in px, words at the last two numbers."""

    points: tuple[tuple[float, float], ...]
    words: str
    words_at: tuple[float, float]
    is_taken: bool


def boxes_of(night: NightView, width: float, height: float) -> tuple[Box, ...]:
    """Return the five states; Checkpointing replaces Preempting in a dedicated night."""
    hidden = Phase.CHECKPOINTING if not _is_dedicated(night) else Phase.PREEMPTING
    box_w = min(scaled(round(_BOX[0])), (width - 2 * _LEAST_GAP) / 3)
    box_h = _BOX[1] + 2 * grown_px()
    step_x, step_y = (width - box_w) / 2, max(height - box_h, box_h + 20)
    return tuple(
        Box(
            phase, column * step_x, row * step_y, box_w, box_h,
            night.phase_text.get(phase, ""), phase is night.phase,
        )
        for phase, (column, row) in _PLACES.items()
        if phase is not hidden
    )  # fmt: skip


def edges_of(night: NightView, boxes: tuple[Box, ...]) -> tuple[Edge, ...]:
    """Return all paths between the boxes."""
    at = {box.phase: box for box in boxes}
    big = at.get(Phase.PREEMPTING) or at[Phase.CHECKPOINTING]
    idle, scan, run, drain = (at[one] for one in (Phase.IDLE, Phase.SCANNING, Phase.RUNNING, Phase.DRAINING))
    ready = "job in memory,\nSDS granted" if big.phase is Phase.PREEMPTING else "all others\nwritten out"
    taken = taken_edges(night, big.phase)
    below = drain.y + drain.height / 2
    elbow = (
        (drain.x, below),
        (idle.x + idle.width / 2, below),
        (idle.x + idle.width / 2, idle.y + idle.height),
    )
    is_tight = drain.x - elbow[1][0] < scaled(round(_WINDOW_OVER_PX))
    over, lift = ("window\nover", 20.0) if is_tight else ("window over", 8.0)
    lift += grown_px()
    return (
        _edge(taken, idle, scan, _across(idle, scan)),
        _edge(taken, scan, big, _across(scan, big)),
        _edge(taken, big, run, _down(big, run), ready),
        _edge(taken, run, drain, tuple(reversed(_across(drain, run)))),
        _edge(taken, drain, scan, tuple(reversed(_down(scan, drain))), "window open,\nscan again"),
        Edge(elbow, over, (drain.x - 6, below - lift), (Phase.DRAINING, Phase.IDLE) in taken),
    )


def taken_edges(night: NightView, prepares: Phase) -> set[tuple[Phase, Phase]]:
    """Return the ways that this job has come, and the last one."""
    way = [prepares if phase is Phase.PREEMPTING else phase for phase in _WAY]
    taken = {night.edge} if night.edge is not None else set()
    if night.phase in way[1:]:
        end = way.index(night.phase)
        taken |= {(way[at], way[at + 1]) for at in range(end)}
    return taken


def _is_dedicated(night: NightView) -> bool:
    if Phase.CHECKPOINTING in (night.phase, *(night.edge or ())):
        return True
    return Phase.CHECKPOINTING in night.phase_text and Phase.PREEMPTING not in night.phase_text


def _edge(
    taken: set[tuple[Phase, Phase]],
    left: Box,
    right: Box,
    points: tuple[tuple[float, float], ...],
    words: str = "",
) -> Edge:
    (x1, y1), (_, y2) = points[0], points[-1]
    return Edge(points, words, (x1 - 6, (y1 + y2) / 2), (left.phase, right.phase) in taken)  # fmt: skip


def _across(left: Box, right: Box) -> tuple[tuple[float, float], ...]:
    y = left.y + left.height / 2
    return (left.x + left.width, y), (right.x, y)


def _down(above: Box, below: Box) -> tuple[tuple[float, float], ...]:
    x = above.x + above.width / 2
    return (x, above.y + above.height), (x, below.y)


class StateChart(Chart):
    """Idle, Scanning, Preempting, Running, Draining."""

    def __init__(self, controller: NightController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.setAccessibleName("Control state")
        self.setAccessibleDescription("No data yet")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # Screen readers read it, and F6 reaches it.
        controller.changed.connect(self._refresh)

    @property
    def sentence(self) -> str:
        """How the present state ends."""
        return self._controller.night.leaves_by if self._controller.night is not None else ""

    @Slot()
    def _refresh(self) -> None:
        night = self._controller.night
        if night is not None:
            words = night.phase_text.get(night.phase, "")
            self.setAccessibleDescription(f"{night.phase.value}, {words}. {self.sentence}")
            self.update()

    def text_twin(self) -> TextTwin:
        """Return a line for each state."""
        night = self._controller.night
        if night is None:
            return TextTwin()
        boxes = self._boxes(night)
        columns: tuple[Column[Box], ...] = (
            Column("State", lambda box: box.phase.value, order=boxes.index),
            Column("Current", lambda box: "yes" if box.is_current else ""),
            Column("About", lambda box: box.words),
        )
        return rows_twin(boxes, columns)

    def tip_at(self, x: float, y: float) -> str:
        """Return a state and its words as a whole, or how the present one ends; empty between the boxes."""
        night = self._controller.night
        if night is None:
            return ""
        boxes = self._boxes(night)
        for box in boxes:
            if QRectF(box.x, box.y, box.width, box.height).contains(x - _MARGIN, y - _MARGIN):
                return f"{box.phase.value}: {box.words}"
        lowest = max(box.y + box.height for box in boxes) + _MARGIN
        return self.sentence if y > lowest else ""

    def _boxes(self, night: NightView) -> tuple[Box, ...]:
        return boxes_of(night, self.width() - 2 * _MARGIN, self._height())

    def _height(self) -> float:
        """Return the height of the boxes, above the sentence."""
        return min(self.height() - 2 * _MARGIN - tall(_FOOT), _MOST_HEIGHT + 4 * grown_px())

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(410, 190)

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(340), 150 + 5 * grown_px())

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos().x(), event.pos().y()), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        night = self._controller.night
        if night is None:
            return
        with QPainter(self) as painter:
            foot = tall(_FOOT)
            height, boxes = self._height(), self._boxes(night)
            painter.translate(_MARGIN, _MARGIN)
            for edge in sorted(edges_of(night, boxes), key=lambda one: one.is_taken):
                _paint_edge(painter, edge)
            for box in boxes:
                _paint_box(painter, box)
            painter.resetTransform()
            painter.setFont(tabular_font("caption"))
            painter.setPen(colour("muted"))
            top = min(self.height() - foot, _MARGIN + max(height, 110) + 6)
            room = QRectF(_MARGIN, top, self.width() - 2 * _MARGIN, foot - 4)
            elided = _elided(painter, self.sentence, room.width())
            draw_text(painter, room, _Align.AlignLeft | _Align.AlignVCenter, elided)
            if self.hasFocus():
                paint.frame(painter, self.rect(), "accent")


def _paint_box(painter: QPainter, box: Box) -> None:
    rect = QRect(round(box.x), round(box.y), round(box.width), round(box.height))
    ground, border = ("accent", "accent") if box.is_current else ("raised", "line2")
    paint.box(painter, rect, ground, border)
    painter.setPen(colour("onaccent" if box.is_current else "text"))
    painter.setFont(tabular_font(semibold=True))
    line_px = _NAME + grown_px()
    name = QRectF(rect.x(), rect.y() + 4, rect.width(), line_px)
    draw_text(painter, name, _Align.AlignCenter, _elided(painter, box.phase.value, rect.width() - 4))
    painter.setFont(tabular_font("caption"))
    painter.setPen(colour("onaccent" if box.is_current else "muted"))
    elided = _elided(painter, box.words, rect.width() - 8)
    draw_text(painter, name.translated(0, line_px), _Align.AlignCenter, elided)


def _elided(painter: QPainter, words: str, room_px: float) -> str:
    return QFontMetricsF(painter.font()).elidedText(words, Qt.TextElideMode.ElideRight, room_px)


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
        wide, high = scaled(110), 40 + 2 * grown_px()
        room = QRectF(x - wide, y - high / 2, wide, high)
        draw_text(painter, room, _Align.AlignRight | _Align.AlignVCenter, edge.words)


def _paint_head(painter: QPainter, before: QPointF, at: QPointF) -> None:
    angle = math.atan2(at.y() - before.y(), at.x() - before.x())
    sides = [at - QPointF(7 * math.cos(angle + turn), 7 * math.sin(angle + turn)) for turn in (-0.45, 0.45)]
    painter.setBrush(painter.pen().color())
    painter.drawPolygon(QPolygonF([at, *sides]))
