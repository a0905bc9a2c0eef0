"""A new job as a person writes it: `cpus=8,mem=16G,partition=batch,qos=high`."""

from __future__ import annotations

from fsconsole.app.forecast.cluster import Cluster
from fsconsole.slurm.parsers.values import resource
from fsconsole.slurm.priority_outlook import JobMix, JobShape, mix_of_new

_KNOWN = ("cpus", "nodes", "mem", "partition", "qos", "nice")


def read_shape(text: str) -> JobShape:
    """Read KEY=VALUE pairs between commas; an empty text is one CPU in the default partition.

    ValueError with a sentence that says what would be right.
    """
    found: dict[str, str] = {}
    for piece in text.split(",") if text.strip() else ():
        key, equals, value = (part.strip() for part in piece.partition("="))
        if key not in _KNOWN or not equals:
            known = ", ".join(_KNOWN)
            msg = f"{piece.strip()!r} is not KEY=VALUE with a key of {known}. Example: cpus=8,qos=high"
            raise ValueError(msg)
        found[key] = value
    numbers = {key: _whole(key, found[key]) for key in ("cpus", "nodes", "nice") if key in found}
    memory = resource(f"mem={found['mem']}", "mem") if "mem" in found else 0.0
    if memory is None:
        msg = f"'{found['mem']}' is not an amount of memory. Example: mem=4G"
        raise ValueError(msg)
    return JobShape(found.get("partition", ""), found.get("qos", ""), memory_mib=memory, **numbers)


def new_mix(cluster: Cluster, shape: JobShape) -> JobMix:
    """Return the components of a new job's priority.

    Raises:
        ValueError: the weights are unknown.
    """
    known = cluster.known
    if known.config is None:
        msg = (
            f"{cluster.name} has no priority weights. A capture folder has them: fsconsole slurm "
            "capture FOLDER"
        )
        raise ValueError(msg)
    return mix_of_new(shape, known.config, known.partitions, known.qos)


def _whole(key: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        msg = f"'{text}' is not a whole number. Example: {key}=1"
        raise ValueError(msg) from None
