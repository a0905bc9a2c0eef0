"""State of a share tree on this machine; each state replaces the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fsconsole.recording.audit import AuditRow
from fsconsole.shares.tree import ShareTree


@dataclass(frozen=True, slots=True)
class Memory:
    """Half-life of usage and interval at which a sharer sets weights, both in s."""

    half_life_s: float = 120.0
    delta_s: float = 4.0


@dataclass(frozen=True, eq=False, slots=True)
class LinuxState:
    """State of the control groups at one moment.

    Attributes:
        serial: number that grows with each state.
        title: name of the kernel interface, such as `cgroup v1`.
        tree: tree in force; the opened tree if none is in force.
        is_applied: whether the tree's groups exist.
        weights: weight of each node's group in the kernel; 0 for an idle group.
        processes: number of processes in each node's own group.
        usage: decayed CPU s of each leaf while weights have a memory.
        memory: settings of the memory; None if the weights are those of the shares.
        fixed: sentence on why changes are impossible here; empty if they are possible.
        problem: sentence on why reading failed; empty if it succeeded.
        doing: change in progress.
        audit: changes made by this console, oldest first.
    """

    serial: int
    title: str
    tree: ShareTree
    is_applied: bool = False
    weights: Mapping[int, int] = field(default_factory=dict)
    processes: Mapping[int, int] = field(default_factory=dict)
    usage: Mapping[int, float] = field(default_factory=dict)
    memory: Memory | None = None
    fixed: str = ""
    problem: str = ""
    doing: str = ""
    audit: tuple[AuditRow, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Pending:
    """Differences between a tree and the groups.

    Attributes:
        lines: steps to remove the differences, one per line.
        nodes: nodes of these steps.
        weights: future weight of each node's group.
        notes: sentences on results that differ from the shares.
        idle: weights without effect: the node, if any, and a sentence on the reason.
        problem: sentence on why the differences are unknown; empty if they are known.
    """

    lines: tuple[str, ...] = ()
    nodes: frozenset[int] = frozenset()
    weights: Mapping[int, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    idle: tuple[tuple[int | None, str], ...] = ()
    problem: str = ""
