"""Working hours, and sessions of many users within them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from fsconsole.app.load.plan import COMMAND, MOST_SESSIONS, Session
from fsconsole.shares.scenario.actions import MAX_PROCESSES, StartProcess, Work
from fsconsole.shares.scenario.calendar import CostCalendar
from fsconsole.text.numbers import thousands

_ELSE_NOTHING = "daily 0"
# The golden ratio spreads any number of phases evenly.
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True)
class Profile:
    """Course of load over the days.

    Attributes:
        key: name on the command line.
        title: name in the console.
        lines: fractions of the processes by weekday and hour, such as `mon-fri 08:00-18:00 1`. The first
            matching line applies; without a match nothing runs. Without lines all processes always run.
    """

    key: str
    title: str
    lines: tuple[str, ...]


# We chose these hours as an illustration: the papers do not give the hours of users.
PROFILES = (
    Profile("always", "All the time", ()),
    Profile("office", "Office hours", ("mon-fri 08:00-18:00 1",)),
    Profile(
        "day",
        "A working day",
        (
            "mon-fri 07:00-08:00 0.2",
            "mon-fri 08:00-12:00 1",
            "mon-fri 12:00-13:00 0.6",
            "mon-fri 13:00-17:00 1",
            "mon-fri 17:00-19:00 0.5",
            "mon-fri 19:00-23:00 0.2",
            "sat-sun 10:00-18:00 0.2",
        ),
    ),
    Profile("night", "Nights and weekends", ("mon-fri 18:00-08:00 1", "sat-sun 1")),
)


def parse_hours(text: str) -> tuple[str, ...]:
    """Return lines of hours, separated by semicolons or line ends.

    Raises:
        ValueError: a line is wrong; the message names a valid one.

    A line without a part means all: `mon-fri 08:00-18:00`.
    """
    lines = tuple(_line(part) for part in text.replace(";", "\n").splitlines() if part.strip())
    try:
        CostCalendar(lines)
    except ValueError as error:
        msg = f"{error}. The share of the processes must be from 0 to 1"
        raise ValueError(msg) from None
    high = next((line for line in lines if not 0 <= float(line.split()[-1]) <= 1), None)
    if high is not None:
        msg = f"'{high}': the share of the processes must be from 0 to 1. Example: mon-fri 08:00-18:00 0.5"
        raise ValueError(msg)
    return lines


def _line(part: str) -> str:
    words = part.split()
    has_rate = ":" not in words[-1] and words[-1][:1].isdigit()
    return " ".join(words if has_rate else [*words, "1"])


def rates(lines: Sequence[str], start: datetime, until_s: float) -> list[tuple[float, float]]:
    """Return (time, part of the processes from then on) from 0 to the end of a run that starts at `start`."""
    if not lines:
        return [(0.0, 1.0)]
    calendar = CostCalendar((*lines, _ELSE_NOTHING))
    found, moment, end = [(0.0, calendar.rate_at(start))], start, start + timedelta(seconds=until_s)
    while (following := calendar.next_change(moment)) is not None and following < end:
        moment = following
        if (rate := calendar.rate_at(moment)) != found[-1][1]:
            found.append(((moment - start).total_seconds(), rate))
    return found


def same_for_each(
    nodes: Sequence[int], processes: int, lines: Sequence[str], start: datetime, until_s: float
) -> dict[int, tuple[Session, ...]]:
    """Return sessions of leaves that all work in the same hours, with so many endless processes each.

    Where only a part of the processes runs, users take turns in having one more or one less, so that all
    together have that part. ValueError for more than a machine has room for.
    """
    check_room(processes * len(nodes))
    course = rates(lines, start, until_s)
    if len(course) * len(nodes) > MOST_SESSIONS:
        msg = (
            f"{thousands(len(nodes))} users and {thousands(len(course))} changes of hours are too many. "
            "Plan a shorter time."
        )
        raise ValueError(msg)
    made: dict[int, tuple[Session, ...]] = {}
    for place, node in enumerate(nodes):
        phase = (place * _GOLDEN) % 1
        counts = [
            (at_s, min(int(processes * rate + phase), processes) if rate else 0) for at_s, rate in course
        ]
        made[node] = tuple(_layers(node, counts))
    return made


def check_room(count: int) -> None:
    """Raise ValueError for more processes at a time than a machine has room for."""
    if count > MAX_PROCESSES:
        msg = f"{thousands(count)} processes are too many. A machine has room for {thousands(MAX_PROCESSES)}"
        raise ValueError(msg)


def _layers(node: int, counts: Sequence[tuple[float, int]]) -> list[Session]:
    """Return sessions that add up to the counts: processes that begin and end together are one session."""
    levels = sorted({0, *(count for _, count in counts)})
    found: list[Session] = []
    for number, (below, level) in enumerate(pairwise(levels), 1):
        command = COMMAND if number == 1 else f"{COMMAND} {number}"
        process = StartProcess(node, Work(), command, level - below)
        since_s: float | None = None
        for at_s, count in counts:
            if count >= level and since_s is None:
                since_s = at_s
            elif count < level and since_s is not None:
                found.append(Session(node, since_s, at_s, process))
                since_s = None
        if since_s is not None:
            found.append(Session(node, since_s, None, process))
    return sorted(found, key=lambda one: one.start_s)
