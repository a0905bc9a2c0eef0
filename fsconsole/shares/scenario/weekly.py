"""Weekdays and hours in files, and weekly windows such as those of near-dedicated time.

Days are `mon`, `mon-fri`, `sat,sun` or `daily`; a window is `DAYS HH:MM-HH:MM`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY_MINUTES = 24 * 60
_WEEK_MINUTES = 7 * DAY_MINUTES
DAYS_PATTERN = r"(?P<days>[a-z,-]+)"
HOURS_PATTERN = r"(?P<from>\d{1,2}:\d\d)-(?P<to>\d{1,2}:\d\d)"
_LINE = re.compile(f"{DAYS_PATTERN} +{HOURS_PATTERN}")
_FORM = "Write DAYS HH:MM-HH:MM. Example: daily 23:00-07:30 or mon-fri 01:00-06:00"


@dataclass(frozen=True, slots=True)
class Window:
    """One line: from minute to minute of the day, begun on these weekdays (0 is Monday)."""

    days: frozenset[int]
    from_minute: int
    to_minute: int

    @property
    def minutes(self) -> int:
        """Length in minutes; one that ends at its beginning is a day long."""
        return (self.to_minute - self.from_minute - 1) % DAY_MINUTES + 1


class WeeklyWindows:
    """Windows that come again every week."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        """Read the lines.

        Raises:
            ValueError: a line is wrong; the message gives the fault.
        """
        self._windows = tuple(_window(line) for line in lines)

    def window_at(self, moment: datetime) -> tuple[datetime, datetime] | None:
        """Return (start, end) of the window that `moment` lies in, its start included and its end not."""
        return next((one for one in self._around(moment) if one[0] <= moment < one[1]), None)

    def windows_after(self, moment: datetime) -> tuple[datetime, datetime] | None:
        """Return (start, end) of the next window after `moment`; None where there are no windows."""
        return min((one for one in self._around(moment) if one[0] > moment), default=None)

    @property
    def longest_s(self) -> float:
        """Length of the longest window; 0 without windows."""
        return 60.0 * max((window.minutes for window in self._windows), default=0)

    def _around(self, moment: datetime) -> Iterator[tuple[datetime, datetime]]:
        """Yield windows begun from the day before to a week after, line by line."""
        midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        for window in self._windows:
            for day in range(-1, 8):
                start = midnight + timedelta(days=day, minutes=window.from_minute)
                if (moment.weekday() + day) % 7 in window.days:
                    yield start, start + timedelta(minutes=window.minutes)


def window_problems(lines: tuple[str, ...]) -> list[str]:
    """Return the faults of a schedule's lines: unreadable ones, and those that overlap."""
    found: list[str] = []
    known: list[tuple[str, Window]] = []
    for line in lines:
        try:
            window = _window(line)
        except ValueError as error:
            found.append(str(error))
            continue
        twin = next((other for other, before in known if _overlap(before, window)), None)
        if twin is not None:
            found.append(f"{line!r} overlaps {twin!r}. Windows must not overlap")
        known.append((line, window))
    return found


def days_of(text: str, line: str) -> frozenset[int]:
    """Read weekdays such as `mon-fri`.

    Raises:
        ValueError: a word is another one; the message gives its place.
    """
    if text == "daily":
        return frozenset(range(7))
    days: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if first not in DAYS or (dash and last not in DAYS):
            msg = f"{part!r} in {line!r} is not a day. Write {', '.join(DAYS)}, a range, or daily"
            raise ValueError(msg)
        start = DAYS.index(first)
        length = (DAYS.index(last) - start) % 7 if dash else 0
        days |= {(start + day) % 7 for day in range(length + 1)}
    return frozenset(days)


def minute_of(text: str, line: str) -> int:
    """Read the minute of the day of `08:30`, 24:00 included.

    Raises:
        ValueError: the text is not such a time.
    """
    hours, _, minutes = text.partition(":")
    minute = int(hours) * 60 + int(minutes)
    if minute > DAY_MINUTES or int(minutes) > 59:
        msg = f"{text!r} in {line!r} is not a time of day. Write 00:00 to 24:00"
        raise ValueError(msg)
    return minute


def _window(line: str) -> Window:
    match = _LINE.fullmatch(line.strip().lower())
    if match is None:
        msg = f"{line!r} cannot be read. {_FORM}"
        raise ValueError(msg)
    return Window(days_of(match["days"], line), minute_of(match["from"], line), minute_of(match["to"], line))


def _overlap(one: Window, other: Window) -> bool:
    """Return True if two windows are open at a time in some week."""
    starts = [[day * DAY_MINUTES + window.from_minute for day in window.days] for window in (one, other)]
    return any(
        (b - a) % _WEEK_MINUTES < one.minutes or (a - b) % _WEEK_MINUTES < other.minutes
        for a in starts[0]
        for b in starts[1]
    )
