"""Batch sections of a scenario: jobs, NQS queues, and how the unified resource manager (URM) ranks."""

from __future__ import annotations

from dataclasses import dataclass, field

from fsconsole.shares.scenario.event_kinds import Refers, refers
from fsconsole.shares.scenario.ranges import OURS, Range, outside, setting
from fsconsole.text.durations import LONGEST_S

MAX_TASKS = 4096
FIRST_REQUEST = 41870  # Jobs get numbers from this one on, in the order of their submission.
_TIME, _WAIT = Range(0, LONGEST_S, above=True, unit="s"), Range(0, LONGEST_S, unit="s")
_SIZE, _PART = Range(0, 2.0**20, unit="MW"), Range(0, 1)
_JOB_RANGES = {
    "requested_cpu_s": _TIME,
    "cpu_s": _TIME,
    "aborts_at_s": _TIME,
    "cycle_s": _TIME,
    "setup_s": _WAIT,
    "io_s": _WAIT,
    "memory_mw": _SIZE,
    "sds_mw": _SIZE,
    "setup_mw": _SIZE,
    "serial_fraction": _PART,
    "system_fraction": _PART,
    "locked_fraction": _PART,
    "shown_efficiency": _PART,
    "tasks": Range(1, MAX_TASKS),
    "mflops": Range(0, 1e9),
}
_LIMIT = Range(0, 100_000)
_QUEUE_RANGES = {
    "run_limit": _LIMIT,
    "user_limit": _LIMIT,
    "priority": Range(0, 1000),
    "most_cpu_s": _WAIT,
    "most_memory_mw": _SIZE,
    "most_sds_mw": _SIZE,
}
_WEIGHT = Range(0, 1e6)


@dataclass(frozen=True, slots=True)
class JobSpec:
    """A batch job: what was asked for, and what it will really do, which nobody knows before it runs.

    A job prepares (`setup_s`), grows to its size, asks for SDS and then repeats a cycle: one task alone,
    all tasks side by side, input and output; until it has used its CPU time.

    Attributes:
        name: what the user calls it.
        queue: the queue that it was submitted to.
        person: who submitted it; the owner of the queue's l-node where empty.
        requested_cpu_s: CPU time asked for, over all tasks; more than that is not given.
        cpu_s: CPU time that it really needs; all that was asked for where None.
        tasks: processors that it uses side by side.
        memory_mw, sds_mw: memory and SDS that it needs.
        setup_s: wall time before it computes, such as for data from the file server.
        setup_mw: memory that it holds until then.
        serial_fraction: part of the cycle's undisturbed wall time in which one task alone runs.
        cycle_s: undisturbed wall time of a cycle without its input and output.
        io_s: wall time of the input and output in each cycle; the job sleeps for that time.
        device: device that serves its input and output, one request in each cycle, for which it needs `io_s`;
            the request waits in the device's queue. None for input and output that waits for no others.
        system_fraction: part of its CPU time that is system time.
        mflops: floating-point operations per second of user time on one processor, in millions.
        locked_fraction: part of the time in which locked I/O is under way.
        shown_efficiency: CPU efficiency that the user has shown by `ja`, None where nothing was shown.
        take_chances: ND_TMC, start it though it will not fit, and kill it at the window's end.
        aborts_at_s: CPU time at which it fails by itself; None for never.
        can_checkpoint: whether it can be checkpointed and restarted for dedicated time.
    """

    name: str
    queue: str = field(metadata=refers(Refers.QUEUE))
    requested_cpu_s: float
    person: str = field(default="", metadata=refers(Refers.USER, key="user"))
    cpu_s: float | None = None
    tasks: int = 1
    memory_mw: float = 0.0
    sds_mw: float = 0.0
    setup_s: float = 0.0
    setup_mw: float = 0.0
    serial_fraction: float = 0.0
    cycle_s: float = 60.0
    io_s: float = 0.0
    system_fraction: float = 0.0
    mflops: float = 0.0
    locked_fraction: float = 0.0
    shown_efficiency: float | None = None
    take_chances: bool = False
    aborts_at_s: float | None = None
    can_checkpoint: bool = True
    device: str | None = None

    def processors(self, cpus: int) -> int:
        """Return the number of processors that its tasks use at once on a machine of `cpus`; more
        tasks take turns.
        """
        return min(self.tasks, cpus)

    @property
    def needed_cpu_s(self) -> float:
        """CPU time after which the job is done, or has used up its request."""
        return self.requested_cpu_s if self.cpu_s is None else min(self.cpu_s, self.requested_cpu_s)

    def problems(self) -> list[tuple[str, str]]:
        """Return (key, what is wrong) for values that are not allowed."""
        found = [(key, "needs a name") for key in ("name", "queue") if not getattr(self, key)]
        if self.device is not None and not self.io_s:
            found.append(("device", "needs io_s, the time of a request there, above 0"))
        return found + outside(self, _JOB_RANGES)


@dataclass(frozen=True, slots=True)
class QueueSpec:
    """An NQS queue.

    Attributes:
        name: what jobs are submitted to.
        node: id of the leaf that its jobs are charged to; None for the submitter's own.
        run_limit: jobs of the queue that run at a time.
        user_limit: jobs of one person that run at a time; None for no limit.
        priority: interqueue priority, high first; what URM's service weight looks at.
        most_cpu_s, most_memory_mw, most_sds_mw: what a job may ask for; None for no limit.
        started: whether jobs are started by themselves; the near-dedicated queue is not.
    """

    name: str
    node: int | None = field(default=None, metadata=refers(Refers.WORKER))
    run_limit: int = 1
    user_limit: int | None = None
    priority: int = 30
    most_cpu_s: float | None = None
    most_memory_mw: float | None = None
    most_sds_mw: float | None = None
    started: bool = True

    def problems(self) -> list[tuple[str, str]]:
        """Return (key, what is wrong) for values that are not allowed."""
        return outside(self, _QUEUE_RANGES)


@dataclass(frozen=True, slots=True)
class UrmSpec:
    """How the unified resource manager ranks waiting jobs over all queues, and how many it lets run.

    Each weight multiplies a number between 0 and 1; the highest sum goes first, then the older job.

    Attributes:
        age_wt: weight of the time in the queue, relative to the oldest job.
        usage_wt: weight of how far the policy favours who is charged, relative to the others waiting.
        service_wt: weight of the queue's priority, relative to the highest.
        size_wt: weight of needing little memory, relative to the largest waiting job; with a preferred size,
            of how near the job's memory is to it.
        run_limit: jobs that run at a time on the whole machine; 0 for no limit.
        memory_mw: memory that running jobs may ask for together; 0 for no limit.
        pass_s: time between two passes.
        preferred_from_mw, preferred_to_mw: memory of the jobs that `size_wt` prefers; 0 for no such limit,
            and no preferred size where both are 0.
    """

    age_wt: float = setting(1.0, "Weight of age in the queue", OURS, range=_WEIGHT)
    usage_wt: float = setting(0.0, "Weight of usage", OURS, range=_WEIGHT)
    service_wt: float = setting(0.0, "Weight of the queue's priority", OURS, range=_WEIGHT)
    size_wt: float = setting(0.0, "Weight of small memory", OURS, range=_WEIGHT)
    run_limit: int = setting(0, "Jobs that run at a time", OURS, "jobs", _LIMIT)
    memory_mw: float = setting(0.0, "Memory of running jobs", OURS, "MW", _SIZE)
    pass_s: float = setting(15.0, "Passes of URM", OURS, range=Range(0.1, 86400, unit="s"))
    preferred_from_mw: float = setting(0.0, "Smallest preferred size", OURS, "MW", _SIZE)
    preferred_to_mw: float = setting(0.0, "Largest preferred size", OURS, "MW", _SIZE)

    @property
    def prefers_a_size(self) -> bool:
        """True if the size term prefers a range of sizes."""
        return bool(self.preferred_from_mw or self.preferred_to_mw)

    def problems(self) -> list[tuple[str, str]]:
        """Return (setting, what is wrong) for values that cannot stand together."""
        found = outside(self)
        if 0 < self.preferred_to_mw < self.preferred_from_mw:
            text = f"needs at least preferred_from_mw, {self.preferred_from_mw:g} MW, or 0 for no upper limit"
            found.append(("preferred_to_mw", text))
        return found


# Dialogs group the fields like this, in this order.
URM_SECTIONS: dict[str, tuple[str, ...]] = {
    "URM": (
        "age_wt", "usage_wt", "service_wt", "size_wt", "preferred_from_mw", "preferred_to_mw", "run_limit",
        "memory_mw", "pass_s",
    ),
}  # fmt: skip
