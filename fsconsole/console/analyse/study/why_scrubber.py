"""A job's life as a bar to move the time cursor on: it waits, holds reservations, runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.batch.clock import Clock
from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.text_twin import Chart, TextTwin, rows_twin
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.figures.painted_text import draw_text

_SIDE_PX, _BAR_TOP, _BAR_PX, _STRIP_PX = 14.0, 8.0, 18.0, 6.0
_HIGH_PX = 66
_BEYOND = 0.04  # Margin on both sides of the job's life, as a fraction of it.
_TICK_PX = 90.0
_NO_TIME = "No time is chosen"
_Key = Qt.Key


@dataclass(frozen=True, slots=True)
class Life:
    """When a job was submitted, started and ended, seconds of the trace; and how moments are written."""

    submit_s: int
    start_s: int
    end_s: int
    time: Clock

    def span(self) -> tuple[float, float]:
        """Return start and end of the bar."""
        more = max((self.end_s - self.submit_s) * _BEYOND, 30.0)
        return self.submit_s - more, self.end_s + more


class Scrubber(Chart):
    """The bar of a job. Signals: moved(second) as the user moves the cursor; stepped(1 or -1) for an event.

    Arrows move it by a hundredth of the bar, with Shift from event to event; Home and End go to where the job
    was submitted and started.
    """

    moved = Signal(int)
    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._life: Life | None = None
        self._cursor_s: int | None = None
        self._held: tuple[tuple[int, int], ...] = ()
        self.setFont(tabular_font("caption"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Time to explain")
        self.setAccessibleDescription(_NO_TIME)
        self.setToolTip("Drag to choose another time. Shift+arrows go from event to event")
        theme().changed.connect(self.update)

    @property
    def life(self) -> Life | None:
        """Job whose life is drawn; None for none."""
        return self._life

    def show_life(self, life: Life | None) -> None:
        """Show another job; its reservations come later."""
        self._life, self._held = life, ()
        self.update()

    def show_held(self, held: Sequence[tuple[int, int]]) -> None:
        """Show from when to when the job held reservations."""
        self._held = tuple(held)
        self.update()

    @Slot(object)
    def show_cursor(self, second: int | None) -> None:
        """Draw the cursor at a second of the trace; None for nowhere."""
        self._cursor_s = second
        words = self._life.time.words(second) if self._life is not None and second is not None else _NO_TIME
        self.setAccessibleDescription(words)
        self.update()

    def text_twin(self) -> TextTwin:
        """Return from when to when the job waited, ran and held reservations."""
        life = self._life
        if life is None:
            return TextTwin()
        parts = [("waits", life.submit_s, life.start_s), ("runs", life.start_s, life.end_s)]
        parts += [("holds a reservation", *held) for held in self._held]
        columns: tuple[Column[tuple[str, int, int]], ...] = (
            Column("State", lambda part: part[0]),
            Column("From", lambda part: life.time.words(part[1]), order=lambda part: part[1]),
            Column("To", lambda part: life.time.words(part[2]), order=lambda part: part[2]),
        )
        return rows_twin(parts, columns)

    def x_of(self, second: float) -> float:
        """Return the place of a second in pixels."""
        if self._life is None:
            return _SIDE_PX
        first, last = self._life.span()
        return _SIDE_PX + (second - first) / (last - first) * (self.width() - 2 * _SIDE_PX)

    def second_of(self, x: float) -> int:
        """Return the second at a place."""
        assert self._life is not None  # noqa: S101 (asked where there is a job)
        first, last = self._life.span()
        part = (x - _SIDE_PX) / max(self.width() - 2 * _SIDE_PX, 1.0)
        return round(first + min(max(part, 0.0), 1.0) * (last - first))

    # -- Qt's overrides -----------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(400, _HIGH_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            life = self._life
            if life is not None:
                self._paint_life(painter, life)
                self._paint_axis(painter, life)
                self._paint_cursor(painter)
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(colour("accent"))
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _paint_life(self, painter: QPainter, life: Life) -> None:
        submit, start, end = (self.x_of(second) for second in (life.submit_s, life.start_s, life.end_s))
        waits = QRectF(submit, _BAR_TOP, start - submit, _BAR_PX)
        runs = QRectF(start, _BAR_TOP, max(end - start, 2.0), _BAR_PX)
        painter.fillRect(waits, colour("track"))
        painter.setPen(QPen(colour("edge"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(waits)
        painter.fillRect(runs, colour("c2"))
        painter.setPen(colour("text"))
        if waits.width() > 60:
            draw_text(painter, waits, Qt.AlignmentFlag.AlignCenter, "waits")
        painter.setPen(colour("surface"))
        if runs.width() > 60:
            draw_text(painter, runs, Qt.AlignmentFlag.AlignCenter, "runs")
        painter.setPen(QPen(colour("text"), 1))
        painter.setBrush(paint.hatch(painter, colour("text")))
        for since, until in self._held:
            left, right = self.x_of(since), self.x_of(until)
            painter.drawRect(QRectF(left, _BAR_TOP + _BAR_PX + 2, max(right - left, 1.0), _STRIP_PX))

    def _paint_axis(self, painter: QPainter, life: Life) -> None:
        first, last = life.span()
        top = _BAR_TOP + _BAR_PX + _STRIP_PX + 6
        painter.setPen(colour("muted"))
        most = max(int((self.width() - 2 * _SIDE_PX) / _TICK_PX), 1)
        for second, words in life.time.ticks(first, last, most):
            x = self.x_of(second)
            painter.drawLine(QLineF(x, top, x, top + 4))
            box = QRectF(x - 60, top + 5, 120, 16)
            draw_text(painter, box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, words)

    def _paint_cursor(self, painter: QPainter) -> None:
        if self._cursor_s is None:
            return
        x = self.x_of(self._cursor_s)
        if _SIDE_PX - 1 <= x <= self.width() - _SIDE_PX + 1:
            painter.setPen(QPen(colour("text"), 2))
            painter.drawLine(QLineF(x, 2, x, _BAR_TOP + _BAR_PX + _STRIP_PX + 6))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._life is not None and event.button() is Qt.MouseButton.LeftButton:
            self.moved.emit(self.second_of(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._life is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self.moved.emit(self.second_of(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        life, key = self._life, _Key(event.key())
        way = {_Key.Key_Left: -1, _Key.Key_Right: 1}.get(key)
        if life is None or (way is None and key not in (_Key.Key_Home, _Key.Key_End)):
            super().keyPressEvent(event)
        elif way is None:
            self.moved.emit(life.submit_s if key is _Key.Key_Home else life.start_s)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.stepped.emit(way)
        else:
            first, last = life.span()
            at = self._cursor_s if self._cursor_s is not None else life.submit_s
            by = max(round((last - first) / 100), 1)
            self.moved.emit(round(min(max(at + way * by, first), last)))
