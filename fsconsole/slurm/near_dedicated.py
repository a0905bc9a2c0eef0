"""The near-dedicated class of a Slurm cluster: partitions that preempt others, and reservations.

Slurm has no name for the paper's class of big jobs that get the whole machine fast. A site builds it from a
partition that preempts others, or from a reservation. The values are read from Slurm, except for pairs of
displaced and displacing jobs, which are computed (`preemption.py`). `near_dedicated_of.py` builds the view.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from fsconsole.slurm.jobs import Job, Sort
from fsconsole.slurm.preemption import Displaced, Preemption


class NdKind(StrEnum):
    """Slurm objects that can make such a class."""

    PARTITION = "partition"
    RESERVATION = "reservation"


class Phase(StrEnum):
    """Phase of a reservation."""

    COMING = "coming"
    NOW = "now"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class NdRunning:
    """Running job of the class.

    Attributes:
        nodes: names of its nodes, one by one.
        elapsed_s: run time.
        end_s: latest end, seconds since 1970; None without a limit.
    """

    job: Job
    nodes: tuple[str, ...]
    elapsed_s: float
    end_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NdClass:
    """Partition that preempts others, or a reservation.

    Attributes:
        is_near_dedicated: whether no other partition displaces its jobs; true for every reservation.
        nodes: names of its nodes, one by one.
        cpus: CPUs of these nodes; None if unknown.
        tier: PriorityTier; None for a reservation.
        billing: billing of a CPU, such as `CPU ×2`; empty for a reservation.
        preempts: names of partitions whose jobs it displaces.
        users, accounts: permitted users and accounts of a reservation; empty for a partition.
        flags: flags of a reservation.
        phase, start_s, end_s: phase and times of a reservation, seconds since 1970; None for a partition.
        left_s: seconds until a reservation ends, or until it begins if it is COMING.
        running: running jobs, the longest-running first.
        counts: number of its jobs of each kind.
        displaced: jobs that its jobs have probably displaced.
    """

    kind: NdKind
    name: str
    is_near_dedicated: bool
    nodes: tuple[str, ...]
    cpus: int | None
    tier: int | None = None
    billing: str = ""
    preempts: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    phase: Phase | None = None
    start_s: int | None = None
    end_s: int | None = None
    left_s: float | None = None
    running: tuple[NdRunning, ...] = ()
    counts: Counter[Sort] = field(default_factory=Counter)
    displaced: tuple[Displaced, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeCount:
    """Number of nodes in one state.

    Attributes:
        state: state in sinfo, such as idle, mixed, allocated, drained.
        busy_cpus: allocated CPUs; None if unknown.
    """

    state: str
    nodes: int
    cpus: int
    busy_cpus: int | None


class RowKind(StrEnum):
    """Kinds of rows of the timeline."""

    RESERVATION = "reservation"
    RUNNING = "running"
    DISPLACED = "displaced"


@dataclass(frozen=True, slots=True)
class TimeRow:
    """A bar of the timeline.

    Attributes:
        label: label of a job or name of a reservation.
        of: its class; for DISPLACED the class that displaced it.
        start_s, end_s: seconds since 1970; `end_s` is None without an end.
        nodes: number of its nodes.
    """

    kind: RowKind
    label: str
    of: str
    start_s: float
    end_s: float | None
    nodes: int


@dataclass(frozen=True, slots=True)
class DedicatedView:
    """State of the class at one time.

    Attributes:
        classes: partitions by descending tier, then reservations by start.
        preemptions: pairs of partitions and the effect, by descending tiers.
        displaced: all jobs that have probably been displaced.
        nodes: number of nodes in each state, the largest first.
        rows: reservations, then jobs, each by start, for a timeline.
        sentence: summary, or the reason why there is no such class.
        notes: values that could not be computed, in words.
    """

    now_s: float
    classes: tuple[NdClass, ...]
    preemptions: tuple[Preemption, ...]
    displaced: tuple[Displaced, ...]
    nodes: tuple[NodeCount, ...]
    rows: tuple[TimeRow, ...]
    sentence: str
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if the cluster has no such class."""
        return not self.classes
