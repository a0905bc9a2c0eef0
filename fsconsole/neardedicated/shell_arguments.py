"""Times and jobs as operators type them: `23:30`, `+30min`, `2 h`; a request number or a job's name."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta

from fsconsole.machine.shell.options import whole
from fsconsole.machine.shell.reply import Refused
from fsconsole.neardedicated.view import NightView
from fsconsole.text.durations import LONGEST_S, UNITS, in_words, seconds
from fsconsole.text.nearest import did_you_mean

_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?")
_FORMS = "Write a time of day such as 23:30, or a time from now such as +30min"
_DAY_S = 86400


def moment_s(text: str, now_s: float, start: datetime) -> float:
    """Return a future time in seconds since the machine's 0.

    `23:30` is the next time at which the machine's clock shows that, `+30min` counts from now on, and `2 h`
    from the machine's 0, as everywhere else.

    Raises:
        ValueError: the text is not a time; the message says why.
    """
    text = text.strip()
    clock = _CLOCK.fullmatch(text)
    if clock is not None:
        return now_s + _until(clock, start + timedelta(seconds=now_s))
    if text.startswith("+"):
        return now_s + _bounded(text[1:], text)
    found = _bounded(text, text)
    if found <= now_s:
        now = f"{start + timedelta(seconds=now_s):%H:%M:%S}"
        msg = (
            f"{text!r} counts from the machine's 0 and is past: now is {now}, {in_words(now_s)} "
            f"after 0. {_FORMS}"
        )
        raise ValueError(msg)
    return found


def length_s(text: str) -> float:
    """Return the seconds of a length of time with a unit: `30min`, `+2 h`, `-10min`.

    A bare number is not accepted, since it could be a request number.

    Raises:
        ValueError: the text is not a length of time.
    """
    bare = text.strip().removeprefix("+")
    if not re.search("[a-z]", bare):
        msg = f"{text!r} is not a duration. Write a number and a unit, such as 30min or 2h"
        raise ValueError(msg)
    found = _bounded(bare, text)
    if not found:
        msg = f"{text!r} changes nothing. Write how much later, such as 30min, or earlier, such as -10min"
        raise ValueError(msg)
    return found


def is_unit(word: str) -> bool:
    """Return True if a word is the unit of a number before it, as in `2 h`."""
    return word in UNITS


def _until(clock: re.Match[str], now: datetime) -> float:
    hour, minute, second = (int(part or 0) for part in clock.groups())
    if hour > 23 or minute > 59 or second > 59:
        msg = f"{clock[0]!r} is not a time of day. Write 00:00 to 23:59"
        raise ValueError(msg)
    then = now.replace(hour=hour, minute=minute, second=second, microsecond=0)
    left_s = (then - now).total_seconds()
    return left_s if left_s > 0 else left_s + _DAY_S


def _bounded(text: str, typed: str) -> float:
    try:
        found = seconds(text)
    except ValueError:
        msg = f"{typed!r} is not a time. {_FORMS}"
        raise ValueError(msg) from None
    if not math.isfinite(found) or abs(found) > LONGEST_S:
        msg = f"{typed!r} is too long. The longest time is {in_words(LONGEST_S)}"
        raise ValueError(msg)
    return found


def jobs_of(night: NightView) -> dict[int, tuple[str, str]]:
    """Return (user, name) of each known job by request, ended ones first."""
    ended = [row for view in (night.last_night, night.night) if view is not None for row in view.jobs]
    known = {row.request: (row.person, row.name) for row in ended}
    known |= {row.request: (row.person, row.name) for row in night.queue}
    return known if night.job is None else known | {night.job.request: (night.job.person, night.job.name)}


def there(night: NightView) -> list[int]:
    """Return requests of jobs that have not ended."""
    running = [] if night.job is None else [night.job.request]
    return running + [row.request for row in night.queue]


def is_job(night: NightView, word: str) -> bool:
    """Return True if a word is a request number or the name of a job."""
    return _is_number(word) or any(word == name for _, name in jobs_of(night).values())


def request_of(night: NightView, word: str) -> int:
    """Return the request of a number or of a job's name.

    Raises:
        Refused: no job has that name, or several have it.
    """
    jobs, standing = jobs_of(night), there(night)
    if _is_number(word):
        number = whole("a request", word, 0, 10**15)
        if number in jobs:
            return number
    else:
        found = [request for request, (_, name) in jobs.items() if name == word]
        found = [request for request in found if request in standing] or found[-1:]
        if len(found) == 1:
            return found[0]
        if found:
            which = ", ".join(f"{request} {jobs[request][0]}" for request in found)
            msg = f"several jobs have the name {word}: {which}. Use the request number"
            raise Refused(msg)
    raise Refused(f"no near-dedicated job {word}{_near(word, jobs, standing)}")


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _near(word: str, jobs: dict[int, tuple[str, str]], standing: list[int]) -> str:
    near = did_you_mean(word, [name for _, name in jobs.values()])
    known = ", ".join(f"{request} {' '.join(jobs[request])}" for request in standing)
    return near or (f". Choose one of {known}" if known else ". No job runs or waits")
