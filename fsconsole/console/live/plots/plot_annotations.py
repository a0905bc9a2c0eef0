"""What is painted around the curves of a live plot: axes and grid below, events, present and cursor above."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour
from fsconsole.text import numbers

_RING = 3
_WORD_GAP = 5
_VEIL = 0.6
_WORD_GROUND = 0.85
_STEPS = (1.0, 2.0, 5.0, 10.0)
_LETTERS = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"))


def top_for(largest: float) -> float:
    """The smallest of 1, 2, 5, 10 ... that holds a value; 1 where there is nothing to hold."""
    if not largest > 0 or not math.isfinite(largest):
        return 1.0
    power: float = 10.0 ** math.floor(math.log10(largest))
    return next((step * power for step in _STEPS if largest <= step * power * (1 + 1e-9)), 10 * power)


def next_top(before: float, largest: float, *, running: bool) -> float:
    """The top after new values came: it never shrinks while the machine runs."""
    wanted = top_for(largest)
    return max(before, wanted) if running else wanted


def letter_of(top: float) -> tuple[float, str]:
    """(divisor, SI letter) for all numbers of a plot with that top; (1, "") below 10^6."""
    return next(((step, letter) for step, letter in _LETTERS if top >= step), (1.0, ""))


def y_ticks(low: float, high: float, scale: float) -> list[tuple[float, str]]:
    """Places with their words; `scale` turns values into what is read.

    Bottom, middle and top where the top is 1, 2 or 5 times a power of ten; else whole steps of such.
    """
    places = (low, (low + high) / 2, high) if top_for(high) == high else _stepped(low, high, scale)
    divisor, letter = letter_of(max(abs(low), abs(high)) * scale)
    shown = [place * scale / divisor for place in places]
    digits = max(_digits(value) for value in shown)
    return [
        (place, f"{numbers.fixed(value, digits if value else 0)} {letter if value else ''}".rstrip())
        for place, value in zip(places, shown, strict=True)
    ]


def _stepped(low: float, high: float, scale: float) -> tuple[float, ...]:
    """Multiples, as they are read, of the largest step of 1-2-5 that fits twice."""
    span = (high - low) * scale
    power = 10.0 ** math.floor(math.log10(span / 2))
    step = max(factor * power for factor in _STEPS if factor * power <= span / 2 * (1 + 1e-9))
    return tuple(low + number * step / scale for number in range(int(span / step + 1e-9) + 1))


def _digits(value: float) -> int:
    return next((digits for digits in range(4) if abs(value - round(value, digits)) < 1e-9), 3)


@dataclass(frozen=True, slots=True)
class Scales:
    """Where values stand: a rectangle in pixels and the ranges that span it."""

    area: QRectF
    x: tuple[float, float]
    y: tuple[float, float]

    def x_of(self, time_s: float) -> float:
        """Pixel of a time."""
        start, end = self.x
        return self.area.left() + (time_s - start) / (end - start) * self.area.width()

    def y_of(self, value: float) -> float:
        """Pixel of a value."""
        low, high = self.y
        return self.area.bottom() - (value - low) / (high - low) * self.area.height()

    def time_of(self, x: float) -> float:
        """Time at a pixel."""
        start, end = self.x
        return start + (x - self.area.left()) / max(self.area.width(), 1.0) * (end - start)

    def shows(self, time_s: float) -> bool:
        """Whether a time is in sight."""
        return self.x[0] <= time_s <= self.x[1]

    def line_at(self, time_s: float) -> QLineF:
        """The upright line at a time, sharp on the screen."""
        x = round(self.x_of(time_s)) + 0.5
        return QLineF(x, self.area.top(), x, self.area.bottom())


def paint_axes(painter: QPainter, scales: Scales, unit_scale: float, height: float) -> None:
    """Grid, words of the y axis in units of `unit_scale`, left and bottom axis; `height` is the widget's."""
    area = scales.area
    painter.setFont(tabular_font("caption"))
    metrics = QFontMetricsF(painter.font())
    for value, words in y_ticks(*scales.y, unit_scale):
        y = round(scales.y_of(value)) + 0.5
        painter.setPen(colour("grid"))
        painter.drawLine(QLineF(area.left(), y, area.right(), y))
        painter.setPen(colour("muted"))
        top = min(max(y - metrics.height() / 2, 0.0), height - metrics.height())
        painter.drawText(
            QRectF(0, top, area.left() - 6, metrics.height()), Qt.AlignmentFlag.AlignRight, words
        )
    painter.setPen(colour("grid"))
    for time_s in time_grid(scales.x, area.width()):
        painter.drawLine(scales.line_at(time_s))
    painter.setPen(colour("line2"))
    left, bottom = round(area.left()) - 0.5, round(area.bottom()) + 0.5
    painter.drawLine(QLineF(left, area.top(), left, bottom))
    painter.drawLine(QLineF(left, bottom, area.right(), bottom))


def paint_events(painter: QPainter, scales: Scales, events: Iterable[tuple[float, str]]) -> None:
    """A dotted line for each event in sight, and its words beside it."""
    painter.setFont(tabular_font("caption"))
    metrics = QFontMetricsF(painter.font())
    seen = [(scales.line_at(time_s), words) for time_s, words in events if scales.shows(time_s)]
    pen = QPen(colour("text"), 1)
    pen.setDashPattern([1, 3])
    painter.setPen(pen)
    painter.drawLines([line for line, _ in seen])
    labels = [(line.x1(), metrics.horizontalAdvance(words)) for line, words in seen]
    places = word_places(labels, scales.area.left(), scales.area.right())
    for (_, words), left in zip(seen, places, strict=True):
        if words and left is not None:
            _paint_words(painter, words, QPointF(left, scales.area.top() + metrics.ascent()))


def _paint_words(painter: QPainter, words: str, base: QPointF) -> None:
    """Words on a ground of their own: curves may run behind them."""
    metrics = QFontMetricsF(painter.font())
    ground = QColor(colour("surface"))
    ground.setAlphaF(_WORD_GROUND)
    room = QRectF(base.x(), base.y() - metrics.ascent(), metrics.horizontalAdvance(words), metrics.height())
    painter.fillRect(room, ground)
    painter.setPen(colour("muted"))
    painter.drawText(base, words)


def word_places(labels: Sequence[tuple[float, float]], left: float, right: float) -> list[float | None]:
    """Where words of (pixel of their line, width) begin: left of the line, or right of it for want of room.

    They never run into other words or lines, nor over the ends; None for words that fit on neither side.
    """
    places: list[float | None] = []
    free_from = left
    for number, (line, width) in enumerate(labels):
        next_line = labels[number + 1][0] if number + 1 < len(labels) else right
        if line - _WORD_GAP - width >= free_from:
            places.append(line - _WORD_GAP - width)
            free_from = line
        elif line + _WORD_GAP + width <= next_line:
            places.append(line + _WORD_GAP)
            free_from = line + _WORD_GAP + width
        else:
            places.append(None)
            free_from = line
    return places


def paint_present(painter: QPainter, scales: Scales, now_s: float) -> None:
    """A line at the present, where it is in sight."""
    if scales.shows(now_s):
        painter.setPen(colour("line2"))
        painter.drawLine(scales.line_at(now_s))


def paint_later(painter: QPainter, scales: Scales, time_s: float) -> None:
    """Make what came after an instant faint."""
    left = max(scales.x_of(time_s), scales.area.left())
    if left < scales.area.right():
        veil = QColor(colour("surface"))
        veil.setAlphaF(_VEIL)
        painter.fillRect(QRectF(QPointF(left, scales.area.top()), scales.area.bottomRight()), veil)


def paint_cursor(
    painter: QPainter, scales: Scales, cursor_s: float, values: Mapping[int, float], tokens: Mapping[int, str]
) -> None:
    """A line at the cursor and a ring on each curve, in the colour of its token, where they are in sight."""
    if not scales.shows(cursor_s):
        return
    line = scales.line_at(cursor_s)
    painter.setPen(colour("text"))
    painter.drawLine(line)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(colour("surface"))
    for node, value in values.items():
        if node in tokens and scales.y[0] <= value <= scales.y[1]:
            painter.setPen(QPen(colour(tokens[node]), 1.5))
            painter.drawEllipse(QPointF(line.x1(), scales.y_of(value)), _RING, _RING)


def time_grid(span: tuple[float, float], width_px: float) -> tuple[float, ...]:
    """Times of the vertical grid lines."""
    from fsconsole.figures.ticks import time_ticks

    return time_ticks(*span, max(2, int(width_px / 72))).values
