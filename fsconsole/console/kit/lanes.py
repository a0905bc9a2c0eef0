"""Boxes in lanes over a time axis: their layout in pixels and seconds. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

TOP = 26.0
AXIS = 20.0
RIGHT = 14.0
LABEL_LEFT = 12.0
_LEAST_PLOT = 100.0
_TICK_PX = 90.0
_STEPS_S = (300.0, 900.0, 1800.0, 3600.0, 7200.0, 14400.0, 21600.0, 43200.0, 86400.0)


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Times in seconds at places in pixels, between the ends of a plot."""

    left: float
    right: float
    from_s: float
    to_s: float

    @classmethod
    def in_width(cls, width: float, labels: float, span: tuple[float, float]) -> TimeAxis:
        """Return the axis of a widget so wide, right of its labels."""
        return cls(labels, max(width - RIGHT, labels + _LEAST_PLOT), *span)

    def x(self, time_s: float) -> float:
        """Return the position of a time, inside the plot."""
        part = (time_s - self.from_s) / (self.to_s - self.from_s)
        return self.left + min(max(part, 0.0), 1.0) * (self.right - self.left)

    def mark(self, time_s: float | None) -> float | None:
        """Return the position of a time; None for one outside."""
        return None if time_s is None or not self.from_s <= time_s <= self.to_s else self.x(time_s)

    def time(self, x: float) -> float:
        """Return the time at a place."""
        return self.from_s + (x - self.left) / (self.right - self.left) * (self.to_s - self.from_s)

    def round_times(self, since_midnight_s: float) -> list[float]:
        """Return the round times of a clock that shows `since_midnight_s` at the left end."""
        px_per_s = (self.right - self.left) / (self.to_s - self.from_s)
        step_s = next((step for step in _STEPS_S if step * px_per_s >= _TICK_PX), _STEPS_S[-1])
        first_s = self.from_s + (-since_midnight_s) % step_s
        return [first_s + number * step_s for number in range(int((self.to_s - first_s) // step_s) + 1)]

    def bar(
        self, kind: str, start_s: float, end_s: float, words: str = "", tip: str = "", item: int = 0
    ) -> Bar:
        """Return the box of a length of time, as much of it as is inside."""
        x = self.x(start_s)
        width = max(self.x(end_s) - x, 0.0)  # The clock of a cluster may be ahead of the local one.
        return Bar(kind, x, width, words, tip, item, end_s > self.to_s)


@dataclass(frozen=True, slots=True)
class Bar:
    """A box of a lane; `item` is its object, `beyond` whether it continues past the right end."""

    kind: str
    x: float
    width: float
    words: str = ""
    tip: str = ""
    item: int = 0
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """A row: its name and remark, its boxes; `item` is the id of its owner, 0 without one."""

    words: str
    rest: str
    y: float
    height: float
    bars: tuple[Bar, ...] = ()
    tip: str = ""
    item: int = 0


@dataclass(frozen=True, slots=True)
class LanesLayout:
    """Everything that is drawn.

    Attributes:
        axis: times at places; ticks: x and words of its marks.
        lanes: from the top; more: how many there was no room for.
        now_x: the present, None outside; now: its words.
        grown: pixels by which a line of text is higher than in the specification.
    """

    axis: TimeAxis
    ticks: tuple[tuple[float, str], ...]
    lanes: tuple[Lane, ...]
    more: int
    now_x: float | None
    now: str
    grown: float

    @property
    def top(self) -> float:
        """Where the lanes begin, below the tag of the present."""
        return TOP + self.grown

    @property
    def foot(self) -> float:
        """Height of the axis and its words."""
        return AXIS + self.grown

    @property
    def bars(self) -> tuple[Bar, ...]:
        """All boxes, from the top."""
        return tuple(bar for lane in self.lanes for bar in lane.bars)

    def lane_at(self, y: float) -> Lane | None:
        """Return the lane at a height."""
        return next((lane for lane in self.lanes if lane.y <= y < lane.y + lane.height), None)

    def tip_at(self, x: float, y: float) -> str:
        """Return the tooltip of a place: its box's, else its lane's."""
        lane = self.lane_at(y)
        if lane is None:
            return ""
        bar = next((one for one in lane.bars if one.tip and one.x <= x <= one.x + one.width), None)
        return bar.tip if bar is not None else lane.tip
