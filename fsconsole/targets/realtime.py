"""Simulated time against the wall clock."""

from __future__ import annotations

import time

from fsconsole.targets.base import MAX_SPEED

PAUSE_S = 1 / 60
# Measured: with less the window, which shares the interpreter, falls below 30 frames a second.
PAUSE_AT_MAX_S = 0.012
MEASURE_S = 0.5


class RealTimeFactor:
    """Says how far a machine should be, and measures how fast it gets on."""

    def __init__(self, hz: int) -> None:
        """At rest, for a machine of `hz` ticks per second."""
        self._hz = hz
        self._speed = 0.0
        self._base = (0.0, 0)
        self._since = 0.0
        self._ticks = 0
        self.real_speed = 0.0

    def rest(self) -> None:
        """Forget the base; the next slice starts again."""
        self._speed = 0.0
        self.real_speed = 0.0

    def pause_s(self, speed: float) -> float:
        """How long to wait before the next slice."""
        return PAUSE_AT_MAX_S if speed == MAX_SPEED else PAUSE_S

    def until(self, tick: int, speed: float) -> int:
        """The tick to reach now."""
        now = time.perf_counter()
        if speed != self._speed:
            self._speed, self._base = speed, (now, tick)
            self._since, self._ticks = now, 0
        if speed == MAX_SPEED:
            return tick + 3600 * self._hz
        began, base = self._base
        return base + int((now - began) * speed * self._hz)

    def did(self, ticks: int, tick: int) -> None:
        """Count what a slice did; where the machine cannot keep up, the debt is dropped."""
        now = time.perf_counter()
        self._ticks += ticks
        if now - self._since >= MEASURE_S:
            self.real_speed = self._ticks / self._hz / (now - self._since)
            self._since, self._ticks = now, 0
        began, base = self._base
        if self._speed != MAX_SPEED and base + (now - began - MEASURE_S) * self._speed * self._hz > tick:
            self._base = (now, tick)
