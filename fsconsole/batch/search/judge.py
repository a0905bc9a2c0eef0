"""Judgement of a setting on months of a trace: the value of each goal, over all months and in each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil

import numpy as np

from fsconsole.batch.job_table import Bools, Floats, Ints, JobTable
from fsconsole.batch.measures.fairness import gini
from fsconsole.batch.measures.slowdown import slowdown
from fsconsole.batch.months import MonthRun, Period, jobs_in, simulate_month
from fsconsole.batch.policy import DAY_S, HOUR_S, BatchPolicy
from fsconsole.batch.search.spec import JOB_MEANS, Measure

# Arrivals for this long after a month are enough for most settings. The others are simulated for longer.
FIRST_COOL_DOWN_S = 4 * DAY_S
_USER_BITS = 40  # Waits below 2^40 s and the user's number above them form one sortable number.


@dataclass(frozen=True, slots=True)
class Asked:
    """A goal in the form for measuring.

    Attributes:
        users: numbers of its users; None for all.
        target, days, fewest_jobs, floor_s: as of `Goal`.
    """

    measure: Measure
    users: tuple[int, ...] | None = None
    target: float = 0.0
    days: int = 7
    fewest_jobs: int = 20
    floor_s: int = HOUR_S


@dataclass(frozen=True, slots=True)
class Case:
    """The basis of judgements: months of a trace, goals, and the baseline of `wait_growth`."""

    cluster_nodes: int
    periods: tuple[Period, ...]
    asked: tuple[Asked, ...]
    baseline: BatchPolicy
    baseline_shares: tuple[float, ...] | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Verdict:
    """Values of goals.

    Attributes:
        values: over all months together, float64 [goals].
        monthly: in each month, float64 [goals, months]; NaN without measured jobs.
    """

    values: Floats
    monthly: Floats


@lru_cache(maxsize=4)
def judge_of(case: Case, jobs: JobTable) -> Judge:
    """Return the judge of a case, cached by processes that judge many settings of it."""
    return Judge(case, jobs)


def weights_of(case: Case, jobs: JobTable) -> Floats:
    """Return months' weights in means over all of them, [goals, months]: jobs for means of jobs, else 1."""
    made = np.ones((len(case.asked), len(case.periods)))
    for row, asked in enumerate(case.asked):
        if asked.measure in JOB_MEANS:
            chosen = _chosen(asked, jobs)
            made[row] = [(jobs_in(jobs, period) & chosen).sum() for period in case.periods]
    return made


class Judge:
    """Simulates settings on the months of a case and measures its goals."""

    def __init__(self, case: Case, jobs: JobTable) -> None:
        """Prepare the data common to all settings, and simulate the baseline if a goal compares with it."""
        self._case, self._jobs = case, jobs
        own = [jobs.rows(jobs_in(jobs, period)) for period in case.periods]
        self._months = [_Month(case, jobs, part) for part in own]
        users = np.concatenate([part.user for part in own])
        self._all = _Owners(users)
        self._chosen = [np.concatenate([month.chosen[row] for month in self._months]) for row in self._rows]
        self._runtime_s = np.concatenate([part.runtime_s for part in own])
        self._base: list[Ints] = []
        if any(asked.measure == "wait_growth" for asked in case.asked):
            shares = None if case.baseline_shares is None else np.array(case.baseline_shares)
            waits = [self._wait_s(self._run(place, case.baseline, shares)) for place in self._places]
            self._base = [*waits, np.concatenate(waits)]

    @property
    def _rows(self) -> range:
        return range(len(self._case.asked))

    @property
    def _places(self) -> range:
        return range(len(self._case.periods))

    def verdict(self, policy: BatchPolicy, shares: Floats | None) -> Verdict:
        """Return values of the goals for a setting, with shares [users].

        Raises:
            ValueError: the setting cannot be simulated.
        """
        runs = [self._run(place, policy, shares) for place in self._places]
        waits = [self._wait_s(run) for run in runs]
        together = np.concatenate(waits)
        values = np.full(len(self._case.asked), np.nan)
        monthly = np.full((len(self._case.asked), len(runs)), np.nan)
        for row, asked in enumerate(self._case.asked):
            if asked.measure == "share":
                monthly[row] = [self._share_miss(place, run, row) for place, run in enumerate(runs)]
                values[row] = monthly[row].max()
            elif asked.measure == "utilisation":
                monthly[row] = [_utilisation(run) for run in runs]
                values[row] = monthly[row].mean()
            else:
                monthly[row] = [self._of_waits(place, waits[place], row) for place in self._places]
                values[row] = self._of_waits(len(runs), together, row)
        return Verdict(values, monthly)

    def _run(self, place: int, policy: BatchPolicy, shares: Floats | None) -> MonthRun:
        return simulate_month(
            self._jobs,
            self._case.periods[place],
            self._case.cluster_nodes,
            policy,
            shares,
            cool_down_s=FIRST_COOL_DOWN_S,
        )

    @staticmethod
    def _wait_s(run: MonthRun) -> Ints:
        return run.schedule.wait_s[run.measured]

    def _of_waits(self, place: int, wait_s: Ints, row: int) -> float:
        """Return a measure of waits in a month, or over all months if the place is after the last one."""
        asked = self._case.asked[row]
        is_all = place == len(self._months)
        chosen = self._chosen[row] if is_all else self._months[place].chosen[row]
        runtime_s = self._runtime_s if is_all else self._months[place].runtime_s
        owners = self._all if is_all else self._months[place].owners
        if asked.measure == "wait_growth":
            return _growth(owners, wait_s, self._base[place], asked)
        own = wait_s if asked.users is None else wait_s[chosen]
        if not len(own):
            return float("nan")
        if asked.measure == "avg_bounded_slowdown":
            return float(slowdown(own, runtime_s if asked.users is None else runtime_s[chosen]).mean())
        if asked.measure == "gini_wait":
            found = gini(_mean_waits(owners.user[chosen], own))
            return 0.0 if found is None else found
        return _hours_of(asked.measure, own)

    def _share_miss(self, place: int, run: MonthRun, row: int) -> float:
        """Return the points by which a group misses its share in the worst stretch of days of a month.

        The group's target is a fraction of all usage in the stretch. It misses demand (waiting or running)
        that it did not get, and usage beyond the target while others waited; unused entitlement without
        demand, and usage that no other wanted, do not count.
        """
        from fsconsole.batch.measures.water_level import clip

        asked, period, schedule = self._case.asked[row], run.period, run.schedule
        jobs = schedule.jobs
        days = max((period.end_s - period.start_s) // DAY_S, 1)
        edges = period.start_s + DAY_S * np.arange(days + 1, dtype=np.int64)
        side = self._months[place].side[row][jobs.user]
        used, waited = np.zeros((2, days, 2), dtype=np.int64)
        starts, ends = np.array(schedule.start_s), np.array(schedule.end_s)
        submits, nodes = np.array(jobs.submit_s), np.array(jobs.nodes)
        clip(starts, ends, nodes, side, edges, used)
        clip(submits, starts, nodes, side, edges, waited)
        stretch = min(asked.days, days)
        own_used, others_used = _rolling(used, stretch).T
        own_waited, others_waited = _rolling(waited, stretch).T
        total = own_used + others_used
        due = asked.target * total
        short = np.minimum(due, own_used + own_waited) - own_used
        over = np.minimum(own_used - due, others_waited)
        missed = np.maximum(np.maximum(short, over), 0.0) / np.maximum(total, 1)
        return float(100 * missed.max())


class _Owners:
    """The owners of jobs in the order of jobs: places of each user's jobs after sorting by user."""

    def __init__(self, user: Ints) -> None:
        self.user = user
        self.numbers, self.counts = np.unique(user, return_counts=True)
        self.begin = np.cumsum(self.counts) - self.counts

    def percentile_s(self, wait_s: Ints, part: float) -> Ints:
        """Return a percentile of each user's waits by nearest rank, [users with jobs]."""
        key = np.sort((self.user << _USER_BITS) | wait_s)
        rank = np.ceil(self.counts * part - 1e-9).astype(np.int64) - 1
        found: Ints = key[self.begin + rank] & ((1 << _USER_BITS) - 1)
        return found


class _Month:
    """A month's own jobs: the jobs of each goal, and their owners."""

    def __init__(self, case: Case, jobs: JobTable, own: JobTable) -> None:
        self.owners = _Owners(own.user)
        self.runtime_s = own.runtime_s
        self.chosen = [_chosen(asked, own) for asked in case.asked]
        self.side = [_side(asked, len(jobs.users)) for asked in case.asked]


def _chosen(asked: Asked, jobs: JobTable) -> Bools:
    if asked.users is None:
        return np.ones(len(jobs), dtype=np.bool_)
    return np.isin(jobs.user, np.array(asked.users, dtype=np.int64))


def _side(asked: Asked, users: int) -> Ints:
    """Return 0 for users of a goal, 1 for all others, [users]."""
    side = np.ones(users, dtype=np.int64)
    side[slice(None) if asked.users is None else list(asked.users)] = 0
    return side


def _rolling(by_day: Ints, days: int) -> Ints:
    """Return sums over each stretch of so many days, [stretches, sides]."""
    total = np.concatenate([np.zeros((1, by_day.shape[1]), dtype=np.int64), by_day.cumsum(axis=0)])
    found: Ints = total[days:] - total[:-days]
    return found


def _growth(owners: _Owners, wait_s: Ints, base_s: Ints, asked: Asked) -> float:
    """Return the largest ratio of a user's 95th percentile of waits to the baseline's."""
    counted = owners.counts >= asked.fewest_jobs
    if asked.users is not None:
        counted &= np.isin(owners.numbers, np.array(asked.users))
    if not counted.any():
        return float("nan")
    now, before = (np.maximum(owners.percentile_s(one, 0.95), asked.floor_s) for one in (wait_s, base_s))
    return float((now / before)[counted].max())


def _mean_waits(user: Ints, wait_s: Ints) -> Floats:
    count = np.bincount(user)
    found: Floats = np.bincount(user, wait_s)[count > 0] / count[count > 0]
    return found


def _hours_of(measure: Measure, wait_s: Ints) -> float:
    if measure == "avg_wait_h":
        return float(wait_s.mean()) / HOUR_S
    if measure == "max_wait_h":
        return float(wait_s.max()) / HOUR_S
    part = 0.95 if measure == "p95_wait_h" else 0.99
    rank = ceil(len(wait_s) * part - 1e-9) - 1
    return float(np.partition(wait_s, rank)[rank]) / HOUR_S


def _utilisation(run: MonthRun) -> float:
    """Return the used fraction of the machine in the period, in percent."""
    schedule, period = run.schedule, run.period
    begin = np.maximum(schedule.start_s, period.start_s)
    end = np.minimum(schedule.end_s, period.end_s)
    used = int((schedule.jobs.nodes * np.maximum(end - begin, 0)).sum())
    return 100 * used / (schedule.cluster_nodes * (period.end_s - period.start_s))
