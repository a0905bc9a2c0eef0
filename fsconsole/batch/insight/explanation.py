"""The explanation of a job's wait: facts for tables, reasons in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

State = Literal["not submitted", "waiting", "running", "ended"]
_LISTED = 50


@dataclass(frozen=True, slots=True)
class Reserved:
    """A reservation: the job's row and number, its owner, its size, its planned start."""

    row: int
    job_id: int
    user: str
    nodes: int
    start_s: int


@dataclass(frozen=True, slots=True)
class Delay:
    """The delay of a job that fits now but would take reserved nodes.

    Attributes:
        at_s: the planned start at which nodes would be short (the "shadow" of EASY backfilling).
        left_nodes: nodes left over beside the reservations then ("extra").
        ends_s: end of the job if it were started in the pass.
        delayed: the reservations that begin then.
    """

    at_s: int
    left_nodes: int
    ends_s: int
    delayed: tuple[Reserved, ...]


@dataclass(frozen=True, slots=True)
class OwnerStanding:
    """The owner's priority under a policy by user, when the pass gave its first reservation.

    It includes the jobs that the pass had started by then, but no reservation of this pass.

    Attributes:
        since_s: start of the fair-share window.
        used_nh, expected_nh, entitled_nh: node-hours since then: used; future use of running and reserved
            jobs in the window if the policy counts it; entitled.
        priority: priority of the policy, larger ones first; may be infinite.
        rank: 1 for the most favoured of the `users_waiting`, who have waiting jobs.
    """

    user: str
    since_s: int
    used_nh: float
    expected_nh: float
    entitled_nh: float
    priority: float
    rank: int
    users_waiting: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a job's state at a time.

    Times are seconds of the trace. Values that need a policy are None (or empty) for imported schedules. For
    a started job, `pass_s` is the pass that started it and `reservations` are those given then; all values
    from `free_nodes` on are for waiting jobs.

    Attributes:
        row, job_id, user, nodes, runtime_s, submit_s, start_s: the job, and its actual start.
        at_s: time of the explanation.
        state: state of the job then.
        waited_s: its wait by then (until its start at most).
        pass_s: the last scheduling pass up to then, which made the decision.
        free_nodes: free nodes when that pass considered the job; after the last event for imported schedules.
        free_after: free nodes at the end of the pass.
        position: its place, from 1, among the jobs that the pass considered and left waiting.
        waiting: number of waiting jobs after the pass, including it.
        ahead: rows of the jobs considered before it, in that order.
        reservations: reservations made before it was considered.
        planned_start_s: planned start if it holds a reservation itself.
        fits_from_s: its start beside running and reserved jobs if no others arrived.
        delay: reason why it is not started although enough nodes are free.
        standing: its owner's, for policies by user; slowdown: its own, for LXF.
        overtaken_by: number of later arrivals that have started by then.
        backfilled: for a started job, whether others with reservations were ahead of it.
        agrees: whether the recomputed pass started the same jobs as the schedule.
        reasons: the explanation in sentences.
    """

    row: int
    job_id: int
    user: str
    nodes: int
    runtime_s: int
    submit_s: int
    start_s: int
    at_s: int
    state: State
    waited_s: int
    overtaken_by: int
    backfilled: bool | None = None
    pass_s: int | None = None
    free_nodes: int | None = None
    free_after: int | None = None
    position: int | None = None
    waiting: int | None = None
    ahead: tuple[int, ...] = ()
    reservations: tuple[Reserved, ...] = ()
    planned_start_s: int | None = None
    fits_from_s: int | None = None
    delay: Delay | None = None
    standing: OwnerStanding | None = None
    slowdown: float | None = None
    agrees: bool | None = None
    ahead_ids: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All reasons as one text."""
        return " ".join(self.reasons)

    def to_json(self) -> dict[str, Any]:
        """Return plain values; of the jobs ahead, the first 50."""
        plain: dict[str, Any] = {
            name: getattr(self, name)
            for name in self.__slots__
            if name not in ("row", "ahead", "ahead_ids", "reservations", "delay", "standing", "reasons")
        }
        plain["jobs_ahead"] = list(self.ahead_ids[:_LISTED])
        plain["reservations"] = [_reserved(item) for item in self.reservations]
        plain["delay"] = None if self.delay is None else _delay(self.delay)
        plain["standing"] = None if self.standing is None else _standing(self.standing)
        plain["reasons"] = list(self.reasons)
        return plain


def _reserved(item: Reserved) -> dict[str, Any]:
    return {"job_id": item.job_id, "user": item.user, "nodes": item.nodes, "start_s": item.start_s}


def _delay(delay: Delay) -> dict[str, Any]:
    return {
        "at_s": delay.at_s,
        "left_nodes": delay.left_nodes,
        "ends_s": delay.ends_s,
        "delayed": [item.job_id for item in delay.delayed],
    }


def _standing(standing: OwnerStanding) -> dict[str, Any]:
    """Return the owner's priority as plain data; an infinite one is null, since JSON has no infinity."""
    plain = {name: getattr(standing, name) for name in standing.__slots__}
    plain["priority"] = standing.priority if isfinite(standing.priority) else None
    return plain
