"""Where words stand, clear of curves and of each other: beside event lines and beside single values."""

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


_AWAY_EM = 0.45
Words = tuple[float, float, str]  # x, y, and what stands there


def label_places(at: Arrangement, points: Sequence[Words], font_pt: float) -> list[Words]:
    """Where words begin on their base line, in tenths of a point.

    Args:
        at: the figure.
        points: values in shown units, with their words.
        font_pt: size of letters.
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
    """Below and above: in the middle, at the right, at the left; inside the plot if there is room."""
    width, height = size
    for top in (y + away, y - away - height):
        for left in (x - width / 2, x + 0.3 * away, x - width - 0.3 * away):
            inside = min(max(left, at.plot.left()), at.plot.right() - width)
            under = min(max(top, at.plot.top() - height), at.plot.bottom() - height)
            yield QRectF(inside, under, width, height)


def _crowd(rect: QRectF, taken: Sequence[QRectF], boxes: Floats) -> int:
    """How much stands there already: other words count more than pieces of curves."""
    left, right, top, bottom = boxes
    crossed = (left < rect.right()) & (right > rect.left()) & (top < rect.bottom()) & (bottom > rect.top())
    return int(crossed.sum()) + 1000 * sum(rect.intersects(other) for other in taken)
