"""Summary of a cluster's state, by association and by partition.

Computed once for each state, away from the window: 50,000 associations and 20,000 jobs take some tens of
milliseconds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from fsconsole.slurm.associations import Associations, Floats, Ints
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.host_list import folded
from fsconsole.slurm.job_labels import counts_by_partition, counts_of, task_count
from fsconsole.slurm.jobs import Job, Sort
from fsconsole.slurm.parsers.scontrol_node import ClusterNode, busy_cpus
from fsconsole.targets.slurm.state import ClusterState


@dataclass(frozen=True, eq=False, slots=True)
class TreeIndex:
    """Index derived from only a cluster's tree; kept as long as the tree is the same.

    Attributes:
        row_of: the row of each node.
        row_of_key: the row of each association.
        above: of each row the nearest ancestor whose share is not `parent`, int64 [rows]; -1 for the root.
        level_shares: what the raw shares of a row's level add up to, float64 [rows].
        levels: rows by depth, the deepest first, without the root.
    """

    tree: ClusterTree
    row_of: Mapping[int, int]
    row_of_key: Mapping[Key, int]
    above: Ints
    level_shares: Floats
    levels: tuple[Ints, ...]

    @classmethod
    def of(cls, tree: ClusterTree) -> TreeIndex:
        """Compute the index of a tree."""
        stored = tree.stored.tree
        row_of = {node: row for row, node in enumerate(tree.nodes)}
        row_of_key = {tree.keys[node]: row for row, node in enumerate(tree.nodes) if node in tree.keys}
        above = stored.shares_parent()
        return cls(tree, row_of, row_of_key, above, stored.level_shares(above), _by_depth(stored))

    def summed(self, own: Floats) -> Floats:
        """Return the sum of each row and everything below it, float64 [rows]."""
        total = own.copy()
        parent = self.tree.stored.tree.parent
        for rows in self.levels:
            total += np.bincount(parent[rows], weights=total[rows], minlength=len(total))
        return total


@dataclass(frozen=True, slots=True)
class PartitionUse:
    """A partition now; busy CPUs are None where Slurm does not report them."""

    name: str
    cpus: int
    busy_cpus: int | None
    running: int
    waiting: int


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes in the same state for the same reason; names in Slurm's short form."""

    state: str
    reason: str
    names: str
    count: int
    cpus: int
    busy_cpus: int | None


@dataclass(frozen=True, eq=False, slots=True)
class ClusterSummary:
    """A state and the values computed from it.

    Attributes:
        index: of the state's tree; None where there is none.
        cpus, running, waiting: of each row with all below it: CPUs of jobs that run, running jobs, pending
            jobs, as `counts_of` counts them, float64 [rows].
        counts: number of jobs of each kind, also those of associations that are not in the tree.
        all_cpus: how many CPUs the cluster has; NaN where that is not known.
        partitions, groups: how they stand.
    """

    state: ClusterState
    index: TreeIndex | None
    cpus: Floats
    running: Floats
    waiting: Floats
    counts: Counter[Sort]
    all_cpus: float
    partitions: tuple[PartitionUse, ...]
    groups: tuple[NodeGroup, ...]


def digest_of(state: ClusterState, before: ClusterSummary | None = None) -> ClusterSummary:
    """Compute the summary of a state; values of an equal tree come from the summary before."""
    index = None if before is None else before.index
    if state.tree is None or index is None or index.tree is not state.tree:
        index = None if state.tree is None else TreeIndex.of(state.tree)
    is_same_work = before is not None and before.index is index and before.state.jobs is state.jobs
    if before is not None and is_same_work:
        cpus, running, waiting, counts = before.cpus, before.running, before.waiting, before.counts
    else:
        cpus, running, waiting = _work(index, state.jobs)
        counts = counts_of(state.jobs)
    are_same = before is not None and all(
        getattr(before.state, name) is getattr(state, name) for name in ("jobs", "partitions", "nodes")
    )
    return ClusterSummary(
        state,
        index,
        cpus,
        running,
        waiting,
        counts,
        _all_cpus(state),
        before.partitions if before is not None and are_same else _partitions(state),
        before.groups if before is not None and are_same else node_groups(state.nodes),
    )


def is_at_work(job: Job) -> bool:
    """Return True if a job has its CPUs for itself; a suspended one has not."""
    return job.sort is Sort.RUNNING or job.state == "STOPPED"


def node_groups(nodes: Iterable[ClusterNode]) -> tuple[NodeGroup, ...]:
    """Group nodes by state and reason; those that cannot be used come first."""
    groups: dict[tuple[str, str], list[ClusterNode]] = {}
    for node in nodes:
        marks = "".join(mark for mark in node.marks if len(mark) == 1)
        words = " ".join(mark.lower() for mark in node.marks if len(mark) > 1)
        groups.setdefault((f"{node.state}{marks} {words}".strip(), node.reason), []).append(node)
    made = [_group(state, reason, members) for (state, reason), members in groups.items()]
    return tuple(sorted(made, key=lambda group: (not group.reason, group.state)))


def _group(state: str, reason: str, nodes: list[ClusterNode]) -> NodeGroup:
    return NodeGroup(
        state,
        reason,
        folded(node.name for node in nodes),
        len(nodes),
        sum(node.cpus for node in nodes),
        busy_cpus(nodes),
    )


def _by_depth(tree: Associations) -> tuple[Ints, ...]:
    depth = np.array(tree.depths(), np.int64)
    return tuple(np.flatnonzero(depth == level) for level in range(int(depth.max(initial=0)), 0, -1))


def _work(index: TreeIndex | None, jobs: Iterable[Job]) -> tuple[Floats, Floats, Floats]:
    if index is None:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    cpus, running, waiting = ([0] * len(index.tree.nodes) for _ in range(3))
    row_of, counted = index.row_of_key, {Sort.RUNNING: running, Sort.WAITING: waiting}
    for job in jobs:
        row = row_of.get((job.account, job.user, job.partition))
        if row is None:
            row = row_of.get((job.account, job.user, ""))
        if row is None:
            continue
        if is_at_work(job):
            cpus[row] += job.cpus
        if job.sort in counted:
            counted[job.sort][row] += task_count(job)
    one, two, three = (index.summed(np.array(own, float)) for own in (cpus, running, waiting))
    return one, two, three


def _all_cpus(state: ClusterState) -> float:
    if state.nodes:
        return float(sum(node.cpus for node in state.nodes))
    return float(max((one.cpus for one in state.partitions), default=0)) or math.nan


def _partitions(state: ClusterState) -> tuple[PartitionUse, ...]:
    counts = counts_by_partition(state.jobs)
    busy: dict[str, int | None] = {}
    for node in state.nodes:
        for name in node.partitions:
            known = busy.get(name, 0)
            busy[name] = None if known is None or node.busy_cpus is None else known + node.busy_cpus
    return tuple(
        PartitionUse(
            one.name,
            one.cpus,
            busy.get(one.name),
            counts[one.name][Sort.RUNNING],
            counts[one.name][Sort.WAITING],
        )
        for one in state.partitions
    )
