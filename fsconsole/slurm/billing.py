"""What a job is charged a second: its resources by TRESBillingWeights and PriorityFlags, times UsageFactor.

Source: slurm.conf(5), and billing and RawUsage of started jobs on Slurm 22.05.8, 24.11.5 and 26.05.5. The
printed billing is the whole part of the price; usage counts all of it. A job keeps the price of its first
start, when it is requeued or weights change too. Seconds in which a job is suspended are charged.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from fsconsole.slurm.associations import Associations
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.billing import tres_weights
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.parsers.values import resource

MAX_TRES, MAX_TRES_GRES = "MAX_TRES", "MAX_TRES_GRES"
_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_OF_NODES = ("cpu", "mem", "node")
_ROUNDED = 1e-9


def amounts_in(tres: str) -> dict[str, float]:
    """Return amounts of a list such as cpu=6,mem=4000M,gres/gpu:a100=2, by name in lower case; memory in MB.

    Amounts that are not numbers are left out.
    """
    names = [piece.partition("=")[0] for piece in tres.split(",")]
    found = ((name.strip().lower(), resource(tres, name)) for name in names)
    return {name: amount for name, amount in found if name and amount is not None}


def price(amounts: Mapping[str, float], weights: str, flags: Collection[str]) -> float:
    """Return billing units a second of resources.

    Args:
        amounts: allocated ones by name in lower case, memory in MB.
        weights: TRESBillingWeights as written; one for each CPU where there are none.
        flags: PriorityFlags as `scontrol show config` prints them.

    Raises:
        DamagedError: these are not weights.
    """
    of = tres_weights(weights)
    if not of:
        return amounts.get("cpu", 0.0)
    parts = {
        name: weight * _in_unit(name, amounts.get(name, 0.0), unit) for name, (weight, unit) in of.items()
    }
    parts.pop("billing", None)  # slurmctld ignores it.
    gres = [value for name, value in parts.items() if name.startswith("gres/")]
    of_nodes = [value for name, value in parts.items() if name in _OF_NODES]
    rest = sum(parts.values()) - sum(gres) - sum(of_nodes)
    if MAX_TRES_GRES in flags:
        return max(of_nodes, default=0.0) + sum(gres) + rest
    if MAX_TRES in flags:
        return max([*of_nodes, *gres], default=0.0) + rest
    return sum(parts.values())


def _in_unit(name: str, amount: float, unit: str) -> float:
    """Return an amount in the unit of its weight; memory is in MB, and weighted by MB without a unit."""
    power = _UNITS[unit] - _UNITS["M"] if name == "mem" and unit else _UNITS[unit]
    return amount / 1024.0**power


def usage_factor(name: str, known: Sequence[Qos]) -> float:
    """Return the UsageFactor of a QOS; NaN for one that is unknown.

    Without a name it is that of all, where they have the same.
    """
    factors = {one.usage_factor for one in known if not name or one.name == name}
    if not name and not known:
        return 1.0
    return factors.pop() if len(factors) == 1 else math.nan


def rate_of(job: Job, partitions: Sequence[Partition], qos: Sequence[Qos], flags: Collection[str]) -> float:
    """Return the charge of a started job a second; NaN if something of it is unknown.

    The price was fixed when the job first started. Where the printed billing is another than that of today's
    weights and resources, it counts.
    """
    partition = next((one for one in partitions if one.name == job.partition), None)
    rate = math.nan
    if partition is not None and (job.tres or not partition.billing_weights):
        amounts = amounts_in(job.tres) if job.tres else {"cpu": float(job.cpus)}
        with suppress(DamagedError):
            rate = price(amounts, partition.billing_weights, flags)
    if job.billing is not None and not -_ROUNDED <= rate - job.billing < 1:
        rate = job.billing
    return rate * usage_factor(job.qos, qos)


def is_charged(job: Job) -> bool:
    """Return True while a job has its resources, running or suspended."""
    return not (job.is_pending or job.is_finished)


def charged_jobs(
    jobs: Sequence[Job],
    tree: Associations,
    partition: Sequence[str],
    partitions: Sequence[Partition],
    qos: Sequence[Qos],
    flags: Collection[str],
) -> list[tuple[int, Job, float]]:
    """Return started jobs with their user's row, and what each is charged a second; NaN where that is
    unknown. One without an account may be charged to each row of its user.

    Args:
        jobs: all that squeue shows.
        tree: associations.
        partition: partition of each row, empty for all; nothing where no row has one.
        partitions: with their weights.
        qos: with their usage factors.
        flags: PriorityFlags.
    """
    of_row = partition or ("",) * len(tree)
    rows = {key: row for row, key in enumerate(zip(tree.account, tree.user, of_row, strict=True)) if key[1]}
    of_user: dict[str, list[int]] = defaultdict(list)
    for (_, user, _), at in rows.items():
        of_user[user].append(at)
    found = []
    rates: dict[tuple[object, ...], float] = {}  # Many jobs have the same resources.
    for job in filter(is_charged, jobs):
        if not job.account:
            found += [(at, job, math.nan) for at in of_user.get(job.user, ())]
            continue
        own = (job.account, job.user, job.partition)
        row = rows.get(own, rows.get((*own[:2], "")))
        key = (job.partition, job.qos, job.tres, job.cpus, job.billing)
        if key not in rates:
            rates[key] = rate_of(job, partitions, qos, flags)
        if row is not None:
            found.append((row, job, rates[key]))
    return found
