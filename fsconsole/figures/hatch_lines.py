"""The lines of a hatching inside a rectangle."""

from __future__ import annotations

import math
from collections.abc import Iterator

from PySide6.QtCore import QLineF, QPointF, QRectF

from fsconsole.figures.arrange import UNITS_PER_PT
from fsconsole.figures.print_looks import Hatch


def hatch_lines(place: QRectF, hatch: Hatch) -> Iterator[QLineF]:
    """Yield the lines of a hatching inside a rectangle, from its bottom left corner."""
    gap = hatch.gap_pt * UNITS_PER_PT
    for angle in hatch.angles:
        along = math.cos(math.radians(angle)), -math.sin(math.radians(angle))
        across = -along[1], along[0]
        corners = (place.topLeft(), place.topRight(), place.bottomLeft(), place.bottomRight())
        start = place.bottomLeft()
        away = [(one.x() - start.x()) * across[0] + (one.y() - start.y()) * across[1] for one in corners]
        first, last = math.floor(min(away) / gap), math.ceil(max(away) / gap)
        for step in range(first, last + 1):
            middle = (step + 0.5) * gap
            through = QPointF(start.x() + middle * across[0], start.y() + middle * across[1])
            if line := _inside(place, through, along):
                yield line


def _inside(place: QRectF, through: QPointF, along: tuple[float, float]) -> QLineF | None:
    """Return the part inside a rectangle of a line through a point."""
    low, high = -math.inf, math.inf
    edges = (
        (through.x(), along[0], place.left(), place.right()),
        (through.y(), along[1], place.top(), place.bottom()),
    )
    for at, slope, first, last in edges:
        if abs(slope) < 1e-9:
            if not first <= at <= last:
                return None
            continue
        near, far = sorted(((first - at) / slope, (last - at) / slope))
        low, high = max(low, near), min(high, far)
    if low >= high:
        return None
    ends = (QPointF(through.x() + step * along[0], through.y() + step * along[1]) for step in (low, high))
    return QLineF(*ends)
