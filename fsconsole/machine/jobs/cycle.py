"""How a job computes: a serial phase, a parallel one, input and output, again and again. Pure arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsconsole.shares.scenario.job_spec import JobSpec

# "" before a job runs; `asking`: its first tick of CPU time, with which it asks for SDS.
Phase = Literal["", "setup", "asking", "serial", "parallel", "io"]
_ORDER: tuple[Phase, ...] = ("serial", "parallel", "io")


@dataclass(frozen=True, slots=True)
class Cycle:
    """Undisturbed lengths of the phases, ticks of wall time; 0 for a phase that there is not.

    Attributes:
        tasks: processes that run in the parallel phase; one alone does in the serial one.
        needed: CPU ticks of the whole job, all tasks together.
    """

    serial: int
    parallel: int
    io: int
    tasks: int
    needed: int

    @classmethod
    def of(cls, spec: JobSpec, hz: int) -> Cycle:
        """A job's cycle on a machine of `hz` ticks a second.

        One task alone has no one to wait for: its phases are one, and without input and output they are
        the whole job.
        """
        needed = cpu_ticks(spec, hz)
        length, io = max(1, round(spec.cycle_s * hz)), round(spec.io_s * hz)
        if spec.tasks == 1:
            return cls(0, length if io else needed, io, 1, needed)
        serial = round(spec.serial_fraction * length)
        return cls(serial, length - serial, io, spec.tasks, needed)

    def following(self, phase: Phase) -> Phase:
        """The phase that comes after one; the cycle's first after any that is not of the cycle."""
        first = _ORDER.index(phase) + 1 if phase in _ORDER else 0
        after = (*_ORDER[first:], *_ORDER[:first])
        return next(name for name in after if getattr(self, name) > 0)

    def handed(self, phase: Phase, left: int) -> list[int]:
        """CPU ticks for each task that runs in a phase, `left` in all at most; the first tasks have most."""
        if phase == "asking":
            return [1]
        if phase == "serial":
            return [min(self.serial, left)]
        each, rest = divmod(min(self.parallel * self.tasks, left), self.tasks)
        return [each + 1] * rest + [each] * (self.tasks - rest if each else 0)


def cpu_ticks(spec: JobSpec, hz: int) -> int:
    """CPU ticks after which a job is done, fails, or has used what it asked for."""
    needed_s = spec.needed_cpu_s if spec.aborts_at_s is None else min(spec.needed_cpu_s, spec.aborts_at_s)
    return max(1, round(needed_s * hz))


def how_it_ends(spec: JobSpec) -> tuple[str, int]:
    """How a job ends that nobody disturbs, and its exit status."""
    if spec.aborts_at_s is not None and spec.aborts_at_s <= spec.needed_cpu_s:
        return "aborted", 1
    if spec.cpu_s is not None and spec.cpu_s > spec.requested_cpu_s:
        return "killed by its CPU limit", KILLED
    return "ended", 0


KILLED = 137  # exit status of what was killed: 128 + 9, as a shell says it
