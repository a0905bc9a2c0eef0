"""One scheduling pass of a finished schedule, recomputed from the running and waiting jobs at that time.

A pass is a function of the state at its time: running and waiting jobs, usage since the window began, and, if
reservations are carried, their holders. All of that follows from the schedule, so no earlier pass has to be
repeated; with decay, usage is counted over as many windows as can have left any. The order of jobs comes from
the plain loop's own rankings, fed with the window's events, so that equal users are equal here too; times are
counted from the window's start for that.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fsconsole.batch.insight.schedule_snapshot import held_before
from fsconsole.batch.integer_units import grains_in_node_second
from fsconsole.batch.job_table import Ints, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.profile import Profile
from fsconsole.batch.reference_loop import ByUser, Ranking, ranking
from fsconsole.batch.reference_usage import UserUsage
from fsconsole.batch.schedule import Schedule

_BITS = 62  # The largest usage, in grains, has this many bits.
_ENDED, _ARRIVED, _STARTED = range(3)  # Their numbers give the order within a second.


@dataclass(frozen=True, slots=True)
class Standing:
    """The components of a user's priority, in node-seconds since the window began.

    Attributes:
        user: index of the user.
        window_start_s: second of the trace.
        used, expected, entitled: used so far; future use of running and reserved jobs in the window (0 if the
            policy does not count it); entitled.
        priority: priority of the policy, larger ones first; may be infinite.
        rank: 1 for the most favoured of the users with waiting jobs; equal ones share the better place.
        users_waiting: number of users with waiting jobs.
    """

    user: int
    window_start_s: int
    used: float
    expected: float
    entitled: float
    priority: float
    rank: int
    users_waiting: int


@dataclass(frozen=True, slots=True)
class Look:
    """The state when a pass considered a job that it did not start.

    Attributes:
        free_nodes: free nodes after the jobs that the pass had started before.
        held: earlier reservations of this pass, (row, planned start).
        fits_from_s: its start beside running and reserved jobs; None if never.
        short: if enough are free: (second, free nodes then) at which it would lack nodes if it were started.
        standing: its owner's priority when the first reservation was given, which put others ahead; None if
            the order does not go by user.
    """

    free_nodes: int
    held: tuple[tuple[int, int], ...]
    fits_from_s: int | None
    short: tuple[int, int] | None
    standing: Standing | None


@dataclass(frozen=True, slots=True)
class Pass:
    """The result of a pass.

    Attributes:
        at_s: time of the pass.
        started: rows that it started, in order.
        looked_at: rows that it considered and left waiting, in order.
        backfilled: started rows that others with reservations were ahead of.
        held: (row, planned start) of its reservations, the first one first.
        free_before, free_after: free nodes at its beginning and end.
        look: state when it considered the watched job; None if it was started or is absent.
    """

    at_s: int
    started: tuple[int, ...]
    looked_at: tuple[int, ...]
    backfilled: tuple[int, ...]
    held: tuple[tuple[int, int], ...]
    free_before: int
    free_after: int
    look: Look | None


def last_pass_s(schedule: Schedule, at_s: int) -> int | None:
    """Return the time of the last pass up to and including `at_s`, as a waiting job then sees it.

    None before the first pass.
    """
    policy = schedule.policy
    times = [
        int(column[column <= at_s].max())
        for column in (schedule.jobs.submit_s, schedule.end_s)
        if (column <= at_s).any()
    ]
    if times and policy is not None and policy.is_by_user and policy.boundary_passes:
        times.append(policy.window_start_s(at_s))
    return max(times) if times else None


def pass_at(schedule: Schedule, at_s: int, watched: int | None = None, ignored: Collection[int] = ()) -> Pass:
    """Recompute the pass of that second.

    Args:
        schedule: a schedule of a policy, with its reservation log if the policy carries reservations.
        at_s: a second at which a pass took place.
        watched: row of the job to report on in full.
        ignored: rows of jobs that do not count as usage or request of their owners, as if they had no owner.
            The pass is then hypothetical.

    Raises:
        ValueError: the schedule is imported, or without a necessary reservation log.
    """
    if schedule.policy is None:
        msg = "cannot explain a schedule without a policy pass by pass"
        raise ValueError(msg)
    if schedule.policy.carry_reservation and schedule.reservations is None:
        msg = "the policy carries reservations. The schedule needs its reservation log"
        raise ValueError(msg)
    return _Replay(schedule, schedule.policy, at_s, watched, ignored).run()


class _Replay:
    """A pass with its initial state; rows inside are those of the relevant jobs."""

    def __init__(
        self,
        schedule: Schedule,
        policy: BatchPolicy,
        at_s: int,
        watched: int | None,
        ignored: Collection[int],
    ) -> None:
        self._since = _counted_since(policy, at_s)
        self._now = at_s - self._since
        jobs = schedule.jobs
        there = (jobs.submit_s <= at_s) & (schedule.end_s > self._since) & (schedule.start_s >= 0)
        self._rows = np.flatnonzero(there)
        self._jobs = replace(jobs.rows(self._rows), submit_s=jobs.submit_s[self._rows] - self._since)
        self._start = schedule.start_s[self._rows] - self._since
        self._nodes, self._runtime = self._jobs.nodes.tolist(), self._jobs.runtime_s.tolist()
        self._policy = replace(policy, origin_s=0) if policy.is_by_user else policy
        self._ranking = self._ordered_by(schedule)
        self._watched = -1 if watched is None else self._inside(watched)
        self._ignored = {self._inside(row) for row in ignored}
        self._before = held_before(schedule.reservations, at_s) if policy.carry_reservation else ()
        self._running = self._rows_running()
        self._free = schedule.cluster_nodes - sum(self._nodes[row] for row in self._running)
        self._waiting: list[int] = np.flatnonzero(self._start >= self._now).tolist()
        self._held: dict[int, int] = {}
        self._look: Look | None = None
        self._standing: Standing | None = None

    def _ordered_by(self, schedule: Schedule) -> Ranking:
        policy, nodes, shares = self._policy, schedule.cluster_nodes, schedule.shares
        if not policy.is_by_user:
            return ranking(self._jobs, nodes, policy, shares)
        # Grains are those of all jobs, so that priorities are equal to those of the simulation.
        grains = grains_in_node_second(schedule.jobs, nodes, policy)
        return ByUser(UserUsage(self._jobs, nodes, policy, shares, grains), self._jobs.user.tolist())

    def run(self) -> Pass:
        """Return the pass."""
        self._pass_history()
        free_before = self._free
        started: list[int] = []
        looked_at: list[int] = []
        backfilled: list[int] = []
        self._ranking.begin_pass(self._now)
        while (row := self._take(looked_at)) is not None:
            if row in self._held:
                self._ranking.reserved(row, self._held[row])
            else:
                self._begin(row)
                started.append(row)
                backfilled += [row] if self._held else []
        return Pass(
            self._now + self._since,
            self._outside(started),
            self._outside(looked_at),
            self._outside(backfilled),
            self._held_outside(),
            free_before,
            self._free,
            self._look,
        )

    def _rows_running(self) -> list[int]:
        is_running = (self._start < self._now) & (self._start + self._jobs.runtime_s > self._now)
        rows: list[int] = np.flatnonzero(is_running).tolist()
        return rows

    def _pass_history(self) -> None:
        """Pass the events since the window began to the ranking, in order."""
        if not self._policy.remembers_usage:
            return
        for second, kind, row in _events(self._jobs, self._start, self._now):
            if row not in self._ignored:
                _pass_event(self._ranking, kind, row, second)
        for row, start in self._before:
            self._ranking.reserved(self._inside(row), start - self._since)

    def _take(self, looked_at: list[int]) -> int | None:
        """Return the next job to start, or the next one for a reservation, which is then in `held`."""
        profile = self._profile()
        seen = set(looked_at)
        for row in self._ranking.first([row for row in self._waiting if row not in seen], self._now):
            nodes, runtime = self._nodes[row], self._runtime[row]
            if nodes <= self._free and profile.short(nodes, runtime) is None:
                return row
            looked_at.append(row)
            if not self._held:
                self._standing = self._standing_of_watched()
            if row == self._watched:
                self._look = self._look_at(row, profile)
            if len(self._held) < self._policy.most_reservations:
                start = profile.first_fit(nodes, runtime)
                if start is None:  # It is larger than the machine: such schedules come from elsewhere.
                    continue
                self._held[row] = start
                return row
        return None

    def _begin(self, row: int) -> None:
        self._waiting.remove(row)
        self._running.append(row)
        self._start[row] = self._now
        self._free -= self._nodes[row]
        if row not in self._ignored:
            self._ranking.started(row, self._now)

    def _profile(self) -> Profile:
        changes = [(int(self._start[row]) + self._runtime[row], self._nodes[row]) for row in self._running]
        for row, start in self._held.items():
            changes += [(start, -self._nodes[row]), (start + self._runtime[row], self._nodes[row])]
        return Profile(self._now, self._free, changes)

    def _look_at(self, row: int, profile: Profile) -> Look:
        nodes, runtime = self._nodes[row], self._runtime[row]
        fits_from = profile.first_fit(nodes, runtime)
        short = profile.short(nodes, runtime) if nodes <= self._free else None
        return Look(
            self._free,
            self._held_outside(),
            None if fits_from is None else fits_from + self._since,
            None if short is None else (short[0] + self._since, short[1]),
            self._standing,
        )

    def _standing_of_watched(self) -> Standing | None:
        if not isinstance(self._ranking, ByUser) or self._watched < 0:
            return None
        user = int(self._jobs.user[self._watched])
        users = {int(self._jobs.user[other]) for other in self._waiting}
        priorities = self._ranking.usage.priorities(users, self._now)
        used, expected, entitled = self._ranking.usage.account(user, self._now)
        return Standing(
            user,
            self._policy.window_start_s(self._now) + self._since,
            used,
            expected if self._policy.expected_usage else 0.0,
            entitled,
            float(priorities[user]),
            1 + sum(priority > priorities[user] for priority in priorities.values()),
            len(users),
        )

    def _inside(self, row: int) -> int:
        """Return the row inside of a row of the schedule; -1 for irrelevant jobs."""
        place = int(np.searchsorted(self._rows, row))
        return place if place < len(self._rows) and self._rows[place] == row else -1

    def _outside(self, rows: Sequence[int]) -> tuple[int, ...]:
        return tuple(int(self._rows[row]) for row in rows)

    def _held_outside(self) -> tuple[tuple[int, int], ...]:
        return tuple((int(self._rows[row]), start + self._since) for row, start in self._held.items())


def _counted_since(policy: BatchPolicy, at_s: int) -> int:
    """Return the second from which on events matter to a pass.

    With decay, these are the windows of which any grain can be left: usage has 62 bits at most
    (`integer_units.py`), and each window leaves `decay` of it. Rounding of older ones leaves about a grain.
    """
    if policy.order == "multifactor":
        return 0  # Calculations are at multiples of their period, and no usage is ever forgotten entirely.
    if not policy.is_by_user:
        return at_s
    window = policy.window_start_s(at_s)
    if policy.decay == 0:
        return window
    windows = math.ceil(_BITS / -math.log2(policy.decay))
    return max(window - windows * policy.window_s, policy.window_start_s(0))


def _events(jobs: JobTable, start: Ints, now: int) -> list[tuple[int, int, int]]:
    """Return (second, kind, row) of all events before the pass of `now`, in order."""
    events: list[tuple[int, int, int]] = []
    for kind, column, last in (
        (_ENDED, start + jobs.runtime_s, now),
        (_ARRIVED, jobs.submit_s, now),
        (_STARTED, start, now - 1),
    ):
        rows = np.flatnonzero(column <= last)
        events += zip(column[rows].tolist(), [kind] * len(rows), rows.tolist(), strict=True)
    return sorted(events)


def _pass_event(ranking: Ranking, kind: int, row: int, second: int) -> None:
    if kind == _ENDED:
        ranking.completed(row, second)
    elif kind == _ARRIVED:
        ranking.arrived(row, second)
    else:
        ranking.started(row, second)
