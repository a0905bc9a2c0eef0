"""What is said about a job that waits: facts for tables, reasons for people."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

State = Literal["not submitted", "waiting", "running", "ended"]
_LISTED = 50


@dataclass(frozen=True, slots=True)
class Reserved:
    """A reservation: which job (its row and what the trace calls it), whose, how large, planned when."""

    row: int
    job_id: int
    user: str
    nodes: int
    start_s: int


@dataclass(frozen=True, slots=True)
class Delay:
    """Why a job that fits now is not started: it would take nodes that are reserved.

    Attributes:
        at_s: the planned start at which nodes would be short (the "shadow" of EASY backfilling).
        left_nodes: nodes left over beside the reservations then ("extra").
        ends_s: when the job would end if it were started in the pass.
        delayed: the reservations that begin then.
    """

    at_s: int
    left_nodes: int
    ends_s: int
    delayed: tuple[Reserved, ...]


@dataclass(frozen=True, slots=True)
class OwnerStanding:
    """How the owner stands under a policy that goes by user, as the pass gave its first reservation.

    Up to then, what others were started for counts already, and no reservation of this pass does.

    Attributes:
        since_s: start of the fair-share window.
        used_nh, expected_nh, entitled_nh: node-hours since then: used; what running and reserved jobs will
            still use in the window, where the policy counts it; entitled.
        priority: the policy's figure, larger ones first; may be infinite.
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
    """Why a job has not started at a time, or that it has.

    Times are seconds of the trace. What needs a policy is None (or empty) for imported schedules. Of a job
    that has started, `pass_s` is the pass that started it, `reservations` are those given then; all from
    `free_nodes` on is of jobs that wait.

    Attributes:
        row, job_id, user, nodes, runtime_s, submit_s, start_s: the job, and when it starts after all.
        at_s: the time asked about.
        state: what the job is doing then.
        waited_s: how long it has waited by then (until its start at most).
        pass_s: the last scheduling pass up to then, which decided.
        free_nodes: free when that pass looked at the job; after the last event for imported schedules.
        free_after: free when the pass had ended.
        position: its place in the order in which the pass looked at jobs that wait on, from 1.
        waiting: how many jobs wait on after the pass, it among them.
        ahead: rows of those that were looked at before it, in that order.
        reservations: made before it was looked at.
        planned_start_s: where it holds a reservation itself.
        fits_from_s: when it would start beside what runs and is reserved, if nothing else came.
        delay: why it is not started although enough nodes are free.
        standing: its owner's, for policies by user; slowdown: its own, for LXF.
        overtaken_by: how many jobs that came later have started by then.
        backfilled: of a job that has started, whether others who held reservations were ahead of it.
        agrees: whether the pass, recomputed, started just those jobs that the schedule says.
        reasons: the sentences for a person.
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
        """All reasons in a row."""
        return " ".join(self.reasons)

    def to_json(self) -> dict[str, Any]:
        """Plain values; of the jobs ahead the first 50."""
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
    """Return who waits as plain data; an infinite priority is null, as JSON has no word for it."""
    plain = {name: getattr(standing, name) for name in standing.__slots__}
    plain["priority"] = standing.priority if isfinite(standing.priority) else None
    return plain
