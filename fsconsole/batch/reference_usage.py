"""Usage and entitlement of users in the current window, in plain Python from event to event."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from fsconsole.batch.integer_units import decayed, grains_in_node_second, whole_shares, whole_weights
from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.policy import HOUR_S, BatchPolicy

Number = int | Fraction


class UserUsage:
    """Cumulated usage and entitlement of every user, and the priorities that follow.

    Times are whole seconds of the trace; usage and entitlement are counted since the start of the window in
    grains of a node-second, see `integer_units.py`; `grains` is given if jobs are a part of those simulated.
    """

    def __init__(
        self,
        jobs: JobTable,
        cluster_nodes: int,
        policy: BatchPolicy,
        shares: Floats,
        grains: int | None = None,
    ) -> None:
        users = len(jobs.users)
        self._nodes, self._policy = cluster_nodes, policy
        self._shares: list[int] = whole_shares(shares).tolist()
        self._weights = whole_weights(policy.weights)
        self._grains = grains or grains_in_node_second(jobs, cluster_nodes, policy)
        self._user, self._size = jobs.user.tolist(), jobs.nodes.tolist()
        self._runtime = jobs.runtime_s.tolist()
        # Only active users are here, with the nodes of their waiting and running jobs.
        self._requested: dict[int, int] = {}
        self._rate = [0] * users  # Each user's nodes in use are the rate at which usage grows.
        self._entitled_rate: dict[int, Number] = {}
        self._used: list[Number] = [0] * users
        self._entitled: list[Number] = [0] * users
        self._now = policy.window_start_s(0)
        self._running: dict[int, int] = {}  # Each running job has its end here, by row.
        self._held: dict[int, int] = {}  # Each reservation has its planned start here, by row.
        self._is_carried = False  # It is true while reservations are from the previous pass.
        self._stale = False

    def arrived(self, row: int, now: int) -> None:
        """Record the arrival of a job."""
        self._advance(now)
        self._request(self._user[row], self._size[row])

    def completed(self, row: int, now: int) -> None:
        """Record the end of a job."""
        self._advance(now)
        del self._running[row]
        user, size = self._user[row], self._size[row]
        self._request(user, -size)
        self._rate[user] -= size

    def _request(self, user: int, nodes: int) -> None:
        requested = self._requested.pop(user, 0) + nodes
        if requested:
            self._requested[user] = requested
        self._stale = True

    def started(self, row: int, now: int) -> None:
        """Record the start of a job."""
        self._advance(now)
        self._running[row] = now + self._runtime[row]
        self._rate[self._user[row]] += self._size[row]
        self._held.pop(row, None)

    def reserved(self, row: int, start: int) -> None:
        """Record the reservation of a job."""
        if self._is_carried:
            self._held.clear()
            self._is_carried = False
        self._held[row] = start

    def begin_pass(self, now: int) -> None:
        """Account until now, and drop reservations unless the policy carries them."""
        self._advance(now)
        self._is_carried = self._policy.carry_reservation
        if not self._is_carried:
            self._held.clear()

    def priorities(self, users: set[int], now: int) -> dict[int, float | Fraction]:
        """Return each user's priority, larger ones first; exact, so that equal ones are equal."""
        self._advance(now)
        expected = self._expected(now) if self._policy.expected_usage else {}
        return {user: self._priority(user, self._used[user] + expected.get(user, 0)) for user in users}

    def account(self, user: int, now: int) -> tuple[float, float, float]:
        """Return a user's node-seconds in this window: used, expected (running and reserved), entitled."""
        self._advance(now)
        expected = self._expected(now).get(user, 0)
        used, entitled = self._used[user] / self._grains, self._entitled[user] / self._grains
        return float(used), expected / self._grains, float(entitled)

    def _priority(self, user: int, used: Number) -> float | Fraction:
        policy, entitled = self._policy, self._entitled[user]
        if policy.order == "upper":
            return -1 if used > entitled else 0
        if policy.order == "lower":
            return 1 if used < entitled else 0
        if policy.order == "weighted":
            weighted = self._weighted(user)
            return self._shares[user] / weighted if weighted else math.inf
        if policy.form == "difference":
            return Fraction(entitled - used)
        return Fraction(entitled) / used if used > 0 else math.inf

    def _weighted(self, user: int) -> Fraction:
        """Return LSF's weighted usage: node-hours used and running, nodes in use and reserved."""
        for_used, for_running, for_slots = self._weights
        running = 0
        for row, end in self._running.items():
            if self._user[row] == user:
                running += self._size[row] * (self._now - (end - self._runtime[row]))
        slots = 1 + self._rate[user]
        if self._policy.expected_usage:
            slots += sum(self._size[row] for row in self._held if self._user[row] == user)
        used = Fraction(self._used[user]) / self._grains
        return for_used * used / HOUR_S + Fraction(for_running * running, HOUR_S) + for_slots * slots

    def _expected(self, now: int) -> dict[int, int]:
        """Return the future usage of running and reserved jobs in this window, in grains."""
        expected: dict[int, int] = {}
        close = self._close(now)
        for row, end in self._running.items():
            self._expect(expected, row, min(end, close) - now)
        for row, start in self._held.items():
            overlap = min(start + self._runtime[row], close) - max(start, now)
            self._expect(expected, row, max(overlap, 0))
        return expected

    def _expect(self, expected: dict[int, int], row: int, seconds: int) -> None:
        user = self._user[row]
        expected[user] = expected.get(user, 0) + self._grains * self._size[row] * seconds

    def _close(self, now: int) -> int:
        """Return the end of the window around a second."""
        return self._policy.window_start_s(now) + self._policy.window_s

    def _advance(self, now: int) -> None:
        while self._now < now:
            close = self._close(self._now)
            self._pass_time(min(close, now))
            if self._now == close:
                self._used = [self._decayed(used) for used in self._used]
                self._entitled = [self._decayed(entitled) for entitled in self._entitled]

    def _pass_time(self, until: int) -> None:
        if self._stale:
            self._entitled_rate = self._entitle()
            self._stale = False
        length = until - self._now
        for user, rate in self._entitled_rate.items():
            self._used[user] += self._grains * self._rate[user] * length
            self._entitled[user] += rate * length
        self._now = until

    def _entitle(self) -> dict[int, Number]:
        """Return the entitlement of active users in grains a second."""
        entitled = entitled_nodes(self._nodes, self._shares, self._requested)
        return {user: self._in_grains(nodes) for user, nodes in entitled.items()}

    def _in_grains(self, nodes: Number) -> Number:
        """Return the nearest whole number of grains."""
        numerator, denominator = nodes.as_integer_ratio()
        return (2 * self._grains * numerator + denominator) // (2 * denominator)

    def _decayed(self, grains: Number) -> Number:
        return decayed(int(grains), self._policy.decay)


def entitled_nodes(
    cluster_nodes: int, shares: Sequence[int | Fraction], requested: Mapping[int, int]
) -> dict[int, int | Fraction]:
    """Return the entitled nodes of each active user, exact (Vasupongayya, section III-C, measure 1).

    Users with requests (the nodes of their waiting and running jobs) are active. Each gets nodes by shares
    among the active, but no more than requested; those who are capped settle together, and the others divide
    the rest by the same rule, repeatedly. Nodes that no user can use stay unused. Compiled loops find the
    resulting level (`engine/by_user_accounts.py` in grains, `measures/water_level.py`).

    Args:
        cluster_nodes: nodes of the machine.
        shares: shares of each user, above 0, [users].
        requested: nodes that active users request, above 0, by number of the user.
    """
    entitled: dict[int, int | Fraction] = {}
    left, still_open = cluster_nodes, dict(requested)
    while still_open:
        open_shares = sum(shares[user] for user in still_open)
        capped = [user for user, nodes in still_open.items() if left * shares[user] >= nodes * open_shares]
        if not capped:
            return entitled | {user: Fraction(left * shares[user], open_shares) for user in still_open}
        for user in capped:
            entitled[user] = still_open.pop(user)
            left -= requested[user]
    return entitled
