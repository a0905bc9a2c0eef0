"""Places of labels, clear of curves and of each other: beside event lines and beside single values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from fsconsole.figures.arrange import UNITS_PER_PT, Arrangement
from fsconsole.figures.spec import EventMark, Floats

_LEAST_EM = 4.0  # A shorter label would not be readable.
_DEEPEST = 0.6  # Further down in the plot, readers would not find a label.


@dataclass(frozen=True, slots=True)
class EventPlace:
    """The place of an event line and of its label.

    Attributes:
        mark: the event or note.
        x: place of its line.
        text: the label, or its beginning.
        at: start of the label on its base line; None without a free place.
        ground: area covered by the label if it is over curves; None if it is clear of them.
    """

    mark: EventMark
    x: float
    text: str
    at: QPointF | None
    ground: QRectF | None = None


def event_places(at: Arrangement, events: Sequence[EventMark], font_pt: float) -> list[EventPlace]:
    """Return places of the events inside the range in x, in tenths of a point.

    A label is put left of its line, else right of it, else a row further down, clear of curves. If that is
    impossible it is put over curves, shortened to the room beside other lines, which labels of notes may
    cross. Two events at one time both get a label if there is room.
    """
    low, high = at.x_range
    shown = [event for event in events if _is_in_sight(event, at)]
    lines = [at.x(max(event.at_s * at.x_scale, low)) for event in shown]
    lines += [at.x(end) for event in shown if (end := _end(event, at)) is not None and end <= high]
    metrics, em = QFontMetricsF(at.fonts.small), font_pt * UNITS_PER_PT
    boxes = curve_boxes(at)
    taken: list[QRectF] = []
    made = []
    for event, x in zip(shown, lines, strict=False):
        width = metrics.horizontalAdvance(event.text)
        candidates = _candidates(at.plot, x, width, metrics.height(), em)
        place = next((rect for rect in candidates if _is_free(rect, x, lines, taken, boxes)), None)
        text, ground = event.text, None
        if place is None and text:
            avoided = [] if event.is_note else lines
            place = ground = _room_over_curves(at.plot, x, avoided, taken, (width, metrics.height()), em)
            if place is not None:
                text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, place.width() + 1)
        if place is not None:
            taken.append(place)
        start = QPointF(place.left(), place.top() + metrics.ascent()) if place is not None else None
        made.append(EventPlace(event, x, text, start, ground))
    return made


def _end(event: EventMark, at: Arrangement) -> float | None:
    return None if event.until_s is None else event.until_s * at.x_scale


def _is_in_sight(event: EventMark, at: Arrangement) -> bool:
    low, high = at.x_range
    begin, end = event.at_s * at.x_scale, _end(event, at)
    return low <= begin <= high or (end is not None and begin < high and end > low)


def _room_over_curves(
    plot: QRectF, x: float, lines: list[float], taken: list[QRectF], size: tuple[float, float], em: float
) -> QRectF | None:
    """Return a place over curves beside a label's line, where most of it fits; None if too little does."""
    width, height = size
    rooms = []
    for row in range(int(_DEEPEST * plot.height() / height)):
        top = plot.top() + row * height
        in_row = [rect for rect in taken if rect.top() < top + height and rect.bottom() > top]
        edges = [plot.right(), *lines, *(rect.left() for rect in in_row)]
        right = min((edge for edge in edges if edge > x), default=plot.right())
        edges = [plot.left(), *lines, *(rect.right() for rect in in_row)]
        left = max((edge for edge in edges if edge < x), default=plot.left())
        is_over = any(rect.left() <= x <= rect.right() for rect in in_row)
        fit_right, fit_left = (min(width, room - 0.8 * em) for room in (right - x, x - left))
        if not is_over:
            rooms.append(QRectF(x + 0.5 * em, top, fit_right, height))
            rooms.append(QRectF(x - 0.5 * em - fit_left, top, fit_left, height))
    best = max(rooms, key=QRectF.width, default=None)
    return best if best is not None and best.width() >= min(width, _LEAST_EM * em) else None


def _candidates(plot: QRectF, x: float, width: float, height: float, em: float) -> Iterator[QRectF]:
    for row in range(int(_DEEPEST * plot.height() / height)):
        for start in (x - 0.5 * em - width, x + 0.5 * em):
            rect = QRectF(start, plot.top() + row * height, width, height)
            if plot.left() + 0.3 * em <= rect.left() and rect.right() <= plot.right():
                yield rect


def _is_free(rect: QRectF, own: float, lines: list[float], taken: list[QRectF], boxes: Floats) -> bool:
    if any(rect.left() <= line <= rect.right() for line in lines if line != own):
        return False
    if any(rect.intersects(other) for other in taken):
        return False
    left, right, top, bottom = boxes
    crossed = (left < rect.right()) & (right > rect.left()) & (top < rect.bottom()) & (bottom > rect.top())
    return not crossed.any()


def curve_boxes(at: Arrangement) -> Floats:
    """Return left, right, top and bottom of pieces between points of all curves, 1/720 inch, [4, pieces]."""
    (low, high), (bottom, top) = at.x_range, at.y_range
    parts = [np.empty((4, 0))]
    for curve in at.curves:
        x = at.plot.left() + (curve.x - low) / (high - low) * at.plot.width()
        y = at.plot.bottom() - (curve.y - bottom) / (top - bottom) * at.plot.height()
        ends = (np.minimum(x[1:], x[:-1]), np.maximum(x[1:], x[:-1]))
        parts.append(np.stack([*ends, np.minimum(y[1:], y[:-1]), np.maximum(y[1:], y[:-1])]))
    return np.concatenate(parts, axis=1)


_AWAY_EM = 0.45
Words = tuple[float, float, str]  # The words are x, y and label.


def label_places(at: Arrangement, points: Sequence[Words], font_pt: float) -> list[Words]:
    """Return the starts of labels on their base lines, in tenths of a point.

    Args:
        at: the figure.
        points: values in shown units, with their labels.
        font_pt: font size.
    """
    metrics, em = QFontMetricsF(at.fonts.plain), font_pt * UNITS_PER_PT
    boxes = curve_boxes(at)
    taken: list[QRectF] = []
    made = []
    for x, y, words in points:
        size = metrics.horizontalAdvance(words), metrics.capHeight() + 0.3 * em
        candidates = list(_label_candidates(at, at.x(x), at.y(y), size, _AWAY_EM * em))
        place = min(candidates, key=lambda rect: _crowd(rect, taken, boxes))
        taken.append(place)
        made.append((place.left(), place.bottom() - 0.15 * em, words))
    return made


def _label_candidates(
    at: Arrangement, x: float, y: float, size: tuple[float, float], away: float
) -> Iterator[QRectF]:
    """Yield places below and above a value: centred, right, left; inside the plot if there is room."""
    width, height = size
    for top in (y + away, y - away - height):
        for left in (x - width / 2, x + 0.3 * away, x - width - 0.3 * away):
            inside = min(max(left, at.plot.left()), at.plot.right() - width)
            under = min(max(top, at.plot.top() - height), at.plot.bottom() - height)
            yield QRectF(inside, under, width, height)


def _crowd(rect: QRectF, taken: Sequence[QRectF], boxes: Floats) -> int:
    """Return the crowding of an area: other labels count more than pieces of curves."""
    left, right, top, bottom = boxes
    crossed = (left < rect.right()) & (right > rect.left()) & (top < rect.bottom()) & (bottom > rect.top())
    return int(crossed.sum()) + 1000 * sum(rect.intersects(other) for other in taken)
