"""A Slurm job, independent of the tool that reported it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

FINISHED = frozenset(
    (
        "BOOT_FAIL",
        "CANCELLED",
        "COMPLETED",
        "DEADLINE",
        "FAILED",
        "NODE_FAIL",
        "OUT_OF_MEMORY",
        "PREEMPTED",
        "REVOKED",
        "TIMEOUT",
    )
)

# Slurm keeps these as flags of a pending job, and squeue prints them instead of PENDING.
_PENDING = frozenset(("PENDING", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"))
_SUSPENDED = frozenset(("SUSPENDED", "STOPPED"))
_HELD = frozenset(("JobHeldUser", "JobHeldAdmin"))
# squeue joins the codes of an array's tasks. Reasons in words, or with names of nodes, have own commas.
_JOINT = re.compile(
    r",(?=(?:Cleaning|Dependency|Licenses|None|Priority|Prolog|Reservation|Resources"
    r"|[A-Z][A-Za-z]*[A-Z][A-Za-z]+)(?:,|$))"
)


class Sort(StrEnum):
    """Kinds of states of a job, by which all counts go: a pending job that is held counts as held alone."""

    RUNNING = "running"
    WAITING = "waiting"
    SUSPENDED = "suspended"
    HELD = "held"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One record: a job, a task of an array, all pending tasks of an array, or a part of a het job.

    Times are seconds since 1970, None for a future or unknown time. Not every tool reports all values:
    missing ones have the default given here.

    Attributes:
        job_id: number of the record, by which every tool finds it.
        states: state, then further flags (newer versions), such as COMPLETING.
        reason: why the job is pending, or why it ended; may be empty. Of pending tasks with different reasons
            squeue joins them (`reasons`).
        array_job_id: number of its array; 0 without an array.
        array_tasks: number of the task, or of pending tasks, such as `1,3,5%2`: at most two at a time.
        het_job_id: number of its het job; 0 without a het job.
        het_offset: number of the part.
        nodes: names in Slurm's short form, such as n[1-4]; empty without nodes.
        node_count, cpus: allocated or requested numbers, at least.
        billing: weight of its seconds in usage, allocated or requested; None if unknown.
        time_limit_s: infinity for no limit in Slurm; None if unknown. (22.05 gives null for both in `squeue
            --json`.)
        start_s: time at which it began; of a pending job the one that Slurm plans or that it asks for, which
            may have passed (`expected_start_s`).
        end_s: time at which it ended, or will end at the latest.
        suspend_s: time of the last suspension or resumption, as Slurm stores it.
        ran_before_s: run time in seconds up to then.
        elapsed_s: run time as reported by the tool.
        priority: 0 for a held or suspended job.
        exit_code: exit status and signal.
        restarts: number of times that it was requeued; None if unknown.
        may_requeue: whether it may return to the queue.
        association_id: Slurm's number of the charged association.
        reservation: requested Slurm reservation; empty without one.
        dependency: conditions as Slurm prints them (`read_dependencies`); may be empty.
        tres: allocated or requested TRES, such as cpu=4,mem=8G,gres/gpu=1; empty if unknown.
    """

    job_id: int
    user: str
    partition: str
    states: tuple[str, ...]
    name: str = ""
    account: str = ""
    qos: str = ""
    reason: str = ""
    array_job_id: int = 0
    array_tasks: str = ""
    het_job_id: int = 0
    het_offset: int = 0
    nodes: str = ""
    node_count: int = 0
    cpus: int = 0
    billing: float | None = None
    time_limit_s: float | None = None
    submit_s: int | None = None
    eligible_s: int | None = None
    start_s: int | None = None
    end_s: int | None = None
    suspend_s: int | None = None
    ran_before_s: int = 0
    elapsed_s: int | None = None
    priority: int | None = None
    exit_code: tuple[int, int] | None = None
    restarts: int | None = 0
    may_requeue: bool | None = None
    association_id: int | None = None
    reservation: str = ""
    dependency: str = ""
    tres: str = ""

    @property
    def state(self) -> str:
        """The state in one word."""
        return self.states[0]

    @property
    def label(self) -> str:
        """The number that people know it by, and that scancel takes: 7, 7_3, 7_[1,3,5%2] or 7+1."""
        if self.array_job_id and self.array_tasks:
            tasks = self.array_tasks if self.array_tasks.isdigit() else f"[{self.array_tasks}]"
            return f"{self.array_job_id}_{tasks}"
        return f"{self.het_job_id}+{self.het_offset}" if self.het_job_id else str(self.job_id)

    @property
    def is_pending(self) -> bool:
        """True while the job waits to begin, for the first time or again."""
        return self.state in _PENDING

    @property
    def reasons(self) -> tuple[str, ...]:
        """Each reason; several for pending tasks that squeue shows in one row, though they wait for different
        ones: which task waits for which is then unknown.
        """
        return _reasons(self.reason) if "," in self.reason else (self.reason,)

    @property
    def is_mixed(self) -> bool:
        """True for pending tasks in one row that wait for different reasons."""
        return "," in self.reason and self.is_pending and len(self.reasons) > 1

    @property
    def is_held(self) -> bool:
        """True if the job, with all its tasks, is pending until an operator or user releases it."""
        if self.priority is None or self.is_mixed:  # The priority is that of one of the tasks.
            return self.is_pending and _HELD.issuperset(self.reasons)
        return self.is_pending and self.priority == 0

    @property
    def has_held(self) -> bool:
        """True if the job is held, or some of its tasks are."""
        return self.is_held or (self.is_mixed and not _HELD.isdisjoint(self.reasons))

    @property
    def is_finished(self) -> bool:
        """True once the job has ended; while it is COMPLETING it still has its nodes."""
        return self.state in FINISHED and "COMPLETING" not in self.states

    @property
    def sort(self) -> Sort:
        """The kind of its state; a COMPLETING job still has its nodes, and counts as running."""
        if self.is_pending:
            return Sort.HELD if self.is_held else Sort.WAITING
        if self.state in _SUSPENDED:
            return Sort.SUSPENDED
        return Sort.FINISHED if self.is_finished else Sort.RUNNING

    def expected_start_s(self, now_s: float) -> int | None:
        """Return the planned start of a pending job, seconds since 1970; None where Slurm has no plan, or
        that time has passed.
        """
        return self.start_s if self.is_pending and self.start_s and self.start_s > now_s else None

    def ran_s(self, now_s: float) -> float:
        """Return seconds that it has run without the time suspended, as squeue's TIME; `now_s` since 1970."""
        if self.is_pending or self.start_s is None:
            return 0.0
        if self.state in FINISHED and self.elapsed_s is not None:
            return float(self.elapsed_s)
        if self.state == "SUSPENDED":
            return float(self.ran_before_s)
        until_s = self.end_s if self.state in FINISHED and self.end_s is not None else now_s
        since_s, before_s = (
            (self.start_s, 0) if self.suspend_s is None else (self.suspend_s, self.ran_before_s)
        )
        return max(0.0, until_s - since_s + before_s)

    def left_s(self, now_s: float) -> float | None:
        """Return seconds until a started job reaches its time limit, infinite without one; None if its limit
        or its start is unknown.
        """
        if self.time_limit_s is None or self.start_s is None:
            return None
        return self.time_limit_s - self.ran_s(now_s)


@lru_cache(maxsize=1024)
def _reasons(reason: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_JOINT.split(reason)))
