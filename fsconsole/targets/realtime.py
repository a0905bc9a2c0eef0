"""Simulated time against the wall clock."""

from __future__ import annotations

import time

from fsconsole.targets.base import MAX_SPEED

PAUSE_S = 1 / 60
# We measured that with less, the window, which shares the interpreter, falls below 30 frames a second.
PAUSE_AT_MAX_S = 0.012
MEASURE_S = 0.5
# Between these a stride takes about as long as it should: long beside what Python does for each, and short
# beside a slice, so that commands are answered and the machine is held in time.
SHORT_S, LONG_S = 0.002, 0.005
_LONGEST_STRIDE_S = 3600


class Stride:
    """Length of simulated time for one step, short enough for a responsive window."""

    def __init__(self, hz: int) -> None:
        """Start with a second of a machine of `hz` ticks per second."""
        self._hz = hz
        self.ticks = hz

    def took(self, seconds: float, ticks: int) -> None:
        """Double or halve the next stride if the last one was fast or slow.

        A stride that was cut short does not change the length.
        """
        if seconds < SHORT_S and ticks >= self.ticks:
            self.ticks = min(2 * self.ticks, _LONGEST_STRIDE_S * self._hz)
        elif seconds > LONG_S:
            self.ticks = max(self.ticks // 2, self._hz)


class RealTimeFactor:
    """Pace of a machine: its due progress, and the measured one."""

    def __init__(self, hz: int) -> None:
        """Begin paused, for a machine of `hz` ticks per second."""
        self._hz = hz
        self._speed = 0.0
        self._base = (0.0, 0)
        self._since = 0.0
        self._ticks = 0
        self.real_speed = 0.0

    def rest(self) -> None:
        """Drop the base; the next slice starts again."""
        self._speed = 0.0
        self.real_speed = 0.0

    def pause_s(self, speed: float) -> float:
        """Return the pause before the next slice."""
        return PAUSE_AT_MAX_S if speed == MAX_SPEED else PAUSE_S

    def until(self, tick: int, speed: float) -> int:
        """Return the tick to reach now."""
        now = time.perf_counter()
        if speed != self._speed:
            self._speed, self._base = speed, (now, tick)
            self._since, self._ticks = now, 0
        if speed == MAX_SPEED:
            return tick + 3600 * self._hz
        began, base = self._base
        return base + int((now - began) * speed * self._hz)

    def did(self, ticks: int, tick: int) -> None:
        """Count the work of a slice; drop the debt if the machine cannot keep up."""
        now = time.perf_counter()
        self._ticks += ticks
        if now - self._since >= MEASURE_S:
            self.real_speed = self._ticks / self._hz / (now - self._since)
            self._since, self._ticks = now, 0
        began, base = self._base
        if self._speed != MAX_SPEED and base + (now - began - MEASURE_S) * self._speed * self._hz > tick:
            self._base = (now, tick)
