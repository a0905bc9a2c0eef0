"""What is painted around the curves of a live plot: axes and grid below, events, present and cursor above."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from fsconsole.console.live.plots.value_ticks import y_ticks
from fsconsole.console.live.time_range import time_grid
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.figures.log_axis import log_ticks, places_on_log
from fsconsole.figures.painted_text import draw_text, draw_text_at
from fsconsole.recording.notes import NoteMark

_RING = 3
_WORD_GAP = 5
_CROWDED_PX = 12  # Mean distance of events. Denser lines would cover the curves.
LATER = "raised"  # Background of the time after the instant shown.
_Mode = QPainter.CompositionMode
# By whether the theme is dark.
_UNDER = {False: _Mode.CompositionMode_Darken, True: _Mode.CompositionMode_Lighten}
_TINT = 0.08
_WORD_GROUND = 0.85
_NOTE_INK = 0.8
_NO_VALUES = "no values"
_LEAST_WORDS_PX = 40  # Least width of a note's label.


@dataclass(frozen=True, slots=True)
class Scales:
    """The places of values: a rectangle in pixels and the ranges that span it.

    `y` is in coordinates of the value axis; `floor` is the lowest power of ten of one that is logarithmic.
    `offset_s`: what the clock shows at time 0, for ticks at its whole minutes.
    """

    area: QRectF
    x: tuple[float, float]
    y: tuple[float, float]
    floor: float | None = None
    offset_s: float = 0.0

    def x_of(self, time_s: float) -> float:
        """Return the pixel of a time."""
        start, end = self.x
        return self.area.left() + (time_s - start) / (end - start) * self.area.width()

    def y_of(self, value: float) -> float:
        """Return the pixel of a value."""
        low, high = self.y
        at = value if self.floor is None else float(places_on_log(np.array([value]), self.floor, low)[0])
        return self.area.bottom() - (at - low) / (high - low) * self.area.height()

    def coordinate_of(self, y: float) -> float:
        """Return the coordinate of the value axis at a pixel."""
        low, high = self.y
        return low + (self.area.bottom() - y) / max(self.area.height(), 1.0) * (high - low)

    def holds(self, value: float) -> bool:
        """Return True if a value is in sight."""
        return self.area.top() - 0.5 <= self.y_of(value) <= self.area.bottom() + 0.5

    def time_of(self, x: float) -> float:
        """Return the time at a pixel."""
        start, end = self.x
        return start + (x - self.area.left()) / max(self.area.width(), 1.0) * (end - start)

    def shows(self, time_s: float) -> bool:
        """Return True if a time is in sight."""
        return self.x[0] <= time_s <= self.x[1]

    def line_at(self, time_s: float) -> QLineF:
        """Return the upright line at a time, sharp on the screen."""
        x = round(self.x_of(time_s)) + 0.5
        return QLineF(x, self.area.top(), x, self.area.bottom())


def paint_axes(painter: QPainter, scales: Scales, unit_scale: float, height: float) -> None:
    """Paint grid, both axes and y words in units of `unit_scale`; `height` is the widget's."""
    area = scales.area
    painter.setFont(tabular_font("caption"))
    metrics = QFontMetricsF(painter.font())
    last_y = area.bottom() + metrics.height()
    for value, words in _value_ticks(scales, unit_scale):
        y = round(scales.y_of(value)) + 0.5
        painter.setPen(colour("grid"))
        painter.drawLine(QLineF(area.left(), y, area.right(), y))
        if last_y - y < metrics.ascent():
            continue  # The labels of the previous notes leave no room.
        last_y = y
        painter.setPen(colour("muted"))
        top = min(max(y - metrics.height() / 2, 0.0), height - metrics.height())
        draw_text(
            painter, QRectF(0, top, area.left() - 6, metrics.height()), Qt.AlignmentFlag.AlignRight, words
        )
    painter.setPen(colour("grid"))
    for time_s in time_grid(scales.x, area.width(), scales.offset_s):
        painter.drawLine(scales.line_at(time_s))
    painter.setPen(colour("line2"))
    left, bottom = round(area.left()) - 0.5, round(area.bottom()) + 0.5
    painter.drawLine(QLineF(left, area.top(), left, bottom))
    if scales.floor is not None:
        _paint_break(painter, scales, left)
    painter.drawLine(QLineF(left, bottom, area.right(), bottom))


def _value_ticks(scales: Scales, unit_scale: float) -> list[tuple[float, str]]:
    if scales.floor is None:
        return y_ticks(*scales.y, unit_scale, scales.area.height())
    return [(0.0, "0"), *log_ticks(scales.floor, scales.y[1], unit_scale)]


def _paint_break(painter: QPainter, scales: Scales, left: float) -> None:
    """Paint two strokes across a logarithmic axis, between 0 and its lowest power."""
    middle = (scales.area.bottom() + scales.y_of(10.0 ** (scales.floor or 0.0))) / 2
    painter.setPen(QPen(colour("surface"), 3))
    painter.drawLine(QLineF(left, middle - 2, left, middle + 2))
    painter.setPen(colour("line2"))
    for y in (middle - 2, middle + 2):
        painter.drawLine(QLineF(left - 3, y + 1.5, left + 3, y - 1.5))


def paint_events(painter: QPainter, scales: Scales, events: Iterable[tuple[float, str]]) -> None:
    """Paint a dotted line for each event in sight, and its words beside it."""
    painter.setFont(tabular_font("caption"))
    metrics = QFontMetricsF(painter.font())
    seen = [(scales.line_at(time_s), words) for time_s, words in events if scales.shows(time_s)]
    pen = QPen(colour("text" if len(seen) * _CROWDED_PX < scales.area.width() else "line2"), 1)
    pen.setDashPattern([1, 3])
    painter.setPen(pen)
    painter.drawLines([line for line, _ in seen])
    labels = [(line.x1(), metrics.horizontalAdvance(words)) for line, words in seen]
    places = word_places(labels, scales.area.left(), scales.area.right())
    for (_, words), left in zip(seen, places, strict=True):
        if words and left is not None:
            _paint_words(painter, words, QPointF(left, scales.area.top() + metrics.ascent()))


def _paint_words(painter: QPainter, words: str, base: QPointF, ink: str = "muted") -> None:
    """Paint words on their own ground, since curves may run behind them."""
    metrics = QFontMetricsF(painter.font())
    ground = QColor(colour("surface"))
    ground.setAlphaF(_WORD_GROUND)
    room = QRectF(base.x(), base.y() - metrics.ascent(), metrics.horizontalAdvance(words), metrics.height())
    painter.fillRect(room, ground)
    painter.setPen(colour(ink))
    draw_text_at(painter, base, words)


def paint_gaps(painter: QPainter, scales: Scales, gaps: Iterable[tuple[float, float]]) -> None:
    """Hatch spans without readable values, with a label if there is room."""
    painter.setFont(tabular_font("caption"))
    metrics, area = QFontMetricsF(painter.font()), scales.area
    for begin_s, end_s in gaps:
        left, right = max(scales.x_of(begin_s), area.left()), min(scales.x_of(end_s), area.right())
        if left >= right:
            continue
        room = QRectF(left, area.top(), max(right - left, 1.0), area.height())
        painter.fillRect(room, paint.hatch(painter, colour("line2")))
        width = metrics.horizontalAdvance(_NO_VALUES)
        if width + 2 * _WORD_GAP <= room.width():
            middle = room.center()
            base = QPointF(middle.x() - width / 2, middle.y() + metrics.ascent() / 2)
            _paint_words(painter, _NO_VALUES, base)


def paint_notes(painter: QPainter, scales: Scales, notes: Iterable[NoteMark]) -> None:
    """Paint a line for each note in sight, its span as a band, and its words in the row below those of
    events.
    """
    painter.setFont(tabular_font("caption"))
    metrics, area = QFontMetricsF(painter.font()), scales.area
    seen = [note for note in notes if scales.shows(note.time_s) or _is_in(scales, note)]
    band, ink = QColor(colour("accent")), QColor(colour("accent"))
    band.setAlphaF(_TINT)
    ink.setAlphaF(_NOTE_INK)
    for note in seen:
        begin = max(scales.x_of(note.time_s), area.left())
        if note.until_s is not None:
            end = min(scales.x_of(note.until_s), area.right())
            painter.fillRect(QRectF(begin, area.top(), end - begin, area.height()), band)
        painter.setPen(QPen(ink, 1))
        ends = (note.time_s,) if note.until_s is None else (note.time_s, note.until_s)
        painter.drawLines([scales.line_at(time_s) for time_s in ends if scales.shows(time_s)])
    lines = [max(scales.x_of(note.time_s), area.left()) for note in seen]
    free_from = area.left()
    for note, line, right in zip(seen, lines, [*lines[1:], area.right()], strict=False):
        width, left = metrics.horizontalAdvance(note.text) + 1, line + _WORD_GAP
        if left + width > right and line - _WORD_GAP - width >= free_from:
            left, right = line - _WORD_GAP - width, line
        if note.text and right - left >= min(_LEAST_WORDS_PX, width):
            words = metrics.elidedText(note.text, Qt.TextElideMode.ElideRight, right - left - 1)
            base = QPointF(left, area.top() + metrics.height() + metrics.ascent())
            _paint_words(painter, words, base, "accent")
            free_from = left + metrics.horizontalAdvance(words)
        free_from = max(free_from, line)


def _is_in(scales: Scales, note: NoteMark) -> bool:
    """Return True if a part of a note's span is in sight."""
    return note.until_s is not None and note.time_s < scales.x[1] and note.until_s > scales.x[0]


def word_places(labels: Sequence[tuple[float, float]], left: float, right: float) -> list[float | None]:
    """Return starts of labels given (pixel of their line, width): left of the line, else right of it."""
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
    """Paint a line at the present if that is in sight."""
    if scales.shows(now_s):
        painter.setPen(colour("line2"))
        painter.drawLine(scales.line_at(now_s))


def paint_later(painter: QPainter, scales: Scales, time_s: float) -> None:
    """Give the time after the displayed instant another ground, without changing the curves on it."""
    left = max(scales.x_of(time_s), scales.area.left())
    if left < scales.area.right():
        painter.setCompositionMode(_UNDER[theme().is_dark])
        painter.fillRect(QRectF(QPointF(left, scales.area.top()), scales.area.bottomRight()), colour(LATER))
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)


def paint_cursor(
    painter: QPainter, scales: Scales, cursor_s: float, values: Mapping[int, float], tokens: Mapping[int, str]
) -> None:
    """Paint a line at the cursor and a ring on each curve, in the colour of its token, where they are in
    sight.
    """
    if not scales.shows(cursor_s):
        return
    line = scales.line_at(cursor_s)
    painter.setPen(colour("text"))
    painter.drawLine(line)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(colour("surface"))
    for node, value in values.items():
        if node in tokens and scales.holds(value):
            painter.setPen(QPen(colour(tokens[node]), 1.5))
            painter.drawEllipse(QPointF(line.x1(), scales.y_of(value)), _RING, _RING)


def paint_mark(painter: QPainter, scales: Scales, mark_s: float, cursor_s: float | None) -> None:
    """Paint a dashed line at the mark, and a tint up to the cursor."""
    if cursor_s is not None:
        left, right = sorted((scales.x_of(mark_s), scales.x_of(cursor_s)))
        area = scales.area
        span = QRectF(max(left, area.left()), area.top(), 0, area.height())
        span.setRight(min(right, area.right()))
        if span.width() > 0:
            tint = QColor(colour("accent"))
            tint.setAlphaF(_TINT)
            painter.fillRect(span, tint)
    if scales.shows(mark_s):
        painter.setPen(QPen(colour("accent"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(scales.line_at(mark_s))


def paint_selection(painter: QPainter, scales: Scales, span: tuple[float, float]) -> None:
    """Paint the span of time that is being dragged over."""
    left, right = sorted(scales.x_of(time_s) for time_s in span)
    room = QRectF(left, scales.area.top(), right - left, scales.area.height())
    tint = QColor(colour("accent"))
    tint.setAlphaF(2 * _TINT)
    painter.fillRect(room, tint)
    painter.setPen(colour("accent"))
    painter.drawRect(room)
