"""Where the words beside event lines stand: clear of other lines, of curves and of each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF

from fsconsole.figures.arrange import UNITS_PER_PT, Arrangement
from fsconsole.figures.spec import EventMark, Floats

_DEEPEST = 0.6  # of the plot's height; further down a word stands too far from where one looks for it


@dataclass(frozen=True, slots=True)
class EventPlace:
    """An event line's x, and where its word begins on its base line; None where no place is free."""

    x: float
    text: str
    at: QPointF | None


def event_places(at: Arrangement, events: Sequence[EventMark], font_pt: float) -> list[EventPlace]:
    """Places of the events inside the range in x, in tenths of a point.

    A word stands at the left of its line, else at the right, else a row further down; of two events at one
    time both are named if there is room.
    """
    low, high = at.x_range
    shown = [event for event in events if low <= event.at_s * at.x_scale <= high]
    lines = [at.x(event.at_s * at.x_scale) for event in shown]
    metrics, em = QFontMetricsF(at.fonts.small), font_pt * UNITS_PER_PT
    boxes = curve_boxes(at)
    taken: list[QRectF] = []
    made = []
    for event, x in zip(shown, lines, strict=True):
        width = metrics.horizontalAdvance(event.text)
        candidates = _candidates(at.plot, x, width, metrics.height(), em)
        place = next((rect for rect in candidates if _is_free(rect, x, lines, taken, boxes)), None)
        if place is not None:
            taken.append(place)
        start = QPointF(place.left(), place.top() + metrics.ascent()) if place is not None else None
        made.append(EventPlace(x, event.text, start))
    return made


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
    """Left, right, top, bottom of all pieces between neighbouring points of all curves."""
    (low, high), (bottom, top) = at.x_range, at.y_range
    parts = [np.empty((4, 0))]
    for curve in at.curves:
        x = at.plot.left() + (curve.x - low) / (high - low) * at.plot.width()
        y = at.plot.bottom() - (curve.y - bottom) / (top - bottom) * at.plot.height()
        ends = (np.minimum(x[1:], x[:-1]), np.maximum(x[1:], x[:-1]))
        parts.append(np.stack([*ends, np.minimum(y[1:], y[:-1]), np.maximum(y[1:], y[:-1])]))
    return np.concatenate(parts, axis=1)
