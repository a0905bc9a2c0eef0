"""Nodes of a cluster with their jobs, in words and for a map."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fsconsole.slurm.host_list import folded, hosts_or_none
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.node_change import DRAINED
from fsconsole.slurm.parsers.scontrol_node import ClusterNode
from fsconsole.slurm.parsers.scontrol_reservation import Reservation
from fsconsole.text.numbers import UNKNOWN
from fsconsole.text.words import listed

_UP = frozenset(("idle", "mixed", "allocated", "completing", "planned"))


class NodeSort(StrEnum):
    """Kinds of states of a node, as a map colours them."""

    IDLE = "idle"
    BUSY = "busy"
    DRAINING = "draining"
    DRAINED = "drained"
    DOWN = "down"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node with its jobs.

    Attributes:
        jobs: those that hold CPUs of it, or are suspended on it, by number.
        reservations: Slurm reservations of it that are not over, the first to begin first.
    """

    node: ClusterNode
    jobs: tuple[Job, ...]
    reservations: tuple[Reservation, ...] = ()

    @property
    def busy(self) -> float | None:
        """Part of its CPUs that is allocated, 0 to 1; None where that is unknown."""
        if self.node.busy_cpus is None or not self.node.cpus:
            return None
        return min(self.node.busy_cpus / self.node.cpus, 1.0)


@dataclass(frozen=True, eq=False, slots=True)
class NodeTable:
    """Nodes of a cluster with a summary.

    Attributes:
        words: number of nodes of each kind, and a note on hidden jobs.
    """

    views: tuple[NodeView, ...] = ()
    words: str = ""


def node_table(
    nodes: Sequence[ClusterNode], jobs: Iterable[Job], reservations: Iterable[Reservation] = ()
) -> NodeTable:
    """Compute the data of nodes for display, which takes 0.1 s for 10,000 of them, so it is for a thread."""
    views = node_views(nodes, jobs, reservations)
    sorts = Counter(sort_of_node(view.node) for view in views)
    counts = listed([f"{sorts[sort]} {sort}" for sort in NodeSort if sort in sorts]).capitalize()
    return NodeTable(views, " ".join(filter(None, (f"{counts}." if counts else "", hidden_words(views)))))


def node_views(
    nodes: Sequence[ClusterNode], jobs: Iterable[Job], reservations: Iterable[Reservation] = ()
) -> tuple[NodeView, ...]:
    """Return nodes in the order of the cluster, each with its jobs and reservations."""
    on: Mapping[str, list[Job]] = defaultdict(list)
    for job in jobs:
        if job.nodes and not job.is_finished and not job.is_pending:
            for name in hosts_or_none(job.nodes):
                on[name].append(job)
    kept: Mapping[str, list[Reservation]] = defaultdict(list)
    for one in sorted(reservations, key=lambda one: (one.start_s, one.name)):
        for name in hosts_or_none(one.nodes):
            kept[name].append(one)
    return tuple(
        NodeView(
            node,
            tuple(sorted(on.get(node.name, ()), key=lambda job: job.job_id)),
            tuple(kept.get(node.name, ())),
        )
        for node in nodes
    )


def sort_of_node(node: ClusterNode) -> NodeSort:
    """Return the kind of state; one that does not respond counts as down."""
    if "*" in node.marks or node.state.startswith(("down", "fail", "error", "unknown", "power")):
        return NodeSort.DOWN
    if node.state in DRAINED:
        return NodeSort.DRAINING if node.state == "draining" else NodeSort.DRAINED
    if node.state == "idle":
        return NodeSort.IDLE
    return NodeSort.BUSY if node.state in _UP else NodeSort.OTHER


def state_of_node(node: ClusterNode) -> str:
    """Return the state in words: `Drained`, `Mixed, not responding`."""
    words = node.state.capitalize()
    return f"{words}, not responding" if "*" in node.marks else words


def nodes_by_status(nodes: Iterable[ClusterNode]) -> list[str]:
    """Return nodes with their state and its reason, those alike together: `n[1-2]: Drained (fan fails)`."""
    names: Mapping[str, list[str]] = defaultdict(list)
    for node in nodes:
        reason = f" ({node.reason})" if node.reason else ""
        names[f"{state_of_node(node)}{reason}"].append(node.name)
    return [f"{folded(some)}: {status}" for status, some in names.items()]


def cpus_of_node(node: ClusterNode) -> str:
    """Format the CPUs of a node as `4 of 8`, with a dash where the allocated number is unknown."""
    return f"{UNKNOWN if node.busy_cpus is None else node.busy_cpus} of {node.cpus}"


def hidden_words(view: Sequence[NodeView]) -> str:
    """Return a sentence on CPUs that are allocated to hidden jobs; empty without any."""
    hidden = [one.node.name for one in view if one.node.busy_cpus and not one.jobs]
    if not hidden:
        return ""
    first = hidden[0] if len(hidden) == 1 else f"{hidden[0]} and {len(hidden) - 1} more nodes"
    return (
        f"Jobs on {first} are not shown: PrivateData or the partition hides them, or they have just started."
    )
