"""Near-dedicated jobs by what an operator types: a request number or a job's name."""

from __future__ import annotations

from fsconsole.machine.shell.options import whole
from fsconsole.machine.shell.reply import Refused
from fsconsole.neardedicated.view import NightView
from fsconsole.text.nearest import did_you_mean


def jobs_of(night: NightView) -> dict[int, tuple[str, str]]:
    """(user, name) of each job that is known, by request; those that have ended first."""
    ended = [row for view in (night.last_night, night.night) if view is not None for row in view.jobs]
    known = {row.request: (row.person, row.name) for row in ended}
    known |= {row.request: (row.person, row.name) for row in night.queue}
    return known if night.job is None else known | {night.job.request: (night.job.person, night.job.name)}


def there(night: NightView) -> list[int]:
    """Requests of jobs that have not ended."""
    running = [] if night.job is None else [night.job.request]
    return running + [row.request for row in night.queue]


def is_job(night: NightView, word: str) -> bool:
    """Whether a word is a request number or the name of a job."""
    return _is_number(word) or any(word == name for _, name in jobs_of(night).values())


def request_of(night: NightView, word: str) -> int:
    """The request that a number or a job's name means; Refused where it is none or several."""
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
            msg = f"several jobs are called {word}: {which}; name one by its request"
            raise Refused(msg)
    raise Refused(f"no near-dedicated job {word}{_near(word, jobs, standing)}")


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit()


def _near(word: str, jobs: dict[int, tuple[str, str]], standing: list[int]) -> str:
    near = did_you_mean(word, [name for _, name in jobs.values()])
    known = ", ".join(f"{request} {' '.join(jobs[request])}" for request in standing)
    return near or (f"; there are {known}" if known else "; none runs or waits")
