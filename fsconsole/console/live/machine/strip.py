"""The time strip: what happened over the whole run, which part of it the plots show, and the play head."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPolygonF,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QToolTip, QWidget

from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.figures.ticks import time_ticks
from fsconsole.targets.events import Event
from fsconsole.text import durations

HEIGHT = 48
_BAR_TOP, _BAR_HEIGHT = 20, 9
_BOX_TOP, _BOX_HEIGHT = 17, 15
_KEY_PART = 0.1
_PAST_FILL = 0.55
MARGIN = 12
EDGE_PX = 5
Part = Literal["head", "left", "right", "box", "none"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The strip from 0 to `whole_s` over `width` pixels."""

    whole_s: float
    width: float

    def x(self, time_s: float) -> float:
        """Pixel of a time."""
        return MARGIN + time_s / self.whole_s * (self.width - 2 * MARGIN)

    def time(self, x: float) -> float:
        """Time at a pixel."""
        return (x - MARGIN) / max(self.width - 2 * MARGIN, 1) * self.whole_s


@dataclass(frozen=True, slots=True)
class Label:
    """A flag's words and where they begin; empty where there is no room."""

    flag: Event
    x: float
    words: str


def labels(flags: Sequence[Event], scale: Scale, width_of: Callable[[str], float]) -> list[Label]:
    """Flags with their words, left to right; what would run into the next flag has none."""
    placed = []
    for at, flag in enumerate(flags):
        x = scale.x(flag.time_s)
        words = f"planned: {flag.text}" if flag.is_planned else flag.text
        room = (scale.x(flags[at + 1].time_s) if at + 1 < len(flags) else scale.width) - x - 14
        placed.append(Label(flag, x, words if width_of(words) <= room else ""))
    return placed


def part_at(x: float, left: float, right: float, head: float = -1.0) -> Part:
    """What a press at x takes hold of: the play head, an edge of the box, the box, or nothing."""
    if abs(x - head) <= EDGE_PX:
        return "head"
    if abs(x - left) <= EDGE_PX and x < (left + right) / 2:
        return "left"
    if abs(x - right) <= EDGE_PX:
        return "right"
    return "box" if left < x < right else "none"


def dragged(part: Part, start_s: float, end_s: float, moved_s: float) -> tuple[float, float]:
    """The range after a drag of one of its parts by some seconds; edges do not cross."""
    if part == "left":
        return min(start_s + moved_s, end_s - 1), end_s
    if part == "right":
        return start_s, max(end_s + moved_s, start_s + 1)
    return start_s + moved_s, end_s + moved_s


class TimeStrip(QWidget):
    """Flags over a bar of the run; the box is the range of the plots: drag it, or its edges.

    The play head stands at the instant that is looked at; drag it, or click where it shall go.

    Signals: head_moved(time): somebody wants to look at an instant; right of the present, at the present.
    """

    head_moved = Signal(float)

    def __init__(
        self, span: TimeRange, flags: Callable[[], Sequence[Event]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._span, self._flags = span, flags
        self._held: tuple[Part, float, float, float] | None = None
        self._is_click = False
        self._head_s: float | None = None
        self._drawn: tuple[object, ...] = ()
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Time strip")
        span.changed.connect(self.refresh)
        theme().changed.connect(self.update)

    @property
    def scale(self) -> Scale:
        """Times to pixels."""
        return Scale(self._span.whole_s, self.width())

    def show_head(self, time_s: float | None) -> None:
        """Put the play head at an instant, or at the present."""
        self._head_s = time_s
        self.refresh()

    def refresh(self) -> None:
        """Paint again where that can be seen."""
        scale, span = self.scale, self._span
        places = (round(scale.x(time_s)) for time_s in (span.now_s, span.start_s, span.end_s))
        head = None if self._head_s is None else round(scale.x(self._head_s))
        drawn = (*places, head, scale.whole_s, len(self._flags()))
        if drawn != self._drawn:
            self._drawn = drawn
            self.update()

    def _box(self) -> tuple[float, float]:
        scale = self.scale
        return scale.x(max(self._span.start_s, 0)), scale.x(min(self._span.end_s, self._span.whole_s))

    def _head_x(self) -> float:
        return self.scale.x(self._span.now_s if self._head_s is None else self._head_s)

    def _paint_bar(self, painter: QPainter, scale: Scale) -> None:
        left, right, now = scale.x(0), scale.x(scale.whole_s), scale.x(self._span.now_s)
        painter.fillRect(QRectF(left, _BAR_TOP, right - left, _BAR_HEIGHT), colour("track"))
        past = QColor(colour("accent"))
        past.setAlphaF(_PAST_FILL)
        painter.fillRect(QRectF(left, _BAR_TOP, now - left, _BAR_HEIGHT), past)

    def _paint_ticks(self, painter: QPainter, scale: Scale) -> None:
        metrics = QFontMetricsF(painter.font())
        ticks = time_ticks(0.0, scale.whole_s, max(2, int(self.width() / 130))).values
        for time_s in ticks:
            x = round(scale.x(time_s)) + 0.5
            painter.setPen(colour("line2"))
            painter.drawLine(QLineF(x, _BAR_TOP + _BAR_HEIGHT + 2, x, _BAR_TOP + _BAR_HEIGHT + 5))
            words = durations.plot_time(time_s, scale.whole_s)
            width = metrics.horizontalAdvance(words)
            left = min(max(x - width / 2, scale.x(0)), self.width() - width - 4)
            painter.setPen(colour("muted"))
            painter.drawText(QPointF(left, HEIGHT - 3), words)

    def _paint_flags(self, painter: QPainter, scale: Scale) -> None:
        metrics = QFontMetricsF(painter.font())
        for label in labels(self._flags(), scale, metrics.horizontalAdvance):
            ink = colour("muted" if label.flag.is_planned else "text")
            x = round(label.x) + 0.5
            painter.setPen(ink)
            painter.drawLine(QLineF(x, 4, x, _BAR_TOP + _BAR_HEIGHT))
            painter.fillRect(QRectF(x, 4, 6, 6), ink)
            painter.drawText(QPointF(x + 9, 2 + metrics.ascent()), label.words)

    def _paint_box(self, painter: QPainter) -> None:
        left, right = self._box()
        painter.setPen(colour("accent" if self.hasFocus() else "text"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(
            QRectF(round(left) + 0.5, _BOX_TOP + 0.5, round(right) - round(left), _BOX_HEIGHT - 1)
        )

    def _paint_head(self, painter: QPainter, scale: Scale) -> None:
        x = self._head_x()
        top, bottom = _BOX_TOP - 1, _BOX_TOP + _BOX_HEIGHT + 2
        points = [
            (x - 4, top),
            (x + 4, top),
            (x + 4, bottom - 4),
            (x, bottom),
            (x - 4, bottom - 4),
        ]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("accent" if self._head_s is None else "warn"))
        painter.drawPolygon(QPolygonF([QPointF(*point) for point in points]))

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(640, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(tabular_font("caption"))
        scale = self.scale
        painter.fillRect(self.rect(), colour("surface"))
        self._paint_bar(painter, scale)
        self._paint_ticks(painter, scale)
        self._paint_flags(painter, scale)
        self._paint_box(painter)
        self._paint_head(painter, scale)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        x = event.position().x()
        part = part_at(x, *self._box(), self._head_x())
        self._is_click = part != "head"
        if part == "none":
            half = (self._span.end_s - self._span.start_s) / 2
            middle = self.scale.time(x)
            self._span.fix(middle - half, middle + half)
            part = "box"
        self._held = (part, x, self._span.start_s, self._span.end_s)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._held is None:
            part = part_at(x, *self._box(), self._head_x())
            self.setCursor(_POINTERS[part])
            return
        part, began, start_s, end_s = self._held
        scale = self.scale
        if part == "head":
            self.head_moved.emit(scale.time(x))
            return
        if self._is_click and abs(x - began) < QApplication.startDragDistance():
            return
        self._is_click = False
        self._span.fix(*dragged(part, start_s, end_s, scale.time(x) - scale.time(began)))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._held is not None and self._is_click:
            self.head_moved.emit(self.scale.time(event.position().x()))
        self._held = None

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self._held = None
        self._span.show_whole()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        width = self._span.end_s - self._span.start_s
        moves = {Qt.Key.Key_Left: -_KEY_PART, Qt.Key.Key_Right: _KEY_PART}
        zooms = {Qt.Key.Key_Plus: 0.8, Qt.Key.Key_Minus: 1.25}
        key = Qt.Key(event.key())
        if key in moves:
            by = moves[key] * width
            self._span.fix(self._span.start_s + by, self._span.end_s + by)
        elif key in zooms:
            self._span.zoom((self._span.start_s + self._span.end_s) / 2, zooms[key])
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            scale = self.scale
            near = [flag for flag in self._flags() if abs(scale.x(flag.time_s) - event.pos().x()) < 8]
            lines = [
                f"{durations.clock(flag.time_s)}  {text}{', planned' if flag.is_planned else ''}"
                for flag in near
                for text in flag.texts
            ]
            QToolTip.showText(event.globalPos(), "\n".join(lines), self)
            return True
        return super().event(event)


_POINTERS = {
    "head": Qt.CursorShape.SizeHorCursor,
    "left": Qt.CursorShape.SizeHorCursor,
    "right": Qt.CursorShape.SizeHorCursor,
    "box": Qt.CursorShape.OpenHandCursor,
    "none": Qt.CursorShape.ArrowCursor,
}
