"""Rates at which costs are charged, by weekday and hour (Junglas section 2: cheaper outside peak hours).

A line is `DAYS HH:MM-HH:MM RATE` or `DAYS RATE`; days are `mon`, `mon-fri`, `sat,sun` or `daily`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from fsconsole.shares.scenario.weekly import (
    DAY_MINUTES,
    DAYS_PATTERN,
    HOURS_PATTERN,
    days_of,
    minute_of,
)

MIN_RATE, MAX_RATE = 1e-6, 1000.0  # A rate of 0 is allowed too: time is then free of cost.
_LINE = re.compile(rf"{DAYS_PATTERN}(?: +{HOURS_PATTERN})? +(?P<rate>[0-9.]+)")
_FORM = "Write DAYS HH:MM-HH:MM RATE. Example: mon-fri 08:00-18:00 1"


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
        """Return True if the rule is in force at that minute of that weekday."""
        if self.from_minute < self.to_minute:
            return weekday in self.days and self.from_minute <= minute < self.to_minute
        late = weekday in self.days and minute >= self.from_minute
        return late or ((weekday - 1) % 7 in self.days and minute < self.to_minute)


class CostCalendar:
    """The rules of a calendar in their order; the first that holds decides, 1 where none does."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        """Read the lines.

        Raises:
            ValueError: a line is wrong; the message gives the fault.
        """
        self._rules = tuple(_rule(line) for line in lines)

    def rate_at(self, moment: datetime) -> float:
        """Return the factor of all costs at that time."""
        minute = moment.hour * 60 + moment.minute
        held = (rule.rate for rule in self._rules if rule.holds(moment.weekday(), minute))
        return next(held, 1.0)

    def next_change(self, moment: datetime) -> datetime | None:
        """Return the next time after `moment` when a rule begins or ends; None without rules."""
        midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        turns = {minute for rule in self._rules for minute in (rule.from_minute, rule.to_minute)}
        ahead = [
            midnight + timedelta(days=day, minutes=minute % DAY_MINUTES)
            for day in (0, 1)
            for minute in (turns | {0} if turns else ())
        ]
        return min((turn for turn in ahead if turn > moment), default=None)


def calendar_problems(lines: tuple[str, ...]) -> list[str]:
    """Return the faults of a calendar's lines."""
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
        msg = f"{line!r} cannot be read. {_FORM}"
        raise ValueError(msg)
    rate = float(match["rate"]) if match["rate"].count(".") <= 1 and match["rate"] != "." else -1.0
    if rate != 0 and not MIN_RATE <= rate <= MAX_RATE:
        msg = f"'{match['rate']}' in {line!r} is not a rate. Write 0, or {MIN_RATE:g} to {MAX_RATE:g}"
        raise ValueError(msg)
    first = minute_of(match["from"] or "00:00", line)
    last = minute_of(match["to"] or "24:00", line)
    return Rule(days_of(match["days"], line), first, last, rate)
