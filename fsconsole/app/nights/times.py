"""Times of a night as operators write them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from fsconsole.text import numbers
from fsconsole.text.durations import typed_seconds

STEP_S = 300.0
_DAY_S = 86400.0
_HOURS_MINUTES = re.compile(r"([0-9]+):([0-5][0-9])(?: *h)?")
_HAS_UNIT = re.compile(r"[0-9].*([a-z]|:[0-9]+:[0-9]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds since a machine's 0 as times of day."""

    start: datetime

    def at(self, time_s: float) -> datetime:
        """Return the moment, to the second gone by."""
        return self.start + timedelta(seconds=int(time_s + 1e-6))

    def clock(self, time_s: float | None) -> str:
        """Return a time as `23:45:10`."""
        return numbers.UNKNOWN if time_s is None else f"{self.at(time_s):%H:%M:%S}"

    def short(self, time_s: float | None) -> str:
        """Return a time as `23:45`."""
        return numbers.UNKNOWN if time_s is None else f"{self.at(time_s):%H:%M}"

    def date(self, time_s: float) -> str:
        """Format a date as `Mon 19 Feb 1996`."""
        moment = self.at(time_s)
        return f"{moment:%a} {moment.day} {moment:%b %Y}"

    def day_s(self, time_s: float) -> float:
        """Return seconds since midnight."""
        moment = self.start + timedelta(seconds=time_s)
        return (moment - moment.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()

    def snapped(self, time_s: float, step_s: float = STEP_S) -> float:
        """Return the nearest whole five minutes of the clock."""
        day_s = self.day_s(time_s)
        return round(time_s + round(day_s / step_s) * step_s - day_s, 3)

    def next_at(self, hour: int, minute: int, after_s: float) -> float:
        """Return the next time, after `after_s`, at which the clock shows a time of day."""
        ahead_s = (hour * 3600 + minute * 60 - self.day_s(after_s)) % _DAY_S
        return after_s + (ahead_s or _DAY_S)


def read_length(text: str) -> float | None:
    """Return seconds of a length such as `0:30`, `0:30 h`, `45 min`, `-1 d 2 h`; None for other text.

    A number alone is None: it could be minutes or hours.
    """
    plain = text.replace(numbers.MINUS, "-").strip()
    size = plain.removeprefix("-").strip()
    if found := _HOURS_MINUTES.fullmatch(size):
        seconds = 3600.0 * float(found[1]) + 60.0 * float(found[2])
    elif _HAS_UNIT.fullmatch(size):
        try:
            seconds = typed_seconds(size)
        except ValueError:
            return None
    else:
        return None
    if not math.isfinite(seconds):
        return None
    return -seconds if plain.startswith("-") else seconds


def mw(value: float) -> str:
    """Format megawords with their unit and one digit."""
    return f"{numbers.fixed(value, 1)} MW"
