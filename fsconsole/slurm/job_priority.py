"""Components of a pending job's priority, and the pending jobs before and after it.

Source: priority_multifactor of Slurm 22.05 (each factor is from 0 to 1, times its weight; the nice value is
subtracted) and slurmctld's order of the queue: higher priority first, equal ones by number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from fsconsole.slurm.job_labels import job_count, task_count
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.sprio import JobPriority

_TITLES = {
    "fairshare": "Fairshare",
    "age": "Age",
    "assoc": "Association",
    "jobsize": "Job size",
    "partition": "Partition",
    "qos": "QOS",
    "site": "Site",
    "nice": "Nice",
}
_UNWEIGHTED = ("site", "nice")
_TRES = "Resources (TRES)"
_NOT_IN_TURN = frozenset(("Dependency", "DependencyNeverSatisfied", "BeginTime"))


@dataclass(frozen=True, slots=True)
class Factor:
    """One component of a priority.

    Attributes:
        title: name of the factor.
        points: contribution to the priority; negative for a deduction.
        weight: weight in the cluster's settings; None if the factor has none, or settings are unknown.
        value: factor from 0 to 1, points divided by weight; None without a weight.
    """

    title: str
    points: float
    weight: int | None = None
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """Position of a job among the eligible jobs of its partitions; each task of an array is a job.

    Attributes:
        place: position, 1 for the first; of tasks that wait together that of the first of them.
        count: number of eligible jobs there, including this one.
        before: preceding job; None for the first.
        after: following job; None for the last.
    """

    place: int
    count: int
    before: Job | None
    after: Job | None


def title_of(name: str) -> str:
    """Return the title of a factor, by its name in lower case."""
    return _TRES if name == "tres" else _TITLES.get(name, name.capitalize())


def row_of_each(rows: Iterable[JobPriority], jobs: Iterable[Job]) -> dict[int, JobPriority]:
    """Return the row that counts by job: the highest, of the job's own partition if it has only one.

    sprio has a row for each partition and QOS that a job may start in.
    """
    own = {job.job_id: job.partition for job in jobs}
    by = sorted(rows, key=lambda row: (row.partition in ("", own.get(row.job_id)), row.priority or 0.0))
    return {row.job_id: row for row in by}


def factors_of(row: JobPriority, weights: Mapping[str, int]) -> tuple[Factor, ...]:
    """Return the factors that count: those with points or a weight. They add up to the priority, but for
    rounding: what is left has the name of all factors that sprio printed as text, or not at all.

    Args:
        row: weighted numbers, as `sprio -l` prints them.
        weights: PriorityWeight… by what follows, lower case, as `SlurmConfig` has them.
    """
    names = [*(name for name in _TITLES if name in row.parts), *(set(row.parts) - set(_TITLES))]
    found = [_factor(name, row.parts[name], weights) for name in names]
    rest = (row.priority or 0.0) - sum(factor.points for factor in found)
    if row.priority is not None and abs(rest) > len(found):  # Each term is rounded.
        unprinted = [
            title for name, title in _TITLES.items() if name not in row.parts and weights.get(name, 1)
        ]
        found.append(Factor(" or ".join((*unprinted, _TRES)), rest))
    return tuple(factor for factor in found if factor.points or factor.weight)


def weighted(weights: Mapping[str, int]) -> tuple[Factor, ...]:
    """Return the factors that a cluster gives weight, without points, as they are known before a query."""
    names = (name for name in _TITLES if weights.get(name))
    return tuple(Factor(_TITLES[name], 0.0, weights[name]) for name in names)


def _factor(name: str, printed: float, weights: Mapping[str, int]) -> Factor:
    title = title_of(name)
    points = -printed if name == "nice" and printed else printed
    weight = None if name in _UNWEIGHTED else weights.get(name)
    return Factor(title, points, weight, points / weight if weight else None)


def turn_of(job: Job, jobs: Sequence[Job]) -> Turn | None:
    """Return a job's position among the eligible jobs; None if it is not eligible itself, or its tasks wait
    for different reasons.

    Slurm considers jobs in this order; a job that fits into a gap may still start before others.
    """
    if job.is_mixed or not is_eligible(job):
        return None
    wanted = frozenset(job.partition.split(","))
    queue = sorted(_rivals(jobs, wanted), key=_order)
    place = next((place for place, one in enumerate(queue) if one.job_id == job.job_id), None)
    if place is None:
        return None
    before = queue[place - 1] if place else None
    after = queue[place + 1] if place + 1 < len(queue) else None
    return Turn(_places(queue)[place], job_count(queue), before, after)


def is_unranked(job: Job) -> bool:
    """Return True if a pending job may wait for its turn, but its priority is unknown."""
    return job.is_pending and job.priority is None and not _NOT_IN_TURN.issuperset(job.reasons)


def unranked(job: Job, jobs: Iterable[Job]) -> int:
    """Count the pending jobs of a job's partitions whose place is unknown: they may stand before it."""
    wanted = frozenset(job.partition.split(","))
    return job_count(one for one in jobs if is_unranked(one) and wanted & {*one.partition.split(",")})


def moved(jobs: Iterable[Job], points: Callable[[Job], float]) -> tuple[int, int]:
    """Count eligible jobs that come to another place in the queue of a partition, and all eligible jobs.

    Args:
        jobs: all jobs.
        points: what each gains.
    """
    queues: dict[str, list[Job]] = {}
    waiting = [job for job in jobs if is_eligible(job)]
    gains = {job.job_id: round(points(job)) for job in waiting}
    for job in waiting:
        for name in job.partition.split(","):
            queues.setdefault(name, []).append(job)
    other: dict[int, Job] = {}
    for queue in queues.values():
        now = sorted(queue, key=_order)
        then = sorted(queue, key=lambda job: (_order(job)[0] - gains[job.job_id], job.job_id))
        was = {job.job_id: place for job, place in zip(now, _places(now), strict=True)}
        places = zip(then, _places(then), strict=True)
        other.update((job.job_id, job) for job, place in places if place != was[job.job_id])
    return job_count(other.values()), job_count(waiting)


def _rivals(jobs: Iterable[Job], wanted: frozenset[str]) -> Iterable[Job]:
    return (
        one
        for one in jobs
        if is_eligible(one) and (one.partition in wanted or not wanted.isdisjoint(one.partition.split(",")))
    )


def is_eligible(job: Job) -> bool:
    """Return True if a job, with all its tasks, waits for nothing but its turn; held jobs have a priority of
    0.
    """
    if not (job.is_pending and job.priority) or job.reason in _NOT_IN_TURN:
        return False
    return not job.is_mixed or not (job.has_held or _NOT_IN_TURN.intersection(job.reasons))


def _places(queue: Sequence[Job]) -> list[int]:
    """Return the position of each record by the jobs in those before it, 1 for the first."""
    return [1 + before for before in accumulate(map(task_count, queue[:-1]), initial=0)]


def _order(job: Job) -> tuple[int, int]:
    return (-(job.priority or 0), job.job_id)
