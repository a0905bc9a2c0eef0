"""Where the parts of the machine's picture are. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

LEFT_PX = 58.0
_RIGHT_PX = 12.0
_TOP_PX = 8.0
_AXIS_PX = 20.0
_STRIP_PX = 12.0
_GAP_PX = 6.0
_WAITING_PX = 64.0
_WAITING_PART = 0.2  # of the height at most


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle, in px."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height

    def holds(self, x: float, y: float) -> bool:
        """Whether a place is inside."""
        return self.x <= x < self.right and self.y <= y < self.bottom


@dataclass(frozen=True, slots=True)
class Areas:
    """Nodes over time, who holds the reservation, how many jobs wait, and the words of the time axis."""

    machine: Area
    strip: Area
    waiting: Area
    axis: Area


def areas_of(width: float, height: float) -> Areas:
    """The parts of a picture of this size; whole px, so that lines are sharp."""
    inner = max(round(width - LEFT_PX - _RIGHT_PX), 1)
    waiting = min(_WAITING_PX, round(_WAITING_PART * height))
    below = _AXIS_PX + waiting + _GAP_PX + _STRIP_PX + 2
    machine = Area(LEFT_PX, _TOP_PX, inner, max(round(height - _TOP_PX - below - _GAP_PX), 1))
    strip = Area(LEFT_PX, machine.bottom + 2, inner, _STRIP_PX)
    waits = Area(LEFT_PX, strip.bottom + _GAP_PX, inner, waiting)
    return Areas(machine, strip, waits, Area(LEFT_PX, waits.bottom, inner, _AXIS_PX))
