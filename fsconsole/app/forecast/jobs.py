"""Jobs that are planned, and the two ways in which a table writes their times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from fsconsole.app.forecast.entry import (
    HOUR_S,
    MOST_CORES,
    MOST_WEEKS,
    WEEK_S,
    number,
    plain,
)
from fsconsole.slurm.decay import Spell

MOST_JOBS = 200


@dataclass(frozen=True, slots=True)
class Job:
    """Cores, and from when to when they are used, s from now."""

    cores: float
    start_s: float
    end_s: float

    @property
    def spell(self) -> Spell:
        """The job as use at a constant rate."""
        return Spell(self.cores, self.start_s, self.end_s)


# Source: Yalim, Figure 3, where c(t) is printed.
PAPER_JOBS = tuple(
    Job(cores, start * WEEK_S, end * WEEK_S)
    for cores, start, end in ((28.0, 0.0, 2.0), (56.0, 2.5, 4.0), (84.0, 4.0, 5.0), (28.0, 5.0, 6.5))
)


@dataclass(frozen=True, slots=True)
class JobColumn:
    """A column: its title, its tooltip, its format, and the job with a typed text in it."""

    title: str
    about: str
    words: Callable[[Job], str]
    typed: Callable[[Job, str], Job]


def _with_cores(job: Job, text: str) -> Job:
    return replace(job, cores=number(text, 0, MOST_CORES, "28"))


def _week(text: str) -> float:
    return number(text, 0, MOST_WEEKS, "2.5") * WEEK_S


def _hours(text: str, *, above: bool = False) -> float:
    return number(text, 0, MOST_WEEKS * WEEK_S / HOUR_S, "12", above=above) * HOUR_S


def _from_week(job: Job, text: str) -> Job:
    start_s = _week(text)
    if start_s >= job.end_s:
        msg = f"the start must be before the end, week {plain(job.end_s / WEEK_S)}"
        raise ValueError(msg)
    return replace(job, start_s=start_s)


def _to_week(job: Job, text: str) -> Job:
    end_s = _week(text)
    if end_s <= job.start_s:
        msg = f"the end must be after the start, week {plain(job.start_s / WEEK_S)}"
        raise ValueError(msg)
    return replace(job, end_s=end_s)


def _start_hour(job: Job, text: str) -> Job:
    """Return the job with another start and the same length."""
    start_s = _hours(text)
    return Job(job.cores, start_s, start_s + job.end_s - job.start_s)


def _length(job: Job, text: str) -> Job:
    return replace(job, end_s=job.start_s + _hours(text, above=True))


_CORES = JobColumn("Cores", "Cores in use all the time", lambda job: plain(job.cores), _with_cores)
IN_WEEKS = (
    _CORES,
    JobColumn("From, wk", "Start, weeks from now", lambda job: plain(job.start_s / WEEK_S), _from_week),
    JobColumn("To, wk", "End, weeks from now", lambda job: plain(job.end_s / WEEK_S), _to_week),
)
IN_HOURS = (
    _CORES,
    JobColumn(
        "Start, h", "Hours from now to the start", lambda job: plain(job.start_s / HOUR_S), _start_hour
    ),
    JobColumn(
        "Length, h", "Runtime in hours", lambda job: plain((job.end_s - job.start_s) / HOUR_S), _length
    ),
)


def next_job(jobs: Sequence[Job], length_s: float) -> Job:
    """Return a job to begin with after the last one: as many cores, right behind it."""
    if not jobs:
        return Job(1.0, 0.0, length_s)
    last = jobs[-1]
    return Job(last.cores, last.end_s, last.end_s + length_s)


def jobs_to_json(jobs: Iterable[Job]) -> list[list[float]]:
    """Return plain lists for the preferences."""
    return [[job.cores, job.start_s, job.end_s] for job in jobs]


def jobs_from_json(found: object, otherwise: Sequence[Job]) -> tuple[Job, ...]:
    """Return the stored jobs; `otherwise` if they are invalid."""
    if not isinstance(found, list) or len(found) > MOST_JOBS:
        return tuple(otherwise)
    try:
        jobs = tuple(Job(*map(float, row)) for row in found)
        for job in jobs:
            _check(job)
    except (TypeError, ValueError):
        return tuple(otherwise)
    return jobs


def _check(job: Job) -> None:
    """Raise ValueError for a job that no table accepts."""
    if not (0 <= job.cores <= MOST_CORES and 0 <= job.start_s < job.end_s <= 2 * MOST_WEEKS * WEEK_S):
        msg = f"{job} cannot be"
        raise ValueError(msg)
