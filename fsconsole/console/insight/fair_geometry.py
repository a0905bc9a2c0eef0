"""Places in the plot of figure 2-8: two children of a group, their fair line, the target. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from fsconsole.figures.ticks import nice_top
from fsconsole.machine.insight.fair_line import Child

Point = tuple[float, float]
LEFT, RIGHT, ABOVE, BELOW = 54.0, 12.0, 10.0, 34.0


@dataclass(frozen=True, slots=True)
class FairPlaces:
    """In px: the plot, the end of the fair line, position, target; `top` is the end of both axes.

    Both axes end at the same usage, so that an angle means what it does on paper.
    """

    left: float
    bottom: float
    side_x: float
    side_y: float
    top: float
    fair_end: Point
    position: Point
    target: Point

    def at(self, x: float, y: float) -> Point:
        """Where a pair of usages lies."""
        return self.left + self.side_x * x / self.top, self.bottom - self.side_y * y / self.top


def fair_places(first: Child, other: Child, width: float, height: float) -> FairPlaces:
    """The plot of two children in a widget of this size."""
    top = nice_top(max(first.usage, other.usage, first.aim, other.aim) * 1.05)
    side_x, side_y = max(width - LEFT - RIGHT, 10.0), max(height - ABOVE - BELOW, 10.0)
    bare = FairPlaces(LEFT, height - BELOW, side_x, side_y, top, (0, 0), (0, 0), (0, 0))
    reach = top / max(first.part, other.part)
    return FairPlaces(
        LEFT,
        height - BELOW,
        side_x,
        side_y,
        top,
        bare.at(first.part * reach, other.part * reach),
        bare.at(first.usage, other.usage),
        bare.at(first.aim, other.aim),
    )
