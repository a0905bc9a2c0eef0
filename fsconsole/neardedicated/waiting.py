"""Waiting jobs of the near-dedicated queue, their expected times, and their order by site policy.

A cron job reorders the queue (Brady et al. section 3.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fsconsole.shares.scenario.job_spec import JobSpec


@dataclass(frozen=True, slots=True)
class Waiting:
    """A job of the near-dedicated queue that has not been started.

    Attributes:
        request, person, name: its identity.
        requested_cpu_s: requested CPU time.
        estimate_s: wall time after which the watchdog would kill it.
        expected_s: wall time at the demonstrated efficiency; the estimate without a demonstration.
        shown: demonstrated CPU efficiency, a fraction.
        take_chances: ND_TMC.
        held: why it may not be started; empty if it may. eligible: whether enough was demonstrated.
        rank: rank of its owner in the share policy, small first.
        memory_mw, sds_mw: its needs.
    """

    request: int
    person: str
    name: str
    requested_cpu_s: float
    estimate_s: float
    expected_s: float
    shown: float | None = None
    take_chances: bool = False
    held: str = ""
    rank: float = 0.0
    memory_mw: float = 0.0
    sds_mw: float = 0.0
    eligible: bool = True

    @property
    def label(self) -> str:
        """User and job, such as `sbert ccm-0219a`."""
        return f"{self.person} {self.name}".strip()


def estimate_s(requested_cpu_s: float, factor: float, cpus: int) -> float:
    """Return the wall time estimate, requested CPU time * factor / processors (Brady et al. section 3.2)."""
    return requested_cpu_s * factor / cpus


def expected_s(spec: JobSpec, shown: float | None, cpus: int) -> float | None:
    """Return the wall time of all requested CPU time at an efficiency [ours]; None without one."""
    return None if not shown else spec.requested_cpu_s / (spec.processors(cpus) * shown)


_KEYS: dict[str, Callable[[Waiting], tuple[float, int]]] = {
    "arrival": lambda job: (0.0, job.request),
    "shares": lambda job: (job.rank, job.request),
    "shortest": lambda job: (job.estimate_s, job.request),
    "efficiency": lambda job: (-(job.shown or 0.0), job.request),
}


def ordered(waiting: Sequence[Waiting], order: str) -> list[int]:
    """Return requests in the order of a policy; unchanged for `by-hand`. Ties go by arrival."""
    key = _KEYS.get(order)
    return [job.request for job in (waiting if key is None else sorted(waiting, key=key))]


def moves(now: Sequence[int], wanted: Sequence[int]) -> list[tuple[int, int]]:
    """Return successive moves (request, place from 1) that bring a queue into the wanted order."""
    queue, found = list(now), []
    for place, request in enumerate(wanted):
        if queue[place] != request:
            queue.remove(request)
            queue.insert(place, request)
            found.append((request, place + 1))
    return found


def is_moved(now: Sequence[int], ordered_before: Sequence[int]) -> bool:
    """Return True if jobs were moved since the last sorting; jobs that came or went do not count."""
    there = set(now)
    before = [request for request in ordered_before if request in there]
    known = set(before)
    return [request for request in now if request in known] != before
