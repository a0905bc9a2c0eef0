"""View of a cluster's near-dedicated class, built from read data (`near_dedicated.py`)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from fsconsole.slurm.host_list import hosts_or_none
from fsconsole.slurm.job_labels import counts_of, job_count
from fsconsole.slurm.jobs import Job, Sort
from fsconsole.slurm.near_dedicated import (
    DedicatedView,
    NdClass,
    NdKind,
    NdRunning,
    NodeCount,
    Phase,
    RowKind,
    TimeRow,
)
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.scontrol_node import ClusterNode, busy_cpus
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.parsers.scontrol_reservation import Reservation
from fsconsole.slurm.preemption import (
    BY_TIER,
    Displaced,
    Preemption,
    displaced,
    is_stopped_by_slurm,
    preemptions,
)
from fsconsole.text.durations import length_words
from fsconsole.text.words import count_words

_WEIGHT = re.compile(r"(.+)=([0-9]+(?:\.[0-9]+)?)([A-Za-z]*)")


def dedicated_view(
    settings: SlurmConfig | None,
    partitions: Sequence[Partition],
    nodes: Sequence[ClusterNode],
    jobs: Sequence[Job],
    reservations: Sequence[Reservation],
    now_s: float,
) -> DedicatedView:
    """Return the present state of the class; arguments that are not read yet may be empty or None.

    Args:
        settings: settings of preemption, and the cluster's name.
        partitions: all partitions.
        nodes: all nodes.
        jobs: all jobs of slurmctld.
        reservations: all reservations.
        now_s: time of the cluster, seconds since 1970.
    """
    rules = preemptions(settings, partitions)
    gone = displaced(jobs, rules)
    cpus_of = {node.name: node.cpus for node in nodes}
    classes = (
        *_partition_classes(partitions, rules, jobs, gone, cpus_of, now_s),
        *_reservation_classes(reservations, jobs, cpus_of, now_s),
    )
    return DedicatedView(
        now_s,
        classes,
        rules,
        gone,
        _node_counts(nodes),
        _rows(classes),
        _sentence(settings, classes, gone),
        _notes(settings, partitions, jobs, rules, gone),
    )


def billing_words(weights: str) -> str:
    """Return the billing of seconds, such as `CPU ×2`; by default a CPU counts once."""
    parts = []
    for weight in weights.split(","):
        match = _WEIGHT.fullmatch(weight.strip())
        parts.append(f"{match[1]} ×{float(match[2]):g}{match[3]}" if match else weight.strip())
    return ", ".join(parts) if weights else "CPU ×1"


def _partition_classes(
    partitions: Sequence[Partition],
    rules: Sequence[Preemption],
    jobs: Sequence[Job],
    gone: Sequence[Displaced],
    cpus_of: Mapping[str, int],
    now_s: float,
) -> Iterable[NdClass]:
    known = {partition.name: partition for partition in partitions}
    below = {rule.of for rule in rules}
    held: dict[str, list[Displaced]] = defaultdict(list)
    for one in gone:
        held[one.by[0].partition].append(one)
    for name in dict.fromkeys(rule.by for rule in rules):
        partition = known[name]
        nodes = hosts_or_none(partition.nodes)
        own = [job for job in jobs if name == job.partition or name in job.partition.split(",")]
        yield NdClass(
            kind=NdKind.PARTITION,
            name=name,
            is_near_dedicated=name not in below,
            nodes=nodes,
            cpus=_cpus(nodes, cpus_of) or partition.cpus or None,
            tier=partition.priority_tier,
            billing=billing_words(partition.billing_weights),
            preempts=tuple(rule.of for rule in rules if rule.by == name),
            running=_running(own, now_s),
            counts=counts_of(own),
            displaced=tuple(held[name]),
        )


def _reservation_classes(
    reservations: Sequence[Reservation], jobs: Sequence[Job], cpus_of: Mapping[str, int], now_s: float
) -> Iterable[NdClass]:
    inside: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        for name in job.reservation.split(","):
            inside[name].append(job)
    for one in sorted(reservations, key=lambda one: (one.start_s, one.name)):
        nodes = hosts_or_none(one.nodes)
        phase = Phase.COMING if now_s < one.start_s else Phase.NOW if now_s < one.end_s else Phase.OVER
        yield NdClass(
            kind=NdKind.RESERVATION,
            name=one.name,
            is_near_dedicated=True,
            nodes=nodes,
            cpus=_cpus(nodes, cpus_of),
            users=one.users,
            accounts=one.accounts,
            flags=tuple(sorted(one.flags)),
            phase=phase,
            start_s=one.start_s,
            end_s=one.end_s,
            left_s=max(0.0, (one.start_s if phase is Phase.COMING else one.end_s) - now_s),
            running=_running(inside[one.name], now_s),
            counts=counts_of(inside[one.name]),
        )


def _cpus(nodes: Sequence[str], cpus_of: Mapping[str, int]) -> int | None:
    """Sum the CPUs; return None unless those of every node are known."""
    counts = [cpus_of.get(node) for node in nodes]
    return sum(count for count in counts if count) if counts and None not in counts else None


def _running(jobs: Iterable[Job], now_s: float) -> tuple[NdRunning, ...]:
    there = [
        NdRunning(job, hosts_or_none(job.nodes), job.ran_s(now_s), job.end_s)
        for job in jobs
        if job.sort is Sort.RUNNING
    ]
    return tuple(sorted(there, key=lambda one: (-one.elapsed_s, one.job.job_id)))


def _node_counts(nodes: Iterable[ClusterNode]) -> tuple[NodeCount, ...]:
    by_state: dict[str, list[ClusterNode]] = defaultdict(list)
    for node in nodes:
        by_state[node.state].append(node)
    counts = []
    for state, there in by_state.items():
        counts.append(NodeCount(state, len(there), sum(node.cpus for node in there), busy_cpus(there)))
    return tuple(sorted(counts, key=lambda count: (-count.nodes, count.state)))


def _rows(classes: Iterable[NdClass]) -> tuple[TimeRow, ...]:
    """Return rows of near-dedicated classes; jobs of a partition that others displace would fill it."""
    rows = []
    for one in classes:
        if one.kind is NdKind.RESERVATION and one.start_s is not None:
            end_s = None if one.end_s is None else float(one.end_s)
            rows.append(
                TimeRow(RowKind.RESERVATION, one.name, one.name, float(one.start_s), end_s, len(one.nodes))
            )
        if one.is_near_dedicated:
            rows += _job_rows(one)
    order = list(RowKind)
    return tuple(sorted(rows, key=lambda row: (order.index(row.kind), row.start_s, row.label)))


def _job_rows(one: NdClass) -> Iterable[TimeRow]:
    for running in one.running:
        if running.job.start_s is not None:
            yield TimeRow(
                RowKind.RUNNING,
                running.job.label,
                one.name,
                float(running.job.start_s),
                running.end_s,
                len(running.nodes),
            )
    for lost in one.displaced:
        if lost.since_s is not None:
            nodes = lost.job.node_count
            yield TimeRow(RowKind.DISPLACED, lost.job.label, one.name, float(lost.since_s), None, nodes)


def _sentence(settings: SlurmConfig | None, classes: Sequence[NdClass], gone: Sequence[Displaced]) -> str:
    where = settings.cluster if settings and settings.cluster else "this cluster"
    if not classes:
        return f"No partition of {where} preempts another, and there is no reservation."
    parts = [_class_words(one) for one in classes if one.is_near_dedicated]
    lost = (
        f"{count_words(job_count(one.job for one in gone), 'job')} probably displaced"
        if gone
        else "no job displaced"
    )
    return f"{'; '.join([*parts, lost])}."


def _class_words(one: NdClass) -> str:
    running, pending = one.counts[Sort.RUNNING], one.counts[Sort.WAITING]
    jobs = f"{running} running, {pending} pending"
    if one.kind is NdKind.PARTITION:
        return f"{one.name}: {jobs}"
    when = {Phase.COMING: "begins in", Phase.NOW: "ends in", Phase.OVER: "is over"}[one.phase or Phase.NOW]
    left = "" if one.phase is Phase.OVER else f" {length_words(one.left_s or 0.0)}"
    return f"reservation {one.name} {when}{left}: {jobs}"


def _notes(
    settings: SlurmConfig | None,
    partitions: Sequence[Partition],
    jobs: Iterable[Job],
    rules: Sequence[Preemption],
    gone: Iterable[Displaced],
) -> tuple[str, ...]:
    notes = []
    kind = settings.preempt_type if settings else ""
    if settings is None:
        notes.append("The settings have not been read, so the jobs that may displace others are unknown.")
    elif kind not in (BY_TIER, "preempt/none", ""):
        notes.append(
            f"Preemption depends on {kind} here, and its rules are not in the data that the console reads."
        )
    unread = [
        partition.name for partition in partitions if partition.nodes and not hosts_or_none(partition.nodes)
    ]
    if unread:
        notes.append(f"Cannot read the node list of {', '.join(unread)}.")
    reported = {one.job.job_id for one in gone}
    odd = sum(is_stopped_by_slurm(job) and job.job_id not in reported for job in jobs)
    if odd and rules:
        notes.append(
            f"{count_words(odd, 'more suspended job')}: suspended by Slurm according to its records, but no "
            "running job of a higher tier has those nodes."
        )
    return tuple(notes)
