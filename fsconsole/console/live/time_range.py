"""The time range of all plots: following the present, the whole run, or a range chosen by the user."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Literal

from PySide6.QtCore import QObject, Signal

from fsconsole.console.style.sizes import scaled
from fsconsole.figures.ticks import clock_ticks
from fsconsole.targets.base import Clock
from fsconsole.text import durations, moments

Mode = Literal["follow", "whole", "fixed"]
FOLLOW_S, FOLLOW_CLOCK_S = 600.0, 3600.0
SHORTEST_S = 1.0
# A following range advances in steps of this fraction of its width, to limit repainting of the plots.
_JUMP = 1 / 100
# Without a planned end, the span shown grows in these steps with the run.
_AT_FIRST_S = (120.0, 300.0, 600.0, 1200.0, 1800.0)
_FULL = 0.95
_ROOM = 0.1  # Fraction of the range beside an instant that was scrolled into view.
_LEAST_S = 60.0
_HOUR_S = 3600.0
_DAY_S = 86400.0
_TICK_PX = 72
_SECONDS_BELOW_S = 900.0  # With shorter spans, clock times on an axis have seconds.


class TimeRange(QObject):
    """Start and end in seconds of the target, and how they come about.

    Attributes:
        clock: how the target counts time.

    Signals: changed() after start, end or mode are others.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.clock = Clock(until_s=FOLLOW_S)
        self.mode: Mode = "follow"
        self._before: Mode = "follow"
        self.follow_s = FOLLOW_S
        self.start_s = 0.0
        self.end_s = FOLLOW_S
        self._now_s = 0.0
        self._reach_s = 0.0

    @property
    def now_s(self) -> float:
        """Present as last reported."""
        return self._now_s

    @property
    def first_s(self) -> float:
        """When what is known begins."""
        return self.clock.first_s

    @property
    def whole_s(self) -> float:
        """Length of all: as long as planned, longer once it has gone on, in steps so that it seldom moves."""
        until_s = self.clock.until_s
        if until_s is None:
            length = max(self._now_s - self.first_s, _LEAST_S)
            step = 10.0 ** math.floor(math.log10(length)) / 5
            return math.ceil(length / step) * step
        planned = max(until_s - self.first_s, self._reach_s - self.first_s, SHORTEST_S)
        if self._now_s <= self.first_s + planned:
            return planned
        step = planned / 4
        return math.ceil((self._now_s - self.first_s) / step) * step

    def reach(self, end_s: float) -> None:
        """Let all that is known end no earlier than a time: another run is shown that goes on to there."""
        if end_s != self._reach_s:
            self._reach_s = end_s
            if self.mode == "whole":
                self._show(*self._wanted(), tell=True)

    def begin(self, clock: Clock) -> None:
        """Start with another run or another cluster."""
        if (clock.epoch_s is None) is not (self.clock.epoch_s is None):
            self.follow_s = FOLLOW_S if clock.epoch_s is None else FOLLOW_CLOCK_S
        self.clock = clock
        self._now_s = clock.first_s
        if self.mode == "fixed":
            self.mode = "follow"
        self._show(*self._wanted(), tell=True)

    def advance(self, now_s: float, *, follows: bool = True) -> None:
        """Move to another present, which the range follows if it `follows`."""
        self._now_s = now_s
        if self.mode != "fixed" and follows:
            self._show(*self._wanted())

    def follow(self, width_s: float) -> None:
        """Show the last so many seconds."""
        self.mode, self.follow_s = "follow", width_s
        self._show(*self._wanted(), tell=True)

    def show_whole(self) -> None:
        """Show all that is known."""
        self.mode = "whole"
        self._show(*self._wanted(), tell=True)

    def fix(self, start_s: float, end_s: float) -> None:
        """Show a range and stay there, inside the whole and never shorter than a second."""
        width = min(max(end_s - start_s, SHORTEST_S), self.whole_s)
        start = min(max(start_s, self.first_s), self.first_s + self.whole_s - width)
        if self.mode != "fixed":
            self._before = self.mode
        self.mode = "fixed"
        self._show(start, start + width, tell=True)

    def bring_into_sight(self, time_s: float) -> None:
        """Move the range so that it holds a time, as little as that takes and a little more."""
        width = self.end_s - self.start_s
        room = width * _ROOM
        if time_s < self.start_s:
            self.fix(time_s - room, time_s - room + width)
        elif time_s > self.end_s:
            self.fix(time_s + room - width, time_s + room)

    def release(self) -> None:
        """Show the range from before the choice: the moving present, or all."""
        if self.mode == "fixed":
            self.mode = self._before
            self._show(*self._wanted(), tell=True)

    def zoom(self, about_s: float, factor: float) -> None:
        """Make the range `factor` times as wide; the time `about_s` keeps its place."""
        self.fix(about_s - (about_s - self.start_s) * factor, about_s + (self.end_s - about_s) * factor)

    # -- in words -----------------------------------------------------------------------------------------

    @property
    def offset_s(self) -> float:
        """What a clock on the wall shows at time 0, in seconds; 0 where time is simulated."""
        if self.clock.epoch_s is None:
            return 0.0
        at = datetime.fromtimestamp(self.clock.epoch_s + self.end_s, UTC).astimezone()
        shift = at.utcoffset()
        return self.clock.epoch_s + (0.0 if shift is None else shift.total_seconds())

    @property
    def unit(self) -> str:
        """How the times at the axis are to be read."""
        if self.clock.epoch_s is None and durations.is_of_days(self.end_s - self.start_s):
            return "days"
        if self.clock.epoch_s is None:
            return "min:s" if self.end_s <= _HOUR_S else "h:min:s"
        return "h:min:s" if self.end_s - self.start_s < _SECONDS_BELOW_S else "h:min"

    def words(self, time_s: float) -> str:
        """Return a time at the axis: 14:31, 14:31:20 where the span is short; 10:00 or 5 d of simulated
        time.
        """
        if self.clock.epoch_s is None:
            return durations.axis_time(time_s, self.start_s, self.end_s)
        clock = self.exact(time_s)
        return clock if self.end_s - self.start_s < _SECONDS_BELOW_S else clock[:-3]

    def mark(self, time_s: float, first_s: float, last_s: float) -> str:
        """Return a time at an axis from one time to another, with its day where there are several."""
        if self.clock.epoch_s is None:
            return durations.axis_time(time_s, first_s, last_s)
        at = moments.local(self.clock.epoch_s + time_s)
        return f"{at:%H:%M}" if last_s - first_s <= _DAY_S else f"{at:%a %H:%M}"

    def short(self, time_s: float) -> str:
        """Return a time within a sentence."""
        if self.clock.epoch_s is None:
            return durations.plot_time(time_s, self.end_s)
        return moments.clock(self.clock.epoch_s + time_s)

    def exact(self, time_s: float) -> str:
        """Return a time as the cursor has it."""
        if self.clock.epoch_s is None:
            return durations.cursor_time(time_s, self.end_s)
        return moments.clock(self.clock.epoch_s + time_s)

    # -- inside -------------------------------------------------------------------------------------------

    def _wanted(self) -> tuple[float, float]:
        first_s, known_s = self.first_s, self._now_s - self.first_s
        if self.mode == "whole":
            return first_s, first_s + self.whole_s
        if known_s <= self.follow_s:
            if self.clock.until_s is not None:
                return first_s, first_s + self.follow_s
            at_first = (span for span in _AT_FIRST_S if known_s <= span * _FULL)
            return first_s, first_s + min(next(at_first, self.follow_s), self.follow_s)
        jump = self.follow_s * _JUMP
        end = math.ceil(self._now_s / jump + 1) * jump
        return end - self.follow_s, end

    def _show(self, start_s: float, end_s: float, *, tell: bool = False) -> None:
        if tell or (start_s, end_s) != (self.start_s, self.end_s):
            self.start_s, self.end_s = start_s, end_s
            self.changed.emit()


def time_grid(span: tuple[float, float], width_px: float, offset_s: float = 0.0) -> tuple[float, ...]:
    """Return times of the vertical grid lines; `offset_s` is what the clock shows at time 0."""
    return clock_ticks(*span, max(2, int(width_px / scaled(_TICK_PX))), offset_s)
