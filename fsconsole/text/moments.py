"""Times of a real cluster, seconds since 1970, as the clock on the wall here shows them."""

from __future__ import annotations

import time
from datetime import datetime

from fsconsole.text import numbers


def local(time_s: float) -> datetime:
    """Return the moment on the clock of this machine's zone; OverflowError or ValueError for no such
    moment.
    """
    return datetime.fromtimestamp(time_s).astimezone()


def clock(time_s: float | None) -> str:
    """Return a time as `14:31:20`."""
    return numbers.UNKNOWN if time_s is None else f"{local(time_s):%H:%M:%S}"


def moment(time_s: float | None, now_s: float) -> str:
    """`14:31`, with the day where that is not today's: `20 Nov 14:31`, `20 Nov 2025 14:31`."""
    if time_s is None:
        return numbers.UNKNOWN
    there, here = local(time_s), local(now_s)
    if there.date() == here.date():
        return f"{there:%H:%M}"
    year = "" if there.year == here.year else f" {there.year}"
    return f"{there.day} {there:%b}{year} {there:%H:%M}"


def second(time_s: float | None, now_s: float) -> str:
    """`14:31:20`, with the day where that is not today's: `20 Nov 14:31:20`."""
    if time_s is None:
        return numbers.UNKNOWN
    there = local(time_s)
    is_today = there.date() == local(now_s).date()
    return clock(time_s) if is_today else f"{there.day} {there:%b %H:%M:%S}"


def whole(time_s: float | None) -> str:
    """Return all of a moment, for tooltips and the clipboard: `2026-11-20 14:31:20`; empty for none."""
    return "" if time_s is None else f"{local(time_s):%Y-%m-%d %H:%M:%S}"


def midnight_before(at_s: float) -> float:
    """Return the last midnight, local time, in seconds since 1970."""
    day = time.localtime(at_s)
    return float(time.mktime((day.tm_year, day.tm_mon, day.tm_mday, 0, 0, 0, 0, 0, -1)))
