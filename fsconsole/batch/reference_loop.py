"""The plain event loop: every rule in a few lines of Python, simple enough to verify by reading.

It is the reference of the compiled engines, job by job, and the baseline of their speed.

At a time stamp all completions come first, then all arrivals, then one scheduling pass. In a pass jobs are
taken in the order of the policy; one that fits starts, the first that does not (the first few, where the
policy has several reservations) gets the earliest start at which it would fit, and others start if they
delay no reservation (EASY backfilling).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np

from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.profile import first_fit
from fsconsole.batch.reference_factors import ByFactors
from fsconsole.batch.reference_usage import UserUsage
from fsconsole.batch.schedule import ReservationLog, Schedule


class Ranking(Protocol):
    """The order of jobs; it gets all events before it is queried again."""

    def first(self, rows: Sequence[int], now: int) -> list[int]:
        """Return the rows, given by arrival, in the order of the policy."""
        ...

    def arrived(self, row: int, now: int) -> None:
        """Record the arrival of a job."""
        ...

    def completed(self, row: int, now: int) -> None:
        """Record the end of a job."""
        ...

    def started(self, row: int, now: int) -> None:
        """Record that a job was started in this pass."""
        ...

    def reserved(self, row: int, start: int) -> None:
        """Record that a job got a reservation in this pass."""
        ...

    def begin_pass(self, now: int) -> None:
        """Begin a pass; drop or carry the reservations of the pass before."""
        ...


@dataclass(slots=True)
class ByArrival:
    """First come, first served."""

    def first(self, rows: Sequence[int], now: int) -> list[int]:
        """Return rows unchanged, by arrival."""
        return list(rows)

    def arrived(self, row: int, now: int) -> None:
        """Ignore jobs that arrive: they change no rank."""

    def completed(self, row: int, now: int) -> None:
        """Ignore jobs that end: they change no rank."""

    def started(self, row: int, now: int) -> None:
        """Ignore jobs that start: they change no rank."""

    def reserved(self, row: int, start: int) -> None:
        """Ignore reservations: they change no rank."""

    def begin_pass(self, now: int) -> None:
        """Keep ranks, which a pass does not change."""


@dataclass(slots=True)
class ByRuntime(ByArrival):
    """Shortest job first."""

    runtime_s: list[int]

    def first(self, rows: Sequence[int], now: int) -> list[int]:
        """Return rows by runtime, shortest first, equal ones by arrival."""
        return sorted(rows, key=lambda row: self.runtime_s[row])


@dataclass(slots=True)
class BySlowdown(ByArrival):
    """Largest slowdown first, by the policy's bound if it has one."""

    submit_s: list[int]
    runtime_s: list[int]
    policy: BatchPolicy

    def first(self, rows: Sequence[int], now: int) -> list[int]:
        """Return rows by slowdown, largest first, equal ones by arrival."""
        return sorted(rows, key=lambda row: -self._slowdown(row, now))

    def _slowdown(self, row: int, now: int) -> float:
        return self.policy.slowdown(now - self.submit_s[row], self.runtime_s[row])


@dataclass(slots=True)
class ByUser(ByArrival):
    """By the priority of the owner, equal ones by arrival."""

    usage: UserUsage
    user: list[int]

    def first(self, rows: Sequence[int], now: int) -> list[int]:
        """Return rows by the priority of their owners, favoured ones first."""
        priority = self.usage.priorities({self.user[row] for row in rows}, now)
        return sorted(rows, key=lambda row: -priority[self.user[row]])

    def arrived(self, row: int, now: int) -> None:
        """Add the job to its owner's requests."""
        self.usage.arrived(row, now)

    def completed(self, row: int, now: int) -> None:
        """Remove the job from its owner's requests and running jobs."""
        self.usage.completed(row, now)

    def started(self, row: int, now: int) -> None:
        """Add the job to its owner's running jobs."""
        self.usage.started(row, now)

    def reserved(self, row: int, start: int) -> None:
        """Add the job to its owner's expected usage."""
        self.usage.reserved(row, start)

    def begin_pass(self, now: int) -> None:
        """Drop reservations, unless the policy carries them."""
        self.usage.begin_pass(now)


def ranking(jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats) -> Ranking:
    """Return the ranking of jobs under a policy, with `shares` [users]."""
    if policy.order in ("fcfs", "conservative"):
        return ByArrival()
    if policy.order == "sjf":
        return ByRuntime(jobs.runtime_s.tolist())
    if policy.order == "multifactor":
        return ByFactors(jobs, cluster_nodes, policy, shares)
    if policy.order == "lxf":
        return BySlowdown(jobs.submit_s.tolist(), jobs.runtime_s.tolist(), policy)
    return ByUser(UserUsage(jobs, cluster_nodes, policy, shares), jobs.user.tolist())


class ReferenceLoop:
    """A cluster that is simulated from event to event."""

    def __init__(self, jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats) -> None:
        self.policy = policy
        self.ranking = ranking(jobs, cluster_nodes, policy, shares)
        self.free = cluster_nodes
        self.waiting: list[int] = []
        self.running: list[tuple[int, int]] = []  # It is a heap, so that the next end is first.
        self.start: list[int] = [-1] * len(jobs)
        self.log = _Reserving(keeps_ranks=policy.order == "conservative")
        self._submit = jobs.submit_s.tolist()
        self._runtime = jobs.runtime_s.tolist()
        self._nodes = jobs.nodes.tolist()

    def run(self) -> None:
        """Run until all jobs have started."""
        arriving, jobs = 0, len(self._submit)
        now = -1
        while arriving < jobs or self.waiting:
            now = self._next(arriving, now)
            self._complete(now)
            while arriving < jobs and self._submit[arriving] == now:
                self.waiting.append(arriving)
                self.ranking.arrived(arriving, now)
                arriving += 1
            self._pass(now)

    def _next(self, arriving: int, now: int) -> int:
        times = [self.running[0][0]] if self.running else []
        if arriving < len(self._submit):
            times.append(self._submit[arriving])
        if self.policy.is_by_user and self.policy.boundary_passes and self.waiting:
            times.append(self.policy.window_start_s(now) + self.policy.window_s)
        return min(times)

    def _complete(self, now: int) -> None:
        while self.running and self.running[0][0] == now:
            _, row = heapq.heappop(self.running)
            self.free += self._nodes[row]
            self.ranking.completed(row, now)

    def _pass(self, now: int) -> None:
        self.ranking.begin_pass(now)
        held: dict[int, int] = {}
        looked_at: set[int] = set()
        while (row := self._take(now, held, looked_at)) is not None:
            if row in held:
                self.ranking.reserved(row, held[row])
            else:
                self._start(row, now)
        self.log.after_pass(now, list(held.items()))

    def _take(self, now: int, held: dict[int, int], looked_at: set[int]) -> int | None:
        """Return the next job to start, or the next one for a reservation, which is then in `held`."""
        for row in self.ranking.first([row for row in self.waiting if row not in looked_at], now):
            start = self._earliest(row, now, held)
            if start == now:
                return row
            looked_at.add(row)
            if len(held) < self.policy.most_reservations:
                held[row] = start
                return row
        return None

    def _start(self, row: int, now: int) -> None:
        self.waiting.remove(row)
        self.free -= self._nodes[row]
        self.start[row] = now
        heapq.heappush(self.running, (now + self._runtime[row], row))
        self.ranking.started(row, now)

    def _earliest(self, row: int, now: int, held: dict[int, int]) -> int:
        """Return the first second at which a job fits for its whole runtime beside running and
        reserved jobs.
        """
        nodes, runtime = self._nodes[row], self._runtime[row]
        if nodes > self.free and len(held) >= self.policy.most_reservations:
            return -1
        changes: dict[int, int] = {now: 0}
        for end, other in self.running:
            changes[end] = changes.get(end, 0) + self._nodes[other]
        for other, start in held.items():
            changes[start] = changes.get(start, 0) - self._nodes[other]
            end = start + self._runtime[other]
            changes[end] = changes.get(end, 0) + self._nodes[other]
        found = first_fit(sorted(changes.items()), self.free, nodes, runtime)
        assert found is not None  # noqa: S101 (all nodes are free in the end, and no job needs more)
        return found


def simulate_plainly(
    jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats | None = None
) -> Schedule:
    """Return the schedule of a policy, with its reservations; slow.

    Args:
        jobs: the workload; no job may need more nodes than the machine has.
        cluster_nodes: nodes of the machine.
        policy: the batch policy.
        shares: shares of each user, [users]; equal ones if None.
    """
    if shares is None:
        shares = np.ones(len(jobs.users))
    loop = ReferenceLoop(jobs, cluster_nodes, policy, shares)
    begun = perf_counter()
    loop.run()
    took = perf_counter() - begun
    start_s = np.array(loop.start, dtype=np.int64)
    log: ReservationLog = loop.log.log()
    return Schedule(jobs, cluster_nodes, policy, shares, start_s, log, took)


_NOBODY = (-1, -1)


class _Reserving:
    """The log of reservations; it gets them after every pass and records changes."""

    def __init__(self, *, keeps_ranks: bool) -> None:
        self._keeps_ranks = keeps_ranks
        self._rows: list[tuple[int, int, int, int]] = []
        self._now: list[tuple[int, int]] = []

    def after_pass(self, at_s: int, held: list[tuple[int, int]]) -> None:
        """Record the end of a pass; `held` are rows of jobs with planned starts, first reservation first."""
        held = self._by_rank(dict(held)) if self._keeps_ranks else held
        for rank in range(max(len(held), len(self._now))):
            is_now = held[rank] if rank < len(held) else _NOBODY
            was = self._now[rank] if rank < len(self._now) else _NOBODY
            if is_now != was:
                self._rows.append((at_s, rank, *is_now))
        self._now = held

    def _by_rank(self, held: dict[int, int]) -> list[tuple[int, int]]:
        """Return reservations by rank: old ones keep theirs, new ones get the lowest free rank."""
        ranks = [(row, held.pop(row)) if row in held else _NOBODY for row, _ in self._now]
        for row, start in held.items():
            free = ranks.index(_NOBODY) if _NOBODY in ranks else len(ranks)
            ranks[free : free + 1] = [(row, start)]
        return ranks

    def log(self) -> ReservationLog:
        """Return the recorded log."""
        if not self._rows:
            return ReservationLog.empty()
        at_s, rank, job, start_s = np.array(self._rows, dtype=np.int64).T.copy()
        return ReservationLog(at_s, rank, job, start_s)
