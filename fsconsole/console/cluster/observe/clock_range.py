"""The time that the plots of a cluster show, and clock times in words."""

from __future__ import annotations

import math
import time

from PySide6.QtCore import QObject

from fsconsole.console.observe.time_range import TimeRange

FOLLOW_S = 3600.0
_LEAST_S = 60.0
_JUMP = 1 / 100
_AT_FIRST_S = (120.0, 300.0, 600.0, 1200.0, 1800.0)  # spans until there is as much as is followed
_FULL = 0.95
_SECONDS_BELOW_S = 900.0  # spans shorter than this have seconds at their axis


class ClockRange(TimeRange):
    """As for a machine, but all of it is from the time of connecting up to now."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.follow_s = FOLLOW_S
        self.first_s = 0.0
        self.base_s = 0.0

    @property
    def whole_s(self) -> float:
        """From connecting to now and a little on, so that it does not move with every second."""
        length = max(self._now_s - self.first_s, _LEAST_S)
        step = 10.0 ** math.floor(math.log10(length)) / 5
        return math.ceil(length / step) * step

    def begin_at(self, first_s: float, base_s: float) -> None:
        """Another cluster, connected at a time; `base_s` is when times begin, in seconds since 1970."""
        self.first_s = self._now_s = first_s
        self.base_s = base_s
        if self.mode == "fixed":
            self.mode = "follow"
        self._show(*self._wanted(), tell=True)

    def fix(self, start_s: float, end_s: float) -> None:
        """Show a range and stay there, inside what was read and never shorter than a second."""
        width = min(max(end_s - start_s, 1.0), self.whole_s)
        start = min(max(start_s, self.first_s), self.first_s + self.whole_s - width)
        self.mode = "fixed"
        self._show(start, start + width, tell=True)

    def _wanted(self) -> tuple[float, float]:
        if self.mode == "whole":
            return self.first_s, self.first_s + self.whole_s
        known_s = self._now_s - self.first_s
        if known_s <= self.follow_s:
            at_first = (span for span in _AT_FIRST_S if known_s <= span * _FULL)
            return self.first_s, self.first_s + min(next(at_first, self.follow_s), self.follow_s)
        jump = self.follow_s * _JUMP
        end = math.ceil(self._now_s / jump + 1) * jump
        return end - self.follow_s, end

    def words(self, time_s: float) -> str:
        """A time at the axis: 14:31, or 14:31:20 where the span is short."""
        clock = self.clock(time_s)
        return clock if self.end_s - self.start_s < _SECONDS_BELOW_S else clock[:-3]

    def clock(self, time_s: float) -> str:
        """A time to the second: 14:31:20."""
        return clock_of(self.base_s + time_s)


def clock_of(at_s: float) -> str:
    """Local time of seconds since 1970, 14:31:20."""
    return time.strftime("%H:%M:%S", time.localtime(at_s))
