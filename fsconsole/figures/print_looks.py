"""Dashes and hatching by series, which distinguish curves and bars on paper without colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    taken: dict[int, int] = {}  # Each series has its number here.
    found = []
    for place, wanted in enumerate(series):
        number = (place if wanted is None else wanted) % count
        if taken.get(number, wanted) != wanted or (wanted is None and number in taken):
            number = next((one for one in free if one not in taken), number)
        taken.setdefault(number, -1 if wanted is None else wanted)
        found.append(number)
    return found
