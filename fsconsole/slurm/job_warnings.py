"""Warnings before an operator changes jobs of a cluster, for a dialog.

Slurm does not warn of these effects. The warnings rest on the observed behaviour of 22.05.8;
`JobWarning.is_ours` marks conclusions by a rule of ours from several records.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fsconsole.slurm.host_list import hosts_or_none
from fsconsole.slurm.job_change import JobChange, JobVerb, new_limit_s, only_insisted, why_not
from fsconsole.slurm.job_labels import JobIndex, job_count
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.parsers.scontrol_reservation import Reservation
from fsconsole.slurm.preemption import displaced, displaced_words, is_stopped_by_slurm, preemptions
from fsconsole.text.durations import length_words, slurm_limit
from fsconsole.text.numbers import fixed, thousands
from fsconsole.text.words import count_words, jobs_title

_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class JobWarning:
    """Something to be known before.

    Attributes:
        text: sentences that name the jobs.
        jobs: labels of those.
        reason: why it is done only where the person insists (`JobChange.insisted`); empty if it always is.
        is_ours: whether it is computed by a rule of ours; the text says so too.
        is_timed: whether the text counts a time that passes.
    """

    text: str
    jobs: tuple[str, ...]
    reason: str = ""
    is_ours: bool = False
    is_timed: bool = False

    @property
    def must_insist(self) -> bool:
        """True if the person has to insist."""
        return bool(self.reason)

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for the same warning some seconds later alone."""
        return self.jobs, self.must_insist, "" if self.is_timed else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The cluster around the jobs, as far as it was read; unread parts cause no warnings.

    Attributes:
        jobs: all that slurmctld knows.
        now_s: the cluster's clock, seconds since 1970.
    """

    jobs: Sequence[Job]
    now_s: float
    partitions: Sequence[Partition] = ()
    nodes: Sequence[ClusterNode] = ()
    reservations: Sequence[Reservation] = ()
    settings: SlurmConfig | None = None


def dangers(change: JobChange, around: Surroundings) -> tuple[JobWarning, ...]:
    """Return warnings before a change, the gravest first; none for jobs that do not allow it."""
    jobs = [job for job in _chosen(change, around.jobs) if not why_not(change, job)]
    found = [*_insisted(change, jobs, around), *_DANGERS[change.verb](change, jobs, around)]
    return tuple(sorted(found, key=lambda danger: not danger.must_insist))


def insisting(change: JobChange, shown: Iterable[JobWarning]) -> JobChange:
    """Return a change whose dangers among the shown warnings are confirmed, and no others."""
    pairs = frozenset((label, one.reason) for one in shown if one.must_insist for label in one.jobs)
    return replace(change, insisted=pairs)


def _chosen(change: JobChange, jobs: Iterable[Job]) -> Iterator[Job]:
    index = JobIndex(jobs)
    for label in change.jobs:
        try:
            yield from index.find(label)
        except DamagedError:
            continue  # The change itself is refused, so no warning is needed.


def _insisted(change: JobChange, jobs: Sequence[Job], around: Surroundings) -> Iterator[JobWarning]:
    by_reason: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        if reason := only_insisted(change, job, around.now_s):
            by_reason[reason].append(job)
    for reason, alike in by_reason.items():
        labels = _labels(alike)
        text = reason if len(jobs) == 1 else f"{jobs_title(labels)}: {reason}"
        yield JobWarning(text, labels, reason)


def _of_kill(_change: JobChange, jobs: Sequence[Job], around: Surroundings) -> Iterator[JobWarning]:
    yield from _lost(jobs, around.now_s)
    waiting = [job for job in jobs if job.is_pending and job.array_tasks]
    count = job_count(waiting)
    if count > len(waiting):
        text = f"{thousands(count)} pending tasks are killed ({', '.join(_labels(waiting)[:3])})."
        yield JobWarning(text, _labels(waiting))
    yield from _parts_of_het(jobs)


def _of_extend(change: JobChange, jobs: Sequence[Job], around: Surroundings) -> Iterator[JobWarning]:
    if change.by_s > 0:
        yield from _beyond_partition(change, jobs, around.partitions)
        yield from _into_reservation(change, jobs, around)


def _of_suspend(_change: JobChange, jobs: Sequence[Job], _around: Surroundings) -> Iterator[JobWarning]:
    if jobs:
        yield JobWarning(
            "A suspended job is charged as if it ran, and its time limit pauses. Other jobs get "
            "its CPUs and share them with it when it is resumed.",
            _labels(jobs),
        )


def _of_resume(_change: JobChange, jobs: Sequence[Job], around: Surroundings) -> Iterator[JobWarning]:
    stopped = {job.job_id for job in jobs if is_stopped_by_slurm(job)}
    if stopped:
        rules = preemptions(around.settings, around.partitions)
        concerned = [job for job in around.jobs if job.state == "RUNNING" or job.job_id in stopped]
        for one in displaced(concerned, rules):
            yield JobWarning(displaced_words(one), (one.job.label,), is_ours=True)
    yield from _without_room([job for job in jobs if job.job_id not in stopped], around)


def _of_requeue(_change: JobChange, jobs: Sequence[Job], around: Surroundings) -> Iterator[JobWarning]:
    yield from _lost([job for job in jobs if not job.is_finished], around.now_s)
    held = [job for job in jobs if job.state == "SUSPENDED" and not is_stopped_by_slurm(job)]
    if held:
        text = f"{jobs_title(_labels(held))}: suspended. Requeued jobs come back held, and must be released."
        yield JobWarning(text, _labels(held))
    if jobs:
        yield JobWarning("The job starts again after two minutes at the earliest.", _labels(jobs))


def _of_release(_change: JobChange, jobs: Sequence[Job], _around: Surroundings) -> Iterator[JobWarning]:
    own = [job for job in jobs if "JobHeldUser" in job.reasons]
    if own:
        yield JobWarning(f"{jobs_title(_labels(own))}: held by its own user.", _labels(own))


def _of_hold(_change: JobChange, _jobs: Sequence[Job], _around: Surroundings) -> Iterator[JobWarning]:
    return iter(())


_DANGERS: Mapping[JobVerb, Callable[[JobChange, Sequence[Job], Surroundings], Iterator[JobWarning]]] = {
    JobVerb.KILL: _of_kill,
    JobVerb.EXTEND: _of_extend,
    JobVerb.SUSPEND: _of_suspend,
    JobVerb.RESUME: _of_resume,
    JobVerb.HOLD: _of_hold,
    JobVerb.RELEASE: _of_release,
    JobVerb.REQUEUE: _of_requeue,
}


def _lost(jobs: Sequence[Job], now_s: float) -> Iterator[JobWarning]:
    """Yield warnings of lost computing time, unless the program saves its results by itself."""
    ran = [job for job in jobs if job.ran_s(now_s) > 0]
    if not ran:
        return
    hours = sum(job.ran_s(now_s) * job.cpus for job in ran) / _HOUR_S
    lost = f"{fixed(hours, 1)} CPU hours are lost, unless the program saves its state itself."
    if len(ran) == 1:
        cpus = count_words(ran[0].cpus, "CPU")
        what = f"{ran[0].label} has run {length_words(ran[0].ran_s(now_s))} on {cpus}"
    else:
        what = (
            f"{thousands(len(ran))} of them have run, the longest "
            f"{length_words(max(job.ran_s(now_s) for job in ran))}"
        )
    yield JobWarning(f"{what}: {lost}", _labels(ran), is_timed=True)


def _parts_of_het(jobs: Sequence[Job]) -> Iterator[JobWarning]:
    chosen = {job.job_id for job in jobs}
    for job in jobs:
        if job.het_job_id and job.het_offset and job.het_job_id not in chosen:
            yield JobWarning(
                f"{job.label} is one component of the het job {job.het_job_id}. Only this component "
                "is killed; the others continue without it.",
                (job.label,),
            )


def _beyond_partition(
    change: JobChange, jobs: Sequence[Job], partitions: Iterable[Partition]
) -> Iterator[JobWarning]:
    longest_s = {one.name: one.max_time_s for one in partitions if one.max_time_s is not None}
    beyond: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        limit_s = new_limit_s(change, job)
        known = [name for name in job.partition.split(",") if name in longest_s]
        if limit_s is not None and known and limit_s > max(longest_s[name] for name in known):
            beyond[known[0]].append(job)
    for name, alike in beyond.items():
        labels = _labels(alike)
        limit = slurm_limit(max(new_limit_s(change, job) or 0.0 for job in alike))
        yield JobWarning(
            f"{jobs_title(labels)}: the limit becomes {limit}, beyond MaxTime "
            f"{slurm_limit(longest_s[name])} of partition {name}. Slurm allows root to do this "
            "without a warning.",
            labels,
        )


def _into_reservation(change: JobChange, jobs: Sequence[Job], around: Surroundings) -> Iterator[JobWarning]:
    """Warn of a job extended into a reservation: Slurm places no job there, but allows the extension."""
    nodes = {one.name: frozenset(hosts_or_none(one.nodes)) for one in around.reservations}
    for one in around.reservations:
        met, inside = [], []
        for job in jobs:
            if job.end_s is None or job.is_pending:
                continue
            if job.reservation == one.name:
                inside += [job] if job.end_s + change.by_s > one.end_s else []
            elif job.end_s <= one.start_s < job.end_s + change.by_s:
                met += [job] if not nodes[one.name].isdisjoint(hosts_or_none(job.nodes)) else []
        if met:
            yield JobWarning(
                f"{jobs_title(_labels(met))}: may run into reservation {one.name} on the same "
                "nodes, whose jobs then wait. The console computes this; Slurm does not report it.",
                _labels(met),
                is_ours=True,
            )
        if inside:
            yield JobWarning(
                f"{jobs_title(_labels(inside))}: beyond the end of reservation {one.name}, in "
                "which it runs. Slurm may end it there (ResvOverRun).",
                _labels(inside),
            )


def _without_room(jobs: Sequence[Job], around: Surroundings) -> Iterator[JobWarning]:
    """Yield the CPUs that a job left when it was suspended may be others' by now; Slurm resumes it anyway."""
    cpus_of = {node.name: node.cpus for node in around.nodes}
    wanted = {node for job in jobs for node in hosts_or_none(job.nodes)} & set(cpus_of)
    if not wanted:
        return
    busy: dict[str, float] = dict.fromkeys(wanted, 0.0)
    for job in around.jobs:
        if job.state == "RUNNING":
            there = hosts_or_none(job.nodes)
            for node in there:
                if node in busy:
                    busy[node] += job.cpus / len(there)
    for job in jobs:
        there = hosts_or_none(job.nodes)
        full = [
            node
            for node in there
            if node in busy and math.ceil(busy[node] + job.cpus / len(there)) > cpus_of[node]
        ]
        if full:
            yield JobWarning(
                f"{job.label}: other jobs now run on its CPUs on "
                f"{', '.join(full[:3])}{' and more' if len(full) > 3 else ''}. Slurm runs both "
                "there, each more slowly. The console computes this from the jobs' CPU counts.",
                (job.label,),
                is_ours=True,
            )


def _labels(jobs: Iterable[Job]) -> tuple[str, ...]:
    return tuple(job.label for job in jobs)
