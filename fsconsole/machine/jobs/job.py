"""A job, its cycle of phases, and its state; all plain data, so that it can be saved."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from fsconsole.shares.scenario.job_spec import JobSpec

# The phase is "" before a job runs. In `asking`, the job uses its first tick of CPU time to ask for SDS.
Phase = Literal["", "setup", "asking", "serial", "parallel", "io"]
# The first task uses these CPU ticks for a request to a device: one asks, one goes on with what was read.
_REQUEST_TICKS = 2
_ORDER: tuple[Phase, ...] = ("serial", "parallel", "io")


@dataclass(frozen=True, slots=True)
class Cycle:
    """Undisturbed lengths of the phases, in ticks of wall time; 0 for a missing phase.

    Attributes:
        tasks: number of processes in the parallel phase; the serial one has a single one.
        needed: CPU ticks of the whole job, all tasks together.
    """

    serial: int
    parallel: int
    io: int
    tasks: int
    needed: int

    @classmethod
    def of(cls, spec: JobSpec, hz: int) -> Cycle:
        """Return a job's cycle on a machine of `hz` ticks a second.

        A single task waits for no others: its phases are one, and without input and output this is the whole
        job.
        """
        needed = cpu_ticks(spec, hz)
        length, io = max(1, round(spec.cycle_s * hz)), round(spec.io_s * hz)
        if spec.device is not None:
            io = max(1, io)
        if spec.tasks == 1:
            return cls(0, length if io else needed, io, 1, needed)
        serial = round(spec.serial_fraction * length)
        return cls(serial, length - serial, io, spec.tasks, needed)

    def following(self, phase: Phase) -> Phase:
        """Return the phase after another one; the cycle's first after a phase outside the cycle."""
        first = _ORDER.index(phase) + 1 if phase in _ORDER else 0
        after = (*_ORDER[first:], *_ORDER[:first])
        return next(name for name in after if getattr(self, name) > 0)

    def handed(self, phase: Phase, left: int) -> list[int]:
        """Return CPU ticks for each task of a phase, at most `left` in all; the first tasks have most.

        Those of `io` are for a request to a device.
        """
        if phase == "asking":
            return [1]
        if phase == "serial":
            return [min(self.serial, left)]
        if phase == "io":
            return [min(_REQUEST_TICKS, left)]
        each, rest = divmod(min(self.parallel * self.tasks, left), self.tasks)
        return [each + 1] * rest + [each] * (self.tasks - rest if each else 0)


def cpu_ticks(spec: JobSpec, hz: int) -> int:
    """Return the CPU ticks after which a job is done, fails, or has used its request."""
    needed_s = spec.needed_cpu_s if spec.aborts_at_s is None else min(spec.needed_cpu_s, spec.aborts_at_s)
    return max(1, round(needed_s * hz))


def how_it_ends(spec: JobSpec) -> tuple[str, int]:
    """Return the end of an undisturbed job, and its exit status."""
    if spec.aborts_at_s is not None and spec.aborts_at_s <= spec.needed_cpu_s:
        return "aborted", 1
    if spec.cpu_s is not None and spec.cpu_s > spec.requested_cpu_s:
        return "killed by its CPU limit", KILLED
    return "ended", 0


KILLED = 137  # A shell gives a killed job this exit status too: 128 + 9.


State = Literal["waiting", "held", "running", "checkpointing", "checkpointed", "restarting", "ended"]


@dataclass(eq=False, slots=True)
class Job:
    """A job, identified by its request number. Ticks are the machine's unless a name says otherwise.

    Attributes:
        state: a `held` job waits too, but is not started. Checkpointed jobs, and those on the way there and
            back, count as started.
        why_held: the reason, if it was not held by a person.
        node: id of the leaf that is charged, once it is started.
        processors: most processors it could use at once since it was started; 0 before.
        pids: its processes; the first one identifies its image.
        phase: its phase; phase_tick: start of the phase, moved by the time it was stopped.
        wake_tick: end of setup or of input and output; None at a device.
        handed: CPU ticks of each task of this phase; to_arrive: number of tasks that have not used them up.
        given_ticks: CPU ticks of all complete phases.
        stopped_since: tick of its stop for a checkpoint; None while it is not stopped.
        lost: whether others ended one of its processes.
        how, exit_status: its end.
        account: its account at the end.
        ready_tick: when it first had the memory and SDS for computing; None before.
        setup_ticks .. sds_wait_ticks: components of its wall time, for complete phases.
        seen_swap_ticks, seen_sds_ticks, seen_suspended_ticks: waits of its image counted so far.
    """

    request: int
    spec: JobSpec
    submitted_tick: int
    state: State = "waiting"
    why_held: str = ""
    node: int | None = None
    started_tick: int | None = None
    ended_tick: int | None = None
    processors: int = 0
    pids: list[int] = field(default_factory=list)
    phase: Phase = ""
    phase_tick: int = 0
    wake_tick: int | None = None
    handed: list[int] = field(default_factory=list)
    to_arrive: int = 0
    given_ticks: int = 0
    stopped_since: int | None = None
    lost: bool = False
    how: str = ""
    exit_status: int | None = None
    account: dict[str, Any] | None = None
    ready_tick: int | None = None
    setup_ticks: int = 0
    io_ticks: int = 0
    stopped_ticks: int = 0
    computing_ticks: int = 0
    swap_ticks: int = 0
    sds_wait_ticks: int = 0
    seen_swap_ticks: int = 0
    seen_sds_ticks: int = 0
    seen_suspended_ticks: int = 0
    swaps: int = 0
    most_clicks: int = 0
    most_sds_clicks: int = 0
    asked_sds: bool = False

    @property
    def image(self) -> int:
        """Pid of its first process; 0 before it has one."""
        return self.pids[0] if self.pids else 0

    @property
    def label(self) -> str:
        """User and name: `sbert ccm-0219a`."""
        return f"{self.spec.person} {self.spec.name}".strip()

    @property
    def waits(self) -> bool:
        """True while the job is in a queue, held or not."""
        return self.state in ("waiting", "held")

    def again(self) -> Job:
        """Return the request as it was submitted."""
        return Job(self.request, self.spec, self.submitted_tick)

    def to_json(self) -> dict[str, Any]:
        """Return the job as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Job:
        """Return the job that `to_json` wrote."""
        values = {item.name: data[item.name] for item in fields(cls)}
        return cls(**{**values, "spec": JobSpec(**data["spec"])})
