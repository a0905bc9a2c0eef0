"""What users used and were entitled to in the current window, plainly from one event to the next."""

from __future__ import annotations

import math

import numpy as np

from fsconsole.batch.entitled_nodes import entitled_nodes
from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.policy import BatchPolicy

_HOUR_S = 3600


class UserUsage:
    """Cumulated usage and entitlement of every user, and the priorities that follow.

    Times are whole seconds of the trace, usage and entitlement node-seconds since the start of the window.
    """

    def __init__(self, jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats) -> None:
        users = len(jobs.users)
        self._jobs, self._nodes, self._policy, self._shares = jobs, cluster_nodes, policy, shares
        self._user, self._size = jobs.user.tolist(), jobs.nodes.tolist()
        self._runtime = jobs.runtime_s.tolist()
        self._requested = np.zeros(users)
        self._rate = np.zeros(users)  # nodes in use
        self._entitled_rate = np.zeros(users)
        self._used = np.zeros(users)
        self._entitled = np.zeros(users)
        self._now = self._window(0)
        self._running: dict[int, int] = {}  # row -> end
        self._held: dict[int, int] = {}  # row -> planned start
        self._is_carried = False  # what is held comes from the pass before
        self._stale = False

    def arrived(self, row: int, now: int) -> None:
        """A job is there."""
        self._advance(now)
        self._requested[self._user[row]] += self._size[row]
        self._stale = True

    def completed(self, row: int, now: int) -> None:
        """A job has ended."""
        self._advance(now)
        del self._running[row]
        user, size = self._user[row], self._size[row]
        self._requested[user] -= size
        self._rate[user] -= size
        self._stale = True

    def started(self, row: int, now: int) -> None:
        """A job has been started."""
        self._advance(now)
        self._running[row] = now + self._runtime[row]
        self._rate[self._user[row]] += self._size[row]
        self._held.pop(row, None)

    def reserved(self, row: int, start: int) -> None:
        """A job has got a reservation."""
        if self._is_carried:
            self._held.clear()
            self._is_carried = False
        self._held[row] = start

    def begin_pass(self, now: int) -> None:
        """A pass begins."""
        self._advance(now)
        self._is_carried = self._policy.carry_reservation
        if not self._is_carried:
            self._held.clear()

    def priorities(self, users: set[int], now: int) -> dict[int, float]:
        """The priority of each of the users, larger ones first."""
        self._advance(now)
        used = self._used.copy()
        if self._policy.expected_usage:
            used += self._expected(now)
        return {user: self._priority(user, float(used[user])) for user in users}

    def _priority(self, user: int, used: float) -> float:
        policy, entitled = self._policy, float(self._entitled[user])
        if policy.order == "upper":
            return -1.0 if used > entitled else 0.0
        if policy.order == "lower":
            return 1.0 if used < entitled else 0.0
        if policy.order == "weighted":
            return float(self._shares[user]) / self._weighted(user)
        if policy.form == "difference":
            return entitled - used
        return entitled / used if used > 0 else math.inf

    def _weighted(self, user: int) -> float:
        """LSF's weighted usage: node-hours used and running, nodes in use and reserved."""
        weights = self._policy.weights
        now = self._now
        running = 0
        for row, end in self._running.items():
            if self._user[row] == user:
                running += self._size[row] * (now - (end - self._runtime[row]))
        slots = 1 + float(self._rate[user])
        if self._policy.expected_usage:
            slots += sum(self._size[row] for row in self._held if self._user[row] == user)
        used = float(self._used[user]) / _HOUR_S
        return weights.used * used + weights.running * running / _HOUR_S + weights.slots * slots

    def _expected(self, now: int) -> Floats:
        """What running and reserved jobs will still use in this window."""
        expected = np.zeros(len(self._used))
        close = self._window(now) + self._policy.window_s
        for row, end in self._running.items():
            expected[self._user[row]] += self._size[row] * (min(end, close) - now)
        for row, start in self._held.items():
            overlap = min(start + self._runtime[row], close) - max(start, now)
            expected[self._user[row]] += self._size[row] * max(overlap, 0)
        return expected

    def _window(self, now: int) -> int:
        """The start of the window that a second lies in."""
        origin, length = self._policy.origin_s, self._policy.window_s
        return origin + (now - origin) // length * length

    def _advance(self, now: int) -> None:
        while self._now < now:
            close = self._window(self._now) + self._policy.window_s
            self._pass_time(min(close, now))
            if self._now == close:
                self._used *= self._policy.decay
                self._entitled *= self._policy.decay

    def _pass_time(self, until: int) -> None:
        if self._stale:
            self._entitled_rate = entitled_nodes(self._nodes, self._shares, self._requested)
            self._stale = False
        length = until - self._now
        self._used += self._rate * length
        self._entitled += self._entitled_rate * length
        self._now = until
