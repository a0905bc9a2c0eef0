"""Slurm's multifactor priority in plain Python: usage, fairshare factors, and the order of jobs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fsconsole.batch.factors import Factors, factors_of
from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.policies.multifactor import age_factor


@dataclass(slots=True)
class _Slice:
    """A running job, and the start of its use that is not yet added to its owner's usage."""

    user: int
    nodes: int
    since_s: int


class ByFactors:
    """Largest priority first, equal ones by arrival.

    As in slurmctld, usage and priorities change each calculation period: earlier usage decays, then each
    running job adds its slice, and priorities of waiting jobs follow from that and from their age. A job that
    ends adds its last slice at once. A job submitted between two calculations has age 0 and the last
    fairshare factor. Calculations are at multiples of their period, before all other events.
    """

    def __init__(self, jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats) -> None:
        self._factors: Factors = factors_of(jobs, cluster_nodes, policy.multifactor, shares)
        self._fixed = self._factors.fixed.tolist()
        self._submit, self._user = jobs.submit_s.tolist(), jobs.user.tolist()
        self._nodes = jobs.nodes.tolist()
        self._running: dict[int, _Slice] = {}
        self._usage = np.zeros(len(shares))  # Usage at the last calculation is in grains.
        self._since = np.zeros(len(shares))  # Usage since the last calculation does not yet count.
        self._fairshare: list[float] | None = None
        self._last_s = 0

    def first(self, rows: Sequence[int], now: int) -> list[int]:
        """Return rows by priority, the largest first."""
        self._calculate(now)
        return sorted(rows, key=lambda row: -self.priority(row))

    def priority(self, row: int) -> int:
        """Return a waiting job's priority at the last calculation, or at its submission if that is later."""
        factors, age_s = self._factors, max(self._last_s - self._submit[row], 0)
        age = factors.age * age_factor(age_s, factors.max_age_s)
        fairshare = factors.fairshare * self.fairshares()[self._user[row]]
        return max(int(age + fairshare + self._fixed[row]), 1)

    def fairshares(self) -> list[float]:
        """Return the fairshare factors of users at the last calculation."""
        if self._fairshare is None:
            self._fairshare = _fairshares(self._factors, self._usage.tolist())
        return self._fairshare

    def arrived(self, row: int, now: int) -> None:
        """Record an arriving job; ranks of others do not change."""

    def completed(self, row: int, now: int) -> None:
        """Add the last slice of a job."""
        self._calculate(now)
        self._add(self._running.pop(row), now)

    def started(self, row: int, now: int) -> None:
        """Record a started job."""
        self._calculate(now)
        self._running[row] = _Slice(self._user[row], self._nodes[row], now)

    def reserved(self, row: int, start: int) -> None:
        """Ignore reservations: they change no rank."""

    def begin_pass(self, now: int) -> None:
        """Keep ranks, which a pass does not change."""

    def _add(self, part: _Slice, until_s: int) -> None:
        self._since[part.user] += part.nodes * self._factors.slice_usage[until_s - part.since_s]
        part.since_s = until_s

    def _calculate(self, now: int) -> None:
        """Do all calculations up to now."""
        while self._last_s + self._factors.period_s <= now:
            self._last_s += self._factors.period_s
            self._usage = np.floor((self._usage + self._since) * self._factors.kept + 0.5)
            self._since[:] = 0
            for part in self._running.values():
                self._add(part, self._last_s)
            self._usage += self._since
            self._since[:] = 0
            self._fairshare = None


def _fairshares(factors: Factors, usage: Sequence[float]) -> list[float]:
    """Return the fairshare factors of users who are siblings below the root.

    These are the formulas of `policies/multifactor.py`, number by number: numpy's powers of 2 differ from
    those of the C library, which compiled loops use, in their last digit.
    """
    total = sum(usage)
    used = [one / total if total > 0 else 0.0 for one in usage]
    shares = factors.norm_shares.tolist()
    if not factors.fair_tree:
        pairs = zip(used, shares, strict=True)
        return [math.exp2(-(one / share) / factors.damping) for one, share in pairs]
    level_fs = [share / one if one > 0 else math.inf for one, share in zip(used, shares, strict=True)]
    return [(len(shares) - sum(other > one for other in level_fs)) / len(shares) for one in level_fs]
