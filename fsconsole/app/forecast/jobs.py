"""Jobs that are planned, and the two ways in which a table writes their times."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fsconsole.app.forecast.cluster import rate_words
from fsconsole.app.forecast.entry import (
    HOUR_S,
    MOST_CORES,
    MOST_WEEKS,
    WEEK_S,
    number,
    plain,
)
from fsconsole.app.forecast.job_shape import job_rate, most_rate, read_shape
from fsconsole.slurm.decay import Spell

if TYPE_CHECKING:
    from fsconsole.app.forecast.cluster import Cluster

MOST_JOBS = 200


@dataclass(frozen=True, slots=True)
class Job:
    """Use at a constant rate, and from when to when, s from now.

    Attributes:
        cores: billing units a second; NaN until what it requests is `priced`.
        start_s, end_s: its times.
        requests: its resources as written, such as cpus=8,mem=64G; empty where it has cores alone.
    """

    cores: float
    start_s: float
    end_s: float
    requests: str = ""

    @property
    def what(self) -> str:
        """What it uses, as it was written."""
        return self.requests or plain(self.cores)

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
    """A column: its title, its tooltip, its format, and the job with a typed text in it; texts of a wide one
    take what the others leave.
    """

    title: str
    about: str
    words: Callable[[Job], str]
    typed: Callable[[Job, str], Job]
    is_wide: bool = False


def priced(job: Job, cluster: Cluster) -> Job:
    """Return a job with the rate that a cluster charges for what it requests.

    Raises:
        ValueError: that is unknown there, or more than the cluster has.
    """
    if job.requests:
        return replace(job, cores=job_rate(cluster, read_shape(job.requests)))
    if job.cores > (most := most_rate(cluster)):
        unit = rate_words(most, cluster)
        msg = f"{plain(job.cores)} is too much for a planned job. The largest partition has {unit}"
        raise ValueError(msg)
    return job


def _with_cores(job: Job, text: str) -> Job:
    return replace(job, cores=number(text, 0, MOST_CORES, "28"))


def _with_use(job: Job, text: str) -> Job:
    """Return the job with other cores, or other resources whose price is not known yet."""
    if "=" not in text:
        return replace(_with_cores(job, text), requests="")
    read_shape(text)
    return replace(job, cores=math.nan, requests=text.strip())


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
    return replace(job, start_s=start_s, end_s=start_s + job.end_s - job.start_s)


def _length(job: Job, text: str) -> Job:
    return replace(job, end_s=job.start_s + _hours(text, above=True))


_CORES = JobColumn("Cores", "Cores in use all the time", lambda job: plain(job.cores), _with_cores)
IN_WEEKS = (
    _CORES,
    JobColumn("From, wk", "Start, weeks from now", lambda job: plain(job.start_s / WEEK_S), _from_week),
    JobColumn("To, wk", "End, weeks from now", lambda job: plain(job.end_s / WEEK_S), _to_week),
)


def in_hours(price: Callable[[Job], Job]) -> tuple[JobColumn, ...]:
    """Return columns of jobs on a cluster; `price` returns a job as it is charged there, or raises
    ValueError.
    """
    return (
        JobColumn(
            "Cores or resources",
            "Cores in use all the time, or what is requested: cpus=8,mem=64G,gres=gpu:a100:2,partition=gpu,"
            "qos=high",
            lambda job: job.what,
            lambda job, text: price(_with_use(job, text)),
            is_wide=True,
        ),
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
    return replace(last, start_s=last.end_s, end_s=last.end_s + length_s)


def jobs_to_json(jobs: Iterable[Job]) -> list[list[float | str]]:
    """Return plain lists for the preferences."""
    return [[job.requests or job.cores, job.start_s, job.end_s] for job in jobs]


def jobs_from_json(found: object, otherwise: Sequence[Job]) -> tuple[Job, ...]:
    """Return the stored jobs; `otherwise` if they are invalid."""
    if not isinstance(found, list) or len(found) > MOST_JOBS:
        return tuple(otherwise)
    try:
        return tuple(_job_from_json(*row) for row in found)
    except (TypeError, ValueError):
        return tuple(otherwise)


def _job_from_json(what: float | str, start_s: float, end_s: float) -> Job:
    """Return a job; ValueError for one that no table accepts."""
    job = Job(0.0, float(start_s), float(end_s))
    job = _with_use(job, what) if isinstance(what, str) else replace(job, cores=float(what))
    can_be = job.requests or 0 <= job.cores <= MOST_CORES
    if not (can_be and 0 <= job.start_s < job.end_s <= 2 * MOST_WEEKS * WEEK_S):
        msg = f"{job} cannot be"
        raise ValueError(msg)
    return job
