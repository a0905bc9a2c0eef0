"""Rates at which costs are charged, by weekday and hour (Junglas section 2: cheaper outside peak hours).

A line is `DAYS HH:MM-HH:MM RATE` or `DAYS RATE`; days are `mon`, `mon-fri`, `sat,sun` or `daily`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MIN_RATE, MAX_RATE = 1e-6, 1000.0  # or 0
_DAY_MINUTES = 24 * 60
_LINE = re.compile(r"(?P<days>[a-z,-]+)(?: +(?P<from>\d{1,2}:\d\d)-(?P<to>\d{1,2}:\d\d))? +(?P<rate>[0-9.]+)")
_FORM = "write DAYS HH:MM-HH:MM RATE, such as mon-fri 08:00-18:00 1"


@dataclass(frozen=True, slots=True)
class Rule:
    """One line: on these weekdays (0 is Monday) from minute to minute of the day, all costs times `rate`.

    A time that runs past midnight begins on these days.
    """

    days: frozenset[int]
    from_minute: int
    to_minute: int
    rate: float

    def holds(self, weekday: int, minute: int) -> bool:
        """Whether the rule is in force at that minute of that weekday."""
        if self.from_minute < self.to_minute:
            return weekday in self.days and self.from_minute <= minute < self.to_minute
        late = weekday in self.days and minute >= self.from_minute
        return late or ((weekday - 1) % 7 in self.days and minute < self.to_minute)


class CostCalendar:
    """The rules of a calendar in their order; the first that holds decides, 1 where none does."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        """Read the lines; ValueError says what is wrong with one."""
        self._rules = tuple(_rule(line) for line in lines)

    def rate_at(self, moment: datetime) -> float:
        """The factor of all costs at that time."""
        minute = moment.hour * 60 + moment.minute
        held = (rule.rate for rule in self._rules if rule.holds(moment.weekday(), minute))
        return next(held, 1.0)

    def next_change(self, moment: datetime) -> datetime | None:
        """The next time after `moment` when a rule begins or ends; None without rules."""
        midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        turns = {minute for rule in self._rules for minute in (rule.from_minute, rule.to_minute)}
        ahead = [
            midnight + timedelta(days=day, minutes=minute % _DAY_MINUTES)
            for day in (0, 1)
            for minute in (turns | {0} if turns else ())
        ]
        return min((turn for turn in ahead if turn > moment), default=None)


def calendar_problems(lines: tuple[str, ...]) -> list[str]:
    """What is wrong with the lines of a calendar."""
    found = []
    for line in lines:
        try:
            _rule(line)
        except ValueError as error:
            found.append(str(error))
    return found


def _rule(line: str) -> Rule:
    match = _LINE.fullmatch(line.strip().lower())
    if match is None:
        msg = f"has a line {line!r} that cannot be read: {_FORM}"
        raise ValueError(msg)
    rate = float(match["rate"]) if match["rate"].count(".") <= 1 and match["rate"] != "." else -1.0
    if rate != 0 and not MIN_RATE <= rate <= MAX_RATE:
        msg = f"has the rate {match['rate']} in {line!r}; 0, or {MIN_RATE:g} to {MAX_RATE:g} is possible"
        raise ValueError(msg)
    first = _minute(match["from"] or "00:00", line)
    last = _minute(match["to"] or "24:00", line)
    return Rule(_days(match["days"], line), first, last, rate)


def _minute(text: str, line: str) -> int:
    hours, _, minutes = text.partition(":")
    minute = int(hours) * 60 + int(minutes)
    if minute > _DAY_MINUTES or int(minutes) > 59:
        msg = f"has the time {text} in {line!r}; 00:00 to 24:00 is possible"
        raise ValueError(msg)
    return minute


def _days(text: str, line: str) -> frozenset[int]:
    if text == "daily":
        return frozenset(range(7))
    days: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if first not in DAYS or (dash and last not in DAYS):
            msg = f"has the days {part} in {line!r}; possible are {', '.join(DAYS)}, a range, or daily"
            raise ValueError(msg)
        start = DAYS.index(first)
        length = (DAYS.index(last) - start) % 7 if dash else 0
        days |= {(start + day) % 7 for day in range(length + 1)}
    return frozenset(days)
