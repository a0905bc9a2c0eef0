"""Where words of single values stand: beside the value, clear of curves and of each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from fsconsole.figures.arrange import UNITS_PER_PT, Arrangement
from fsconsole.figures.event_places import curve_boxes
from fsconsole.figures.spec import Floats

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
        candidates = list(_candidates(at, at.x(x), at.y(y), size, _AWAY_EM * em))
        place = min(candidates, key=lambda rect: _crowd(rect, taken, boxes))
        taken.append(place)
        made.append((place.left(), place.bottom() - 0.15 * em, words))
    return made


def _candidates(
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
