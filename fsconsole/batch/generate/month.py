"""Workloads like those of Table I: a month, the week before it and the month after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.random import Generator

from fsconsole.batch.generate.achieved import figures_of
from fsconsole.batch.generate.calibrate import calibrated
from fsconsole.batch.generate.people import ACCOUNTS, draw_people
from fsconsole.batch.generate.planted import Planted, planted
from fsconsole.batch.generate.table_one import CLUSTER_NODES, MONTHS, PrintedMonth, printed_month
from fsconsole.batch.job_table import Floats, Ints, JobShapes, JobTable, job_table
from fsconsole.batch.months import WARM_UP_S
from fsconsole.batch.policy import DAY_S, HOUR_S

# These are relative activities in each hour of a day, from midnight, with a maximum in the afternoon.
DAY_RHYTHM = (
    0.35, 0.3, 0.25, 0.2, 0.2, 0.2, 0.3, 0.5, 0.9, 1.4, 1.7, 1.7,
    1.6, 1.7, 1.8, 1.8, 1.7, 1.5, 1.2, 1.0, 0.9, 0.8, 0.6, 0.4,
)  # fmt: skip
WEEK_RHYTHM = (1.15, 1.2, 1.2, 1.2, 1.1, 0.55, 0.6)  # The week begins on Monday.
_SESSION_JOBS = 6.0
_GAP_S = 900.0
_SESSION_NH = 300.0
_SHORTEST_STAY_PART_OF_MONTH = 0.35
_ALL_MONTH_NH = 8000.0
_MONDAY = 4 * DAY_S  # The first of January 1970 was a Thursday.


def rhythm(start_unix_s: int, length_s: int) -> Floats:
    """Return the fraction of arrivals in each hour of a period that begins at midnight, float64 [hours]."""
    hours = np.arange(-(-length_s // HOUR_S))
    since_monday = start_unix_s - _MONDAY + hours * HOUR_S
    weight = np.array(DAY_RHYTHM)[hours % 24] * np.array(WEEK_RHYTHM)[since_monday // DAY_S % 7]
    parts: Floats = weight / weight.sum()
    return parts


def arrivals(owner: Ints, node_hours: Floats, start_unix_s: int, length_s: int, rng: Generator) -> Ints:
    """Return seconds of a month at which jobs of these owners and node-hours arrive, int64 [jobs].

    Args:
        owner: user of each job, int64 [jobs].
        node_hours: node-hours of each job, float64 [jobs].
        start_unix_s: start of the month in seconds since 1970.
        length_s: length of the month in s.
        rng: random number generator.
    """
    by_then = np.cumsum(rhythm(start_unix_s, length_s))
    submit_s = np.empty(len(owner), dtype=np.int64)
    for user in np.unique(owner).tolist():
        rows = np.flatnonzero(owner == user)
        submit_s[rows] = _of_user(len(rows), float(node_hours[rows].sum()), by_then, length_s, rng)
    return submit_s


def _of_user(jobs: int, node_hours: float, by_then: Floats, length_s: int, rng: Generator) -> Ints:
    stay = rng.uniform(max(_SHORTEST_STAY_PART_OF_MONTH, min(node_hours / _ALL_MONTH_NH, 1.0)), 1.0)
    first = rng.uniform(0, 1 - stay)
    sessions = 1 + int(rng.poisson(max(jobs / _SESSION_JOBS, node_hours / _SESSION_NH)))
    hour = np.searchsorted(by_then, rng.uniform(first, first + stay, sessions))
    begin_s = (np.minimum(hour, len(by_then) - 1) + rng.random(sessions)) * HOUR_S
    session = np.sort(rng.integers(0, sessions, jobs))
    gap_s = rng.exponential(_GAP_S, jobs)
    opening = np.append(True, session[1:] != session[:-1])
    total = np.cumsum(np.where(opening, 0.0, gap_s))
    since = total - np.maximum.accumulate(np.where(opening, total, 0.0))
    submit: Ints = np.floor(begin_s[session] + since).astype(np.int64)
    # A session at the end of the month wraps to its beginning, so that all jobs stay in the month.
    past = submit >= length_s
    submit[past] = np.maximum(2 * length_s - 2 - submit[past], 0)
    return submit


# We chose these rank correlations of users' numbers of jobs and usage. Smaller ones follow if one is
# impossible.
_BUSY_IS_HEAVY = (*4 * (0.6,), *4 * (0.4,), *4 * (0.2,), *12 * (0.0,))


@dataclass(frozen=True, eq=False, slots=True)
class _Drawn:
    """Jobs of one calendar month: owner, shape and arrival, [jobs]."""

    names: tuple[str, ...]
    owner: Ints
    bodies: JobShapes
    submit_s: Ints


def generate_month(month: str, seed: int, plant: Sequence[str] = ()) -> JobTable:
    """Return a workload with the figures of a month of Table I, for 128 nodes.

    Its second 0 is 7 days before the month (see `period_of_month`). As the paper's warm-up and cool-down are
    from the months before and after, the last week of the one and all of the other are generated in the same
    way, from their own rows of the table; before the first and after the last month of the table, from the
    row of the month itself. The same seed gives the same jobs.

    Args:
        month: a month such as 7/03.
        seed: at least 0.
        plant: types of users to add to the month, S1 or S2, which are also their names.

    Raises:
        ValueError: the month or type is unknown, the seed is negative, or planted users leave too little for
            others.
    """
    printed, seed = printed_month(month), _checked(seed)
    before, after = _neighbours(printed)
    warm_up = _last_days(_drawn(before, seed, ()), before.length_s)
    parts = [warm_up, _drawn(printed, seed, tuple(plant)), _drawn(after, seed, ())]
    starts = (0, WARM_UP_S, WARM_UP_S + printed.length_s)
    return _together(parts, starts, f"{month} generated, seed {seed}", printed.start_unix_s - WARM_UP_S)


def jobs_of_month(month: str, seed: int) -> JobTable:
    """Return only the jobs of the month in `generate_month`, with its beginning as second 0.

    Raises:
        ValueError: as for `generate_month`.
    """
    printed = printed_month(month)
    drawn = _drawn(printed, _checked(seed), ())
    return _together([drawn], [0], f"{month} generated, seed {seed}", printed.start_unix_s)


def _checked(seed: int) -> int:
    if seed < 0:
        msg = f"the seed is {seed}. It must be at least 0"
        raise ValueError(msg)
    return seed


def _neighbours(month: PrintedMonth) -> tuple[PrintedMonth, PrintedMonth]:
    """Return the months before and after, or the month itself under their names."""
    at = MONTHS.index(month)
    before = MONTHS[at - 1] if at else _again(month, "5/03")
    after = MONTHS[at + 1] if at + 1 < len(MONTHS) else _again(month, "4/04")
    return before, after


def _again(month: PrintedMonth, name: str) -> PrintedMonth:
    """Return the month with the length of another and the same relative demand."""
    other = replace(month, name=name)
    return replace(other, demand=month.demand * month.length_s / other.length_s)


@lru_cache(maxsize=24)  # It is cached because each month is the neighbour of two others.
def _drawn(month: PrintedMonth, seed: int, plant: tuple[str, ...]) -> _Drawn:
    """Try until users and jobs match.

    Raises:
        ValueError: they never do.
    """
    standing = np.random.default_rng([seed, 0]).standard_normal(ACCOUNTS)
    year, number = month.year_and_month
    for attempt, busy_is_heavy in enumerate(_BUSY_IS_HEAVY):
        rng = np.random.default_rng([seed, 1, year, number, attempt])
        extra = planted(month, plant, rng)
        given = [(one.name, one.bodies) for one in extra]
        try:
            people = draw_people(month, given, rng, standing, busy_is_heavy)
            owner, bodies = calibrated(month, people, [bodies for _, bodies in given], rng)
        except ValueError:
            continue
        drawn = _Drawn(people.names, owner, bodies, _times(month, owner, bodies, extra, rng))
        if _is_as_printed(month, drawn):
            return drawn
    msg = (
        f"seed {seed} gives no jobs with the figures of {month.name}{' with planted users' if plant else ''}"
    )
    raise ValueError(msg)


def _is_as_printed(month: PrintedMonth, drawn: _Drawn) -> bool:
    """Return True if every figure rounds to the printed one."""
    return all(figure.holds for figure in figures_of(month, _together([drawn], [0], month.name, 0)))


def _times(
    month: PrintedMonth, owner: Ints, bodies: JobShapes, extra: Sequence[Planted], rng: Generator
) -> Ints:
    """Return the arrivals of jobs; planted users' jobs are first in the columns and have given arrivals."""
    submit_s = arrivals(owner, bodies.node_hours, month.start_unix_s, month.length_s, rng)
    given = [one.submit_s for one in extra]
    if given:
        times = np.concatenate(given)
        submit_s[: len(times)] = times
    return submit_s


def _last_days(drawn: _Drawn, length_s: int) -> _Drawn:
    """Return the jobs of the last 7 days, in seconds of these."""
    late = drawn.submit_s >= length_s - WARM_UP_S
    bodies = JobShapes(drawn.bodies.nodes[late], drawn.bodies.runtime_s[late])
    return _Drawn(drawn.names, drawn.owner[late], bodies, drawn.submit_s[late] - (length_s - WARM_UP_S))


def _together(parts: Sequence[_Drawn], starts: Sequence[int], name: str, unix_start_s: int) -> JobTable:
    """Return one table of the parts, each from its start on, with jobs numbered from 1 by arrival."""
    submit_s = np.concatenate([one.submit_s + start for one, start in zip(parts, starts, strict=True)])
    owners = [np.array(one.names)[one.owner] for one in parts]
    known = sorted({*np.concatenate(owners).tolist()}, key=_by_number)
    number = {user: index for index, user in enumerate(known)}
    user = np.array([number[one] for one in np.concatenate(owners).tolist()], dtype=np.int64)
    order = np.argsort(submit_s, kind="stable")
    nodes, runtime_s = (
        np.concatenate([getattr(one.bodies, column) for one in parts]) for column in ("nodes", "runtime_s")
    )
    return job_table(
        np.arange(1, len(order) + 1), submit_s[order], runtime_s[order], nodes[order], user[order],
        tuple(known), name=name, unix_start_s=unix_start_s, cluster_nodes=CLUSTER_NODES,
    )  # fmt: skip


def _by_number(name: str) -> tuple[bool, int, str]:
    """Return a sort key: numbered users by their numbers, then the others."""
    return (not name.isdecimal(), int(name) if name.isdecimal() else 0, name)
