"""Preemption: which partitions may preempt which others, and which jobs were probably displaced by which.

Source: slurm.conf(5) on PreemptType=preempt/partition_prio, and what Slurm 22.05.8 was seen to do:

- a job that Slurm itself suspends keeps its priority, one that an operator suspends has priority 0;
- it is suspended in the second in which the other one begins;
- a job that is requeued has that second as its new time of submission.

That a certain job was displaced by a certain other one stands in no record of Slurm: it is computed here,
by rules of ours that stand on these three, and is never more than likely.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from fsconsole.slurm.host_list import hosts_or_none
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.text.words import count_words

BY_TIER = "preempt/partition_prio"
FITS_S = 3
"""How far the times of two records may be apart that are of one event; a choice of ours."""


class Effect(StrEnum):
    """Effect of preemption on a job."""

    SUSPEND = "suspend"
    REQUEUE = "requeue"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class Preemption:
    """Preemption of one partition's jobs by those of another.

    Attributes:
        by, of: names of the partitions.
        effect: effect on the jobs of `of`.
        nodes: number of common nodes.
    """

    by: str
    of: str
    effect: Effect
    nodes: int


class Certainty(StrEnum):
    """Certainty that a job was displaced by the named ones."""

    # The job began on its nodes when the other was stopped, or was the only one that began then.
    LIKELY = "likely"
    POSSIBLE = "possible"  # The job is on its nodes, but the times do not fit, or several began then.


@dataclass(frozen=True, slots=True)
class Displaced:
    """Displaced job, computed by us.

    Attributes:
        job: suspended, requeued or cancelled job.
        by: running jobs of partitions that may displace it, the likeliest first; never empty.
        since_s: time of the displacement, seconds since 1970; None if unknown.
    """

    job: Job
    effect: Effect
    by: tuple[Job, ...]
    certainty: Certainty
    since_s: int | None


def effect_on(partition: Partition, settings: SlurmConfig) -> Effect | None:
    """Return the effect of preemption on jobs of a partition; None if no partition preempts it."""
    modes = (partition.preempt_mode or settings.preempt_mode).upper().split(",")
    return next((effect for effect in Effect if effect.name in modes), None)


def preemptions(settings: SlurmConfig | None, partitions: Sequence[Partition]) -> tuple[Preemption, ...]:
    """Return preempting pairs of partitions, by descending tiers; empty if preemption is not by partition."""
    if settings is None or settings.preempt_type != BY_TIER:
        return ()
    ranked = sorted(partitions, key=lambda partition: (-partition.priority_tier, partition.name))
    nodes = {partition.name: frozenset(hosts_or_none(partition.nodes)) for partition in ranked}
    found = []
    for by in ranked:
        for of in ranked:
            effect = effect_on(of, settings)
            common = len(nodes[by.name] & nodes[of.name])
            if by.priority_tier > of.priority_tier and effect is not None and common:
                found.append(Preemption(by.name, of.name, effect, common))
    return tuple(found)


def is_stopped_by_slurm(job: Job) -> bool:
    """Return True if Slurm itself has suspended the job, and will resume it.

    Also return False if that is unknown.
    """
    return job.state == "SUSPENDED" and bool(job.priority)


def displaced(jobs: Iterable[Job], rules: Sequence[Preemption]) -> tuple[Displaced, ...]:
    """Return the jobs that have probably lost their place, and the running ones that have it; `rules` are of
    `preemptions`.
    """
    jobs = tuple(jobs)
    above: dict[str, dict[str, Effect]] = defaultdict(dict)
    for rule in rules:
        above[rule.of][rule.by] = rule.effect
    victims = [(job, effect) for job in jobs if (effect := _lost_by(job, above)) is not None]
    if not victims:
        return ()
    takers = [
        job for job in jobs if job.state == "RUNNING" and any(rule.by == job.partition for rule in rules)
    ]
    on_node = _by_node(takers) if any(effect is not Effect.REQUEUE for _, effect in victims) else {}
    by_start: dict[int, list[Job]] = defaultdict(list)
    for taker in takers:
        by_start[taker.start_s or 0].append(taker)
    found: list[Displaced] = []
    explained: set[int] = set()
    for job, effect in sorted(victims, key=lambda victim: victim[1] is Effect.REQUEUE):
        able = {by for name in job.partition.split(",") for by in above.get(name, {})}
        if effect is Effect.REQUEUE:
            near = [one for one in _that_began_at(job.submit_s, by_start) if one.partition in able]
        else:
            near = _on_nodes_of(job, able, on_node)
        if one := _displaced(job, effect, near, explained):
            explained.add(one.by[0].job_id)
            found.append(one)
    return tuple(sorted(found, key=lambda one: one.job.job_id))


def displaced_words(one: Displaced) -> str:
    """Return a sentence on the probable fate of the job, marked as probable."""
    first = one.by[0]
    others = len(one.by) - 1
    more = f" or by {count_words(others, 'other')}" if others else ""
    done = {Effect.SUSPEND: "suspended", Effect.REQUEUE: "requeued", Effect.CANCEL: "cancelled"}[one.effect]
    why = f"which has held {first.nodes} since then"
    if one.certainty is Certainty.POSSIBLE:
        why = (
            f"which started in that second on {first.nodes}, but others may have too"
            if one.effect is Effect.REQUEUE
            else f"which has nodes of it ({first.nodes}), but not since then"
        )
    how = {Certainty.LIKELY: "probably", Certainty.POSSIBLE: "possibly"}[one.certainty]
    return (
        f"{one.job.label} of {one.job.user} was {done}, {how} by {first.label} of {first.user} in "
        f"{first.partition}{more}, {why}. The console computes this; Slurm does not record it."
    )


def _lost_by(job: Job, above: Mapping[str, Mapping[str, Effect]]) -> Effect | None:
    """Describe the way in which a job may have lost its place, from only its own record."""
    effects = {effect for name in job.partition.split(",") for effect in above.get(name, {}).values()}
    if job.state == "SUSPENDED" and Effect.SUSPEND in effects and job.priority != 0:
        return Effect.SUSPEND
    if job.is_pending and job.restarts and Effect.REQUEUE in effects:
        return Effect.REQUEUE
    return Effect.CANCEL if job.state == "PREEMPTED" and effects else None


def _displaced(job: Job, effect: Effect, takers: Sequence[Job], explained: Set[int]) -> Displaced | None:
    """Find the job that displaced it; of jobs at the same second, a displacing one is last."""
    since_s = {Effect.SUSPEND: _suspended_s(job), Effect.REQUEUE: job.submit_s, Effect.CANCEL: job.end_s}[
        effect
    ]

    def apart_s(taker: Job) -> float:
        known = since_s is not None and taker.start_s is not None
        return abs((since_s or 0) - (taker.start_s or 0)) if known else math.inf

    def rank(taker: Job) -> tuple[float, bool, bool, int]:
        return apart_s(taker), bool(taker.reservation), taker.job_id in explained, taker.job_id

    ranked = sorted(takers, key=rank)
    nearest_s = apart_s(ranked[0]) if ranked else math.inf
    fitting = tuple(taker for taker in ranked if apart_s(taker) == nearest_s <= FITS_S)
    if effect is Effect.REQUEUE and fitting:  # Its record no longer shows its nodes.
        likely = len(fitting) == 1
        return Displaced(job, effect, fitting, Certainty.LIKELY if likely else Certainty.POSSIBLE, since_s)
    if fitting:
        return Displaced(job, effect, fitting, Certainty.LIKELY, since_s)
    if ranked and effect is Effect.SUSPEND:
        return Displaced(job, effect, tuple(ranked), Certainty.POSSIBLE, since_s)
    return None


def _suspended_s(job: Job) -> int | None:
    """Return since when a job is suspended.

    Where that is unknown (`squeue -O` has no such field), it is as if for the first time.
    """
    if job.suspend_s is not None or job.start_s is None or job.elapsed_s is None:
        return job.suspend_s
    return job.start_s + job.elapsed_s


def _by_node(jobs: Iterable[Job]) -> dict[tuple[str, str], list[Job]]:
    """Group jobs by partition and node."""
    there: dict[tuple[str, str], list[Job]] = defaultdict(list)
    for job in jobs:
        for node in hosts_or_none(job.nodes):
            there[job.partition, node].append(job)
    return there


def _that_began_at(time_s: int | None, by_start: Mapping[int, Sequence[Job]]) -> list[Job]:
    if time_s is None:
        return []
    around = range(time_s - FITS_S, time_s + FITS_S + 1)
    return [job for second in around for job in by_start.get(second, ())]


def _on_nodes_of(
    job: Job, partitions: Iterable[str], on_node: Mapping[tuple[str, str], Sequence[Job]]
) -> list[Job]:
    nodes = hosts_or_none(job.nodes)
    there = {
        one.job_id: one for name in partitions for node in nodes for one in on_node.get((name, node), ())
    }
    return [*there.values()]
