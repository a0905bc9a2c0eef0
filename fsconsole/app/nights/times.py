"""Times of a night as operators write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from fsconsole.text import numbers

STEP_S = 300.0
_DAY_S = 86400.0
_LENGTH = re.compile(r"([-\N{MINUS SIGN}]?)(\d+):([0-5]\d)")


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
    """Return seconds of a length such as `0:30`; None for other text."""
    found = _LENGTH.fullmatch(text.strip())
    if found is None:
        return None
    seconds = 3600.0 * int(found[2]) + 60.0 * int(found[3])
    return -seconds if found[1] else seconds


def mw(value: float) -> str:
    """Format megawords with their unit and one digit."""
    return f"{numbers.fixed(value, 1)} MW"
