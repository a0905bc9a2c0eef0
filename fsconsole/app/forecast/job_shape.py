"""A job as a person writes it: `cpus=8,mem=16G,gres=gpu:a100:2,partition=gpu,qos=high`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from fsconsole.app.forecast.cluster import Cluster, rate_words
from fsconsole.slurm.billing import amounts_in, price, usage_factor
from fsconsole.slurm.job_fit import check_fit
from fsconsole.slurm.limits import tres_of
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.values import resource
from fsconsole.slurm.priority_outlook import JobMix, JobShape, charged_rate, mix_of_new, partition_of
from fsconsole.targets.slurm.state import PartName

_OF_JOBS = (PartName.PARTITIONS, PartName.QOS)
_KNOWN = ("cpus", "nodes", "mem", "gres", "partition", "qos", "nice")


def read_shape(text: str) -> JobShape:
    """Read KEY=VALUE pairs between commas; an empty text is one CPU in the default partition.

    `gres` may be given several times. ValueError with a sentence that says what would be right.
    """
    found: dict[str, str] = {}
    gres: dict[str, float] = {}
    for piece in text.split(",") if text.strip() else ():
        key, equals, value = (part.strip() for part in piece.partition("="))
        if key not in _KNOWN or not equals:
            known = ", ".join(_KNOWN)
            msg = f"{piece.strip()!r} is not KEY=VALUE with a key of {known}. Example: cpus=8,qos=high"
            raise ValueError(msg)
        if key == "gres":
            name, count = _gres(value)
            gres[name] = gres.get(name, 0.0) + count
        found[key] = value
    numbers = {key: _whole(key, found[key]) for key in ("cpus", "nodes", "nice") if key in found}
    memory = resource(f"mem={found['mem']}", "mem") if "mem" in found else 0.0
    if memory is None:
        msg = f"'{found['mem']}' is not an amount of memory. Example: mem=4G"
        raise ValueError(msg)
    partition, qos = found.get("partition", ""), found.get("qos", "")
    return JobShape(partition, qos, memory_mib=memory, gres=gres, is_on_nodes="nodes" in found, **numbers)


def unchecked(cluster: Cluster, shape: JobShape) -> str:
    """Return a sentence on a job's requests that could not be checked against the cluster; empty if all were.

    Raises:
        ValueError: no job with these requests can run there.
    """
    known = cluster.known
    partition = partition_of(shape.partition, known.partitions)
    return check_fit(shape, partition, known.cluster_nodes, tres_of(known.config))


def new_mix(cluster: Cluster, shape: JobShape) -> JobMix:
    """Return the components of a new job's priority, with its price as a note.

    Raises:
        ValueError: the weights are unknown, or no such job can run there.
    """
    known = cluster.known
    with _gaps_named(cluster):
        mix = mix_of_new(shape, config_of(cluster, "priority"), known.partitions, known.qos)
        remark = unchecked(cluster, shape)
    try:
        rate = job_rate(cluster, shape)
        charge = f"While it runs it uses {rate_words(rate, cluster)}."
    except ValueError as error:
        charge = f"What it is charged is unknown: {error}."
    return replace(mix, note=" ".join(filter(None, (mix.note, charge, remark))))


def job_rate(cluster: Cluster, shape: JobShape) -> float:
    """Return billing units a second that a job is charged for what it requests.

    Raises:
        ValueError: that is unknown, or no such job can run there.
    """
    known = cluster.known
    with _gaps_named(cluster):
        config = config_of(cluster, "billing")
        unchecked(cluster, shape)
        return charged_rate(shape, config, known.partitions, known.qos)


def most_rate(cluster: Cluster) -> float:
    """Return the billing units a second of the partition with most; infinite where that is unknown."""
    known = cluster.known
    if known.config is None or not known.partitions or known.gaps.keys() & set(_OF_JOBS):
        return math.inf
    factors = [usage_factor(one.name, known.qos) for one in known.qos]
    most = 0.0
    for partition in known.partitions:
        amounts = amounts_in(partition.tres)
        if "cpu" not in amounts:
            return math.inf
        try:
            most = max(most, price(amounts, partition.billing_weights, known.config.flags))
        except DamagedError:
            return math.inf
    return most * max([1.0, *factors])


@contextmanager
def _gaps_named(cluster: Cluster) -> Iterator[None]:
    """Add what of partitions and QOS was not read to a ValueError, which may come of that."""
    try:
        yield
    except ValueError as error:
        gaps = [text for part, text in cluster.known.gaps.items() if part in _OF_JOBS]
        raise ValueError(". ".join((str(error), *gaps)).rstrip(".")) from None


def config_of(cluster: Cluster, of: str) -> SlurmConfig:
    """Return the settings of a cluster.

    Raises:
        ValueError: they are unknown, and with them the weights `of` priorities or of billing.
    """
    config = cluster.known.config
    if config is None:
        gap = cluster.known.gaps.get(PartName.SETTINGS)
        msg = (
            f"{cluster.name} has no {of} weights. A capture folder has them: fsconsole slurm capture FOLDER"
            if gap is None
            else f"{cluster.name} has no {of} weights. {gap.rstrip('.')}"
        )
        raise ValueError(msg)
    return config


def _gres(text: str) -> tuple[str, float]:
    """Return name and number of a GRES such as gpu, gpu:2 or gpu:a100:2."""
    name, *rest = text.lower().removeprefix("gres/").split(":")
    count = rest.pop() if rest and rest[-1].isdigit() else "1"
    if not name or len(rest) > 1 or not all(rest):
        msg = f"'{text}' is not a GRES. Example: gres=gpu:2 or gres=gpu:a100:2"
        raise ValueError(msg)
    return "gres/" + ":".join((name, *rest)), float(count)


def _whole(key: str, text: str) -> int:
    try:
        found: int | None = int(text)
    except ValueError:
        found = None
    if found is None or (found < 1 and key != "nice"):
        above = "" if key == "nice" else " of 1 or more"
        msg = f"'{text}' is not a whole number{above}. Example: {key}=1"
        raise ValueError(msg)
    return found
