"""What a new job requests, held against the partition and its nodes.

Source: sbatch(1), and slurm.conf(5) on AccountingStorageTRES: scontrol shows a GRES of a partition only where
it is tracked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.parsers.values import resource
from fsconsole.slurm.priority_outlook import JobShape
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words, listed


def check_fit(
    shape: JobShape, partition: Partition, nodes: Sequence[ClusterNode], tracked: Collection[str]
) -> str:
    """Check that a job can run in its partition.

    Args:
        shape: what the job requests.
        partition: its partition.
        nodes: nodes of the cluster; empty if they are unknown.
        tracked: TRES that the cluster tracks; empty if they are unknown.

    Returns:
        What could not be checked, in a sentence; empty where all was.

    Raises:
        ValueError: the partition has less than that.
    """
    where = f"partition {partition.name}"
    _check(shape.nodes, partition.node_count, "node", "nodes", where)
    _check(shape.cpus, partition.cpus, "CPU", "cpus", where)
    sizes = sorted((one.cpus for one in nodes if partition.name in one.partitions), reverse=True)
    if sizes and shape.is_on_nodes:
        largest = count_words(shape.nodes, "node")
        _check(shape.cpus, sum(sizes[: shape.nodes]), "CPU", "cpus", f"{largest} of {where}")
    unknown = [] if sizes or not shape.is_on_nodes else ["CPUs of a node"]
    memory_mib = resource(partition.tres, "mem")
    if shape.memory_mib and memory_mib is None:
        unknown.append("memory")
    elif memory_mib is not None and shape.memory_mib > memory_mib:
        msg = f"{where} has {thousands(memory_mib)} MiB of memory in all. Lower mem"
        raise ValueError(msg)
    unknown += [name for name, count in shape.gres.items() if not _has_gres(name, count, partition, tracked)]
    return f"Not known of {where}, and not checked: {listed(unknown)}." if unknown else ""


def _check(asked: int, there: int, what: str, key: str, where: str) -> None:
    """Raise ValueError where a job requests more than there is; 0 is unknown."""
    if 0 < there < asked:
        msg = f"{where} has {count_words(there, what)}. Write {key}={there} or less"
        raise ValueError(msg)


def _has_gres(name: str, count: float, partition: Partition, tracked: Collection[str]) -> bool:
    """Return True if a partition has so many of a GRES, False if that is unknown; ValueError otherwise."""
    keys = [piece.partition("=")[0] for piece in partition.tres.split(",") if piece]
    there = {key.lower(): resource(partition.tres, key) or 0.0 for key in keys}
    bare = name.partition(":")[0]
    typed = {key: value for key, value in there.items() if key.startswith(f"{bare}:")}
    if name in there:
        has = count <= there[name]
    elif bare in there:
        # Where those with a type are all that there are, there is no other type.
        has = False
        if name not in tracked and count <= there[bare] and sum(typed.values()) < there[bare]:
            return False
    elif {name, bare} & set(tracked):
        has = False
    else:
        return False
    if not has:
        kinds = typed or {key: value for key, value in there.items() if key == bare}
        what = listed([f"{thousands(value)} {key}" for key, value in kinds.items()])
        msg = f"partition {partition.name} has {what or 'no ' + bare}, not {thousands(count)} {name}"
        raise ValueError(msg)
    return True
