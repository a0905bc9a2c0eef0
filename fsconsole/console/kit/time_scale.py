"""Times and pixels of what is drawn over a whole run, from its left end to its right one."""

from __future__ import annotations

from dataclasses import dataclass

MARGIN = 12


@dataclass(frozen=True, slots=True)
class TimeScale:
    """`whole_s` seconds from `first_s` on over `width` pixels."""

    first_s: float
    whole_s: float
    width: float

    @property
    def last_s(self) -> float:
        """The time at the right end."""
        return self.first_s + self.whole_s

    def x(self, time_s: float) -> float:
        """Return the pixel of a time."""
        return MARGIN + (time_s - self.first_s) / self.whole_s * (self.width - 2 * MARGIN)

    def time(self, x: float) -> float:
        """Return the time at a pixel."""
        return self.first_s + (x - MARGIN) / max(self.width - 2 * MARGIN, 1) * self.whole_s
