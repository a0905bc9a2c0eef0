"""What is known of a share tree on this machine; each state replaces the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fsconsole.recording.audit import AuditRow
from fsconsole.shares.tree import ShareTree


@dataclass(frozen=True, slots=True)
class Memory:
    """How a sharer gives the kernel a memory, both in s: usage halves, weights are set again."""

    half_life_s: float = 120.0
    delta_s: float = 4.0


@dataclass(frozen=True, eq=False, slots=True)
class LinuxState:
    """A moment of it.

    Attributes:
        serial: grows with each state.
        title: `cgroup v1`.
        tree: the one in force; that it was opened with while none is.
        is_applied: whether its groups are there.
        weights: of each node's group, as the kernel has them; 0 for one that is idle.
        processes: in each node's own group.
        usage: decayed CPU s of each leaf while weights have a memory.
        memory: how they have one; None where the weights are those of the shares.
        fixed: why nothing can be changed here, in a sentence; empty where it can.
        problem: why nothing can be read, in a sentence.
        doing: what is being changed, in words.
        audit: what was done from here, oldest first.
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
    """What stands between a tree and the groups.

    Attributes:
        lines: every step, as a line.
        nodes: nodes that steps are about.
        weights: what each node's group will have.
        notes: what will not be as the shares say, in sentences.
        idle: weights that do nothing: their node, if it is one's, and why in a sentence.
        problem: why it is not known, in a sentence.
    """

    lines: tuple[str, ...] = ()
    nodes: frozenset[int] = frozenset()
    weights: Mapping[int, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    idle: tuple[tuple[int | None, str], ...] = ()
    problem: str = ""
