"""Geometry of the machine over time: its areas, and which seconds and lanes are in sight. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

LEAST_S = 30.0  # Shortest time that the view can show.
LEAST_LANES = 4.0
LEFT_PX = 58.0
RIGHT_PX = 12.0
_TOP_PX = 8.0
_AXIS_PX = 20.0
_STRIP_PX = 12.0
_GAP_PX = 6.0
_WAITING_PX = 64.0
_MOST_WAITING_HEIGHT_PART = 0.2


@dataclass(frozen=True, slots=True)
class Sight:
    """A part of the machine over time, drawn `width` by `height` pixels large.

    Attributes:
        begin_s, end_s: seconds of the trace at the left and the right edge.
        top, bottom: lanes at the upper and the lower edge; lane 0 is at the top.
        width, height: pixels of the picture.
        first_s, last_s, lanes: all there is; what is in sight stays within.
    """

    begin_s: float
    end_s: float
    top: float
    bottom: float
    width: float
    height: float
    first_s: float
    last_s: float
    lanes: float

    @staticmethod
    def of_all(first_s: float, last_s: float, lanes: float, width: float, height: float) -> Sight:
        """Return a sight of the whole run."""
        last_s = max(last_s, first_s + LEAST_S)
        lanes = max(lanes, 1.0)
        return Sight(first_s, last_s, 0.0, lanes, max(width, 1.0), max(height, 1.0), first_s, last_s, lanes)

    @property
    def seconds(self) -> float:
        """How much time is in sight."""
        return self.end_s - self.begin_s

    @property
    def px_per_s(self) -> float:
        """Width of a second in px."""
        return self.width / self.seconds

    @property
    def px_per_lane(self) -> float:
        """Height of a lane in px."""
        return self.height / (self.bottom - self.top)

    @property
    def is_all(self) -> bool:
        """Whether everything is in sight."""
        return (self.begin_s, self.end_s, self.top, self.bottom) == (
            self.first_s,
            self.last_s,
            0.0,
            self.lanes,
        )

    def x(self, second: float) -> float:
        """Return the distance of a second from the left edge."""
        return (second - self.begin_s) * self.px_per_s

    def y(self, lane: float) -> float:
        """Return the upper edge of a lane."""
        return (lane - self.top) * self.px_per_lane

    def second(self, x: float) -> float:
        """Return the second at a place."""
        return self.begin_s + x / self.px_per_s

    def lane(self, y: float) -> float:
        """Return the lane at a place, with its part."""
        return self.top + y / self.px_per_lane

    def sized(self, width: float, height: float) -> Sight:
        """Return the sight in a picture of another size."""
        return replace(self, width=max(width, 1.0), height=max(height, 1.0))

    def all(self) -> Sight:
        """Return a sight of the whole run in this picture."""
        return replace(self, begin_s=self.first_s, end_s=self.last_s, top=0.0, bottom=self.lanes)

    def zoomed(self, factor: float, at_s: float | None = None) -> Sight:
        """Return a sight of `factor` times as much time; `at_s` (the middle if None) stays in its place."""
        at_s = (self.begin_s + self.end_s) / 2 if at_s is None else at_s
        seconds = min(max(self.seconds * factor, LEAST_S), self.last_s - self.first_s)
        part = (at_s - self.begin_s) / self.seconds
        return self._at(at_s - part * seconds, seconds)

    def zoomed_lanes(self, factor: float, at: float) -> Sight:
        """Return a sight of `factor` times as many lanes; lane `at` stays in its place."""
        wide = min(max((self.bottom - self.top) * factor, min(LEAST_LANES, self.lanes)), self.lanes)
        part = (at - self.top) / (self.bottom - self.top)
        top = min(max(at - part * wide, 0.0), self.lanes - wide)
        return replace(self, top=top, bottom=top + wide)

    def moved(self, by_x: float, by_y: float = 0.0) -> Sight:
        """Return moved by pixels, whole ones if it can be: what is drawn goes left and up by that."""
        by_x = round(by_x) if abs(by_x) < self.width else by_x
        wide = self.bottom - self.top
        top = min(max(self.top + by_y / self.px_per_lane, 0.0), self.lanes - wide)
        return replace(
            self._at(self.begin_s + by_x / self.px_per_s, self.seconds), top=top, bottom=top + wide
        )

    def with_second(self, second: float) -> Sight:
        """Return the sight moved so far that a second, if it was not in sight, is in the middle."""
        if self.begin_s <= second <= self.end_s:
            return self
        return self._at(second - self.seconds / 2, self.seconds)

    def around(self, begin_s: float, end_s: float) -> Sight:
        """Return a stretch of time with as much on both sides of it."""
        seconds = min(max(3 * (end_s - begin_s), LEAST_S), self.last_s - self.first_s)
        return self._at((begin_s + end_s - seconds) / 2, seconds)

    def like(self, other: Sight) -> Sight:
        """Return a sight of the time that another one shows; all of it if they have none in common."""
        if other.is_all or other.begin_s >= self.last_s or other.end_s <= self.first_s:
            return self
        return self._at(other.begin_s, min(other.seconds, self.last_s - self.first_s))

    def spanning(self, first_s: float, last_s: float) -> Sight:
        """Return a sight of a whole between two seconds; the visible part stays if it is inside."""
        whole = replace(self, first_s=first_s, last_s=max(last_s, first_s + LEAST_S))
        if self.begin_s == self.first_s and self.end_s == self.last_s:
            return replace(whole, begin_s=whole.first_s, end_s=whole.last_s)
        return whole.to(self.begin_s, self.end_s)

    def to(self, begin_s: float, end_s: float, lanes: tuple[float, float] | None = None) -> Sight:
        """Return a stretch of time, and of lanes (top, bottom) if they are given; at least the closest
        look.
        """
        most = self.last_s - self.first_s
        seconds = min(max(end_s - begin_s, LEAST_S), most)
        found = self._at((begin_s + end_s - seconds) / 2, seconds)
        if lanes is None:
            return found
        wide = min(max(lanes[1] - lanes[0], min(LEAST_LANES, self.lanes)), self.lanes)
        top = min(max((lanes[0] + lanes[1] - wide) / 2, 0.0), self.lanes - wide)
        return replace(found, top=top, bottom=top + wide)

    def _at(self, begin_s: float, seconds: float) -> Sight:
        begin_s = min(max(begin_s, self.first_s), self.last_s - seconds)
        return replace(self, begin_s=begin_s, end_s=begin_s + seconds)


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A part of the picture, in px."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Right edge in px."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Lower edge in px."""
        return self.y + self.height

    def holds(self, x: float, y: float) -> bool:
        """Return True if a place is inside."""
        return self.x <= x < self.right and self.y <= y < self.bottom


@dataclass(frozen=True, slots=True)
class Areas:
    """Nodes over time, who holds the reservation, how many jobs wait, and the words of the time axis."""

    machine: Rectangle
    strip: Rectangle
    waiting: Rectangle
    axis: Rectangle


def areas_of(width: float, height: float) -> Areas:
    """Return the parts of a picture of this size; whole px, so that lines are sharp."""
    inner = max(round(width - LEFT_PX - RIGHT_PX), 1)
    waiting = min(_WAITING_PX, round(_MOST_WAITING_HEIGHT_PART * height))
    below = _AXIS_PX + waiting + _GAP_PX + _STRIP_PX + 2
    machine = Rectangle(LEFT_PX, _TOP_PX, inner, max(round(height - _TOP_PX - below - _GAP_PX), 1))
    strip = Rectangle(LEFT_PX, machine.bottom + 2, inner, _STRIP_PX)
    waits = Rectangle(LEFT_PX, strip.bottom + _GAP_PX, inner, waiting)
    return Areas(machine, strip, waits, Rectangle(LEFT_PX, waits.bottom, inner, _AXIS_PX))
