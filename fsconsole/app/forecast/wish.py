"""Goals with a time as a person writes them: "F=0.5 by Monday", "LevelFS 1 in 3 d"."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta

from fsconsole.slurm.solver import Goal, Quantity
from fsconsole.text.durations import typed_seconds

_WISH = re.compile(
    r"(?:(F|fairshare|LevelFS)\s*(?:=|>=|≥)?\s*)?([0-9.,]+)\s+(by|in|after)\s+(.+)", re.IGNORECASE
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LEAST_LETTERS = 3
_CLOCK = re.compile(r"(.*?)\s*\b(\d{1,2}):(\d{2})")
EXAMPLE = "Example: Monday, Fri 17:00, 2026-12-01 or 3 d"


def read_goal(text: str, row: int, now: datetime) -> Goal:
    """Return the goal of a row.

    Raises:
        ValueError: a field is wrong; the message is a sentence with valid values.
    """
    found = _WISH.fullmatch(text.strip())
    if found is None:
        msg = f"{text!r} is not a goal. Example: F=0.5 by Monday, or LevelFS=1 in 3 d"
        raise ValueError(msg)
    name, value, _, when = found.groups()
    quantity = Quantity.LEVEL_FS if (name or "").lower() == "levelfs" else Quantity.FAIRSHARE
    try:
        number = float(value.replace(",", "."))
    except ValueError:
        number = math.nan
    if math.isnan(number):
        msg = f"{text!r}: {value!r} is not a number. Example: F=0.5 by Monday"
        raise ValueError(msg)
    return Goal(row, number, seconds_until(when, now), quantity)


def seconds_until(text: str, now: datetime) -> float:
    """Return seconds from now until a time: a length from now, a weekday or date at 0:00 or with a clock
    time, with `in` or `by` before it or without.

    A weekday is the next one after today, unless a time is given that is still to come today. ValueError with
    a sentence that says what would be right.
    """
    text = re.sub(r"^(?:in|by) ", "", " ".join(text.split()), flags=re.IGNORECASE)
    try:
        found = typed_seconds(text) if not _CLOCK.fullmatch(text) else math.nan
    except ValueError:
        found = math.nan
    if math.isnan(found):
        found = (_moment(text, now) - now).total_seconds()
    if not 0 < found < math.inf:
        msg = f"{text!r} is in the past. Write a later time. {EXAMPLE}"
        raise ValueError(msg)
    return found


def words_of(time_s: float, now: datetime) -> str:
    """Return a time from now as a person reads it: `Mon 30 Nov 2026, 00:00`."""
    at = now + timedelta(seconds=time_s)
    return f"{at:%a} {at.day} {at:%b %Y, %H:%M}"


def _moment(text: str, now: datetime) -> datetime:
    clock = _CLOCK.fullmatch(text)
    day_text, hour, minute = (clock[1], int(clock[2]), int(clock[3])) if clock else (text, 0, 0)
    try:
        midnight = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    except ValueError:
        midnight = None
    day = _day(
        day_text.strip().lower(), now, has_clock=clock is not None and midnight is not None and midnight > now
    )
    if midnight is None or day is None:
        msg = f"{text!r} is not a time. Write a day, a date or a length. {EXAMPLE}"
        raise ValueError(msg)
    return midnight + timedelta(days=day)


def _day(text: str, now: datetime, *, has_clock: bool) -> int | None:
    """Return days from today, or None for other text. `has_clock`: the time is still to come today."""
    if text in ("", "today"):
        return 0 if has_clock or text else 1
    if text == "tomorrow":
        return 1
    if len(text) >= _LEAST_LETTERS:
        place = next((at for at, name in enumerate(_DAYS) if name.startswith(text)), None)
        if place is not None:
            ahead = (place - now.weekday()) % 7
            return ahead if ahead or has_clock else 7
    try:
        date = datetime.strptime(text, "%Y-%m-%d").date()  # noqa: DTZ007 (a day in the zone of `now`)
    except ValueError:
        return None
    return (date - now.date()).days
