"""The near-dedicated class of a Slurm cluster: partitions whose jobs take others' places, and reservations.

The paper's class of big jobs that get the whole machine fast has no name in Slurm; a site makes it of a
partition that preempts others, or of a reservation. What is shown here is read from Slurm, but for who was
displaced by whom, which is computed (`preemption.py`). `near_dedicated_of.py` makes the view.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fsconsole.slurm.job_labels import task_count
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.preemption import Displaced, Preemption


class NdKind(StrEnum):
    """What a site makes such a class of."""

    PARTITION = "partition"
    RESERVATION = "reservation"


class Phase(StrEnum):
    """Where a reservation stands."""

    COMING = "coming"
    NOW = "now"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class NdRunning:
    """A job of the class that has its nodes.

    Attributes:
        nodes: their names, each for itself.
        elapsed_s: how long it has run.
        end_s: when it ends at the latest, seconds since 1970; None where it has no limit.
    """

    job: Job
    nodes: tuple[str, ...]
    elapsed_s: float
    end_s: float | None


@dataclass(frozen=True, slots=True)
class NdWaiting:
    """A job of the class that waits.

    Attributes:
        waited_s: since it could have begun; 0 where it may not begin yet.
        reason: why, as Slurm writes it, such as Resources.
    """

    job: Job
    waited_s: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NdClass:
    """A partition that preempts others, or a reservation.

    Attributes:
        is_near_dedicated: whether no other partition takes the place of its jobs; so with every reservation.
        nodes: names of its nodes, each for itself.
        cpus: of those nodes; None where nothing says how many they have.
        tier: PriorityTier; None for a reservation.
        billing: what a CPU is billed, in words, such as `CPU ×2`; empty for a reservation.
        preempts: names of the partitions whose jobs it displaces.
        users, accounts: who may use a reservation; empty for a partition.
        flags: of a reservation.
        phase, start_s, end_s: of a reservation, seconds since 1970; None for a partition.
        left_s: seconds until a reservation ends, or until it begins where it is COMING.
        running: the longest-running first.
        suspended: its own jobs that are suspended and keep their nodes' memory.
        waiting: the highest priority first.
        displaced: those whose places its jobs probably have.
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
    suspended: tuple[NdRunning, ...] = ()
    waiting: tuple[NdWaiting, ...] = ()
    displaced: tuple[Displaced, ...] = ()

    @property
    def pending_tasks(self) -> int:
        """How many jobs are pending, each task of an array one."""
        return sum(task_count(one.job) for one in self.waiting)


@dataclass(frozen=True, slots=True)
class NodeCount:
    """Nodes in one state.

    Attributes:
        state: as sinfo says it, such as idle, mixed, allocated, drained.
        busy_cpus: None where it is not said.
    """

    state: str
    nodes: int
    cpus: int
    busy_cpus: int | None


class RowKind(StrEnum):
    """What a row of the timeline is."""

    RESERVATION = "reservation"
    RUNNING = "running"
    DISPLACED = "displaced"


@dataclass(frozen=True, slots=True)
class TimeRow:
    """A bar of the timeline.

    Attributes:
        label: a job's label or a reservation's name.
        of: the class that it belongs to; for DISPLACED the one that displaced it.
        start_s, end_s: seconds since 1970; `end_s` is None where it has no end.
        nodes: how many it has.
    """

    kind: RowKind
    label: str
    of: str
    start_s: float
    end_s: float | None
    nodes: int


@dataclass(frozen=True, slots=True)
class DedicatedView:
    """The class as it stands at one time.

    Attributes:
        classes: partitions by falling tier, then reservations by start.
        preemptions: who may displace whom and how, by falling tiers.
        displaced: everyone who has probably been displaced.
        nodes: how many are in each state, the most first.
        rows: for a timeline: reservations, then jobs, each by start.
        sentence: all in all in words; why there is no such class where there is none.
        notes: what could not be computed, in words.
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
        """Whether the cluster has no such class."""
        return not self.classes
