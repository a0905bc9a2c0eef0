"""Dashes and hatching by series, which distinguish curves and bars on paper without colours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF

from fsconsole.figures.arrange import UNITS_PER_PT
from fsconsole.figures.spec import FigureSpec, FigureStyle

PRINT_DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (5, 2),
    (2, 2),
    (6, 2, 1.5, 2),
    (9, 3),
    (9, 3, 1.5, 3, 1.5, 3),
    (1, 3),
    (12, 2, 3, 2),
    (3, 5),
    (12, 6),
    (6, 2, 1, 2, 1, 2, 1, 2),
    (1, 6),
)


@dataclass(frozen=True, slots=True)
class Hatch:
    """The fill of a bar: lines at angles in degrees, `gap_pt` apart; empty without lines, or solid."""

    angles: tuple[float, ...] = ()
    gap_pt: float = 2.0
    is_full: bool = False


HATCHES: tuple[Hatch, ...] = (
    Hatch(is_full=True),
    Hatch(),
    Hatch((45,)),
    Hatch((0,)),
    Hatch((45, 135), 2.4),
    Hatch((135,)),
    Hatch((90,)),
    Hatch((0, 90), 2.4),
    Hatch((0,), 1.1),
    Hatch((45,), 1.1),
    Hatch((90,), 1.1),
    Hatch((135,), 1.1),
)


def hatch_of(spec: FigureSpec, index: int, style: FigureStyle) -> Hatch:
    """Return the fill of a curve's bars: hatched by series in print.

    In colours it is solid, unless an earlier curve has the same colour.
    """
    if style.theme == "print":
        return HATCHES[print_number(spec, index)]
    twins = sum(one.colour == spec.curves[index].colour for one in spec.curves[:index])
    return HATCHES[min(twins + 1, len(HATCHES) - 1) if twins else 0]


def dash_of(spec: FigureSpec, index: int, style: FigureStyle) -> tuple[float, ...]:
    """Return the dash pattern of a curve in line widths: by series in print, else its own."""
    if style.theme == "print":
        return PRINT_DASHES[print_number(spec, index)]
    return spec.curves[index].dash


def print_number(spec: FigureSpec, index: int) -> int:
    """Return the number of a curve's dash and hatching: its series' own unless an earlier curve has it.

    After the last one they repeat.
    """
    return _numbers([curve.series for curve in spec.curves])[index]


def _numbers(series: Sequence[int | None]) -> list[int]:
    count = len(HATCHES)
    free = [number for number in range(count) if number not in {one and one % count for one in series}]
    taken: dict[int, int] = {}  # series by number
    found = []
    for place, wanted in enumerate(series):
        number = (place if wanted is None else wanted) % count
        if taken.get(number, wanted) != wanted or (wanted is None and number in taken):
            number = next((one for one in free if one not in taken), number)
        taken.setdefault(number, -1 if wanted is None else wanted)
        found.append(number)
    return found


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
