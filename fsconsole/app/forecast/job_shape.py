"""A job as a person writes it: `cpus=8,mem=16G,gres=gpu:a100:2,partition=gpu,qos=high`."""

from __future__ import annotations

from dataclasses import replace

from fsconsole.app.forecast.cluster import Cluster, rate_words
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.values import resource
from fsconsole.slurm.priority_outlook import JobMix, JobShape, charged_rate, mix_of_new

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
    return JobShape(partition, qos, memory_mib=memory, gres=gres, **numbers)


def new_mix(cluster: Cluster, shape: JobShape) -> JobMix:
    """Return the components of a new job's priority, with its price as a note.

    Raises:
        ValueError: the weights are unknown.
    """
    known = cluster.known
    mix = mix_of_new(shape, _config(cluster, "priority"), known.partitions, known.qos)
    try:
        rate = job_rate(cluster, shape)
        charge = f"While it runs it uses {rate_words(rate, cluster)}."
    except ValueError as error:
        charge = f"What it is charged is unknown: {error}."
    return replace(mix, note=f"{mix.note} {charge}".strip())


def job_rate(cluster: Cluster, shape: JobShape) -> float:
    """Return billing units a second that a job is charged for what it requests.

    Raises:
        ValueError: that is unknown.
    """
    known = cluster.known
    return charged_rate(shape, _config(cluster, "billing"), known.partitions, known.qos)


def _config(cluster: Cluster, of: str) -> SlurmConfig:
    config = cluster.known.config
    if config is None:
        msg = f"{cluster.name} has no {of} weights. A capture folder has them: fsconsole slurm capture FOLDER"
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
