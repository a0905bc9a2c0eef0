"""The users of a generated month, with their jobs and node-hours (ours, to match the paper's figures)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from fsconsole.batch.generate.spread import TargetDistribution, spread_integers, spread_reals
from fsconsole.batch.generate.table_one import PrintedMonth
from fsconsole.batch.job_table import Floats, Ints, JobShapes

ACCOUNTS = 120  # The paper's users have numbers up to 116.
_LEAST_NH = 0.02
_ROOM = 0.4  # This is a fraction of a user's node-hours if all jobs were the month's largest.
_STAYING = 0.7  # We chose this correlation of users' activity from month to month; the paper gives none.


@dataclass(frozen=True, eq=False, slots=True)
class People:
    """Users of a month: planted ones first, then the others, those with most jobs first.

    Attributes:
        names: their names.
        jobs: number of jobs of each user, int64 [users].
        node_hours: node-hours of these jobs, float64 [users].
    """

    names: tuple[str, ...]
    jobs: Ints
    node_hours: Floats


def draw_people(
    month: PrintedMonth,
    planted: Sequence[tuple[str, JobShapes]],
    rng: Generator,
    standing: Floats,
    busy_is_heavy: float,
) -> People:
    """Return users with the numbers, medians, maxima and totals of the month.

    Args:
        month: figures of the month.
        planted: users whose jobs are given.
        rng: random number generator.
        standing: activity of each account in all months, [accounts], as a standard normal number.
        busy_is_heavy: rank correlation of numbers of jobs and usage.

    Raises:
        ValueError: the figures cannot be reached with the planted users.
    """
    own_jobs = [len(bodies.nodes) for _, bodies in planted]
    own_nh = [float(bodies.node_hours.sum()) for _, bodies in planted]
    jobs_aim = TargetDistribution(month.users, month.user_jobs.median, month.user_jobs.largest, month.jobs, 1)
    nh_aim = TargetDistribution(
        month.users, month.user_nh.median, month.user_nh.largest, month.total_nh, _LEAST_NH
    )
    jobs = spread_integers(jobs_aim, rng, own_jobs)[::-1]
    heavy = spread_reals(nh_aim, rng, own_nh)[::-1]
    rank = np.argsort(np.argsort(-_near_ranks(len(jobs), busy_is_heavy, rng)))
    node_hours = _matched(jobs, heavy, rank, _ROOM * month.size_nh.largest)
    activity = _STAYING * standing + np.sqrt(1 - _STAYING**2) * rng.standard_normal(len(standing))
    accounts = np.argsort(-activity, kind="stable")[: len(jobs)] + 1
    names = (*(name for name, _ in planted), *map(str, accounts.tolist()))
    return People(names, np.concatenate([own_jobs, jobs]).astype(np.int64), np.append(own_nh, node_hours))


def _near_ranks(count: int, correlation: float, rng: Generator) -> Floats:
    """Return scores that fall with the place, up to random deviations."""
    place = np.sort(rng.standard_normal(count))[::-1]
    scores: Floats = correlation * place + np.sqrt(1 - correlation**2) * rng.standard_normal(count)
    return scores


def _matched(jobs: Ints, heavy: Floats, rank: Ints, most_nh: float) -> Floats:
    """Return node-hours of each user: the heaviest go to the first by rank whose jobs can have that many."""
    given = np.full(len(jobs), np.nan)
    for amount in heavy:
        free = np.isnan(given)
        able = free & (jobs * most_nh >= amount)
        among = np.flatnonzero(able if able.any() else free)
        given[among[np.argmin(rank[among])]] = amount
    return given
