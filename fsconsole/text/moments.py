"""Times of a real cluster, in seconds since 1970, as the local clock shows them."""

from __future__ import annotations

import time
from datetime import datetime

from fsconsole.text import numbers


def local(time_s: float) -> datetime:
    """Return a time as a date of this machine's time zone.

    Raises:
        OverflowError: the time is too large for a date.
        ValueError: the time is not a number, or out of range.
    """
    return datetime.fromtimestamp(time_s).astimezone()


def clock(time_s: float | None) -> str:
    """Return a time as `14:31:20`."""
    return numbers.UNKNOWN if time_s is None else f"{local(time_s):%H:%M:%S}"


def moment(time_s: float | None, now_s: float) -> str:
    """Return a time as `14:31`, with the date if it is not today: `20 Nov 14:31`, `20 Nov 2025 14:31`."""
    if time_s is None:
        return numbers.UNKNOWN
    there, here = local(time_s), local(now_s)
    if there.date() == here.date():
        return f"{there:%H:%M}"
    year = "" if there.year == here.year else f" {there.year}"
    return f"{there.day} {there:%b}{year} {there:%H:%M}"


def second(time_s: float | None, now_s: float) -> str:
    """Return a time as `14:31:20`, with the date if it is not today: `20 Nov 14:31:20`."""
    if time_s is None:
        return numbers.UNKNOWN
    there = local(time_s)
    is_today = there.date() == local(now_s).date()
    return clock(time_s) if is_today else f"{there.day} {there:%b %H:%M:%S}"


def whole(time_s: float | None) -> str:
    """Return date and time for tooltips and the clipboard: `2026-11-20 14:31:20`; empty for None."""
    return "" if time_s is None else f"{local(time_s):%Y-%m-%d %H:%M:%S}"


def midnight_before(at_s: float) -> float:
    """Return the last midnight in local time, in seconds since 1970."""
    day = time.localtime(at_s)
    return float(time.mktime((day.tm_year, day.tm_mon, day.tm_mday, 0, 0, 0, 0, 0, -1)))
