"""The range of a value axis: automatic or zoomed by the user, linear or logarithmic. No Qt."""

from __future__ import annotations

import math

from fsconsole.console.live.plots.value_ticks import next_top
from fsconsole.figures.log_axis import MOST_DECADES, places_on_log, strip_of
from fsconsole.shares.flat import Floats

_LEAST_DECADES = 1
_LEAST_PART = 1e-6  # Narrowest linear range, as a fraction of its top.
_NARROWEST_DECADES = 0.1
_POWERS = (-12.0, 21.0)  # Powers of ten that a logarithmic axis can show.


class ValueRange:
    """The range of an axis in its own coordinates: values, or their powers of ten.

    A logarithmic axis has no place for 0. A strip at its bottom stands for it: what is 0 lies at the lower
    end of that, what is more than 0 and below the lowest power lies in its middle.

    Attributes:
        is_log: whether coordinates are powers of ten.
        by_hand: whether the user has chosen the range, which then does not follow the curves.
    """

    def __init__(self, *, is_percent: bool) -> None:
        """Begin small, or at 0 to 100 %."""
        self._is_percent = is_percent
        self.is_log = self.by_hand = False
        self._ends = (0.0, 1.0)

    @property
    def floor(self) -> float | None:
        """The lowest power of ten; None where the axis is linear."""
        return self._ends[0] if self.is_log else None

    @property
    def ends(self) -> tuple[float, float]:
        """Bottom and top in coordinates."""
        low, top = self._ends
        return (low - self._strip, top) if self.is_log else self._ends

    @property
    def values(self) -> tuple[float, float]:
        """Lowest and highest value; 0 is below the lowest one of a logarithmic axis."""
        low, top = self._ends
        return (10.0**low, 10.0**top) if self.is_log else self._ends

    @property
    def _strip(self) -> float:
        return strip_of(*self._ends)

    def places(self, values: Floats) -> Floats:
        """Return the places of values on the axis, of the same shape [...]; NaN stays."""
        return places_on_log(values, self._ends[0], self.ends[0]) if self.is_log else values

    def reset(self) -> None:
        """Begin small again, and follow the curves."""
        self.by_hand = False
        self._ends = (-1.0, 0.0) if self.is_log else (0.0, 1.0)

    def set_log(self, *, is_log: bool) -> None:
        """Measure in powers of ten, or in values, from an automatic range on."""
        self.is_log = is_log
        self.reset()

    def follow(self, smallest: float, largest: float, *, running: bool) -> bool:
        """Hold these values; `smallest` is above 0. The range never shrinks while running.

        Returns:
            Whether the range is another now.
        """
        if self.by_hand:
            return False
        before = self._ends
        if self.is_log:
            self._follow_powers(smallest, largest, running=running)
        elif not self._is_percent:
            self._ends = (0.0, next_top(before[1], largest, running=running))
        return self._ends != before

    def _follow_powers(self, smallest: float, largest: float, *, running: bool) -> None:
        low, top = self._ends
        is_known = largest > 0 and math.isfinite(largest)
        wanted_top = 0.0 if self._is_percent else math.ceil(math.log10(largest) - 1e-9) if is_known else top
        wanted_top = max(wanted_top, top) if running else wanted_top
        is_small = 0 < smallest < math.inf
        wanted_low = math.floor(math.log10(smallest) + 1e-9) if is_small else wanted_top - _LEAST_DECADES
        wanted_low = min(wanted_low, low) if running else wanted_low
        least, most = wanted_top - MOST_DECADES, wanted_top - _LEAST_DECADES
        self._ends = (float(min(max(wanted_low, least), most)), float(wanted_top))

    def zoom(self, about: float, factor: float) -> None:
        """Make the range `factor` times as large; the coordinate `about` keeps its place."""
        low, top = self._ends
        about = max(about, low)
        self._choose(about - (about - low) * factor, about + (top - about) * factor)

    def pan(self, by: float) -> None:
        """Move the range by a length in coordinates."""
        low, top = self._ends
        by = min(max(by, self._limits[0] - low), self._limits[1] - top)
        self._choose(low + by, top + by)

    @property
    def _limits(self) -> tuple[float, float]:
        if self.is_log:
            return _POWERS
        return (0.0, 1.0) if self._is_percent else (0.0, math.inf)

    def _choose(self, low: float, top: float) -> None:
        least, most = self._limits
        low, top = max(low, least), min(top, most)
        narrowest = _NARROWEST_DECADES if self.is_log else max(abs(top), 1e-9) * _LEAST_PART
        if top - low < narrowest or not math.isfinite(top):
            return
        self.by_hand = True
        self._ends = (low, top)
