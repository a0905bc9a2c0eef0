"""Largest slowdown first, with EASY backfilling and several reservations.

A pass removes jobs from the tournament of `lxf.py`: first the jobs that do not fit, until all reservations
are given, then only jobs that may fit by nodes and time. Jobs that still wait are added again at the end. If
no waiting job fits into the free nodes, a pass changes nothing and is skipped, unless reservations are
logged.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.columns import Columns, columns_of
from fsconsole.batch.engine.multi_reservation_holds import (
    HELD,
    Holds,
    hold,
    is_log_full,
    log_of,
    no_holds,
    note_holds,
    with_more_room,
)
from fsconsole.batch.engine.multi_reservation_profile import (
    Profile,
    draw,
    earliest_fit,
    fits_now,
    make_stairs,
    profile_for,
    take,
)
from fsconsole.batch.engine.running import (
    Running,
    begin,
    complete,
    free_nodes,
    next_event,
    nothing_runs,
)
from fsconsole.batch.engine.tournament import (
    Tournament,
    advance,
    enter,
    foremost,
    foremost_below,
    least_nodes,
    leave,
    row_at,
    tournament,
)
from fsconsole.batch.job_table import Floats, Ints, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.policies.compiled import compiled, entry
from fsconsole.policies.numba_tuples import borrowed

# `_World.mark` has these entries: next job to arrive, number of jobs aside, bound of runtimes, printed bound.
_ARRIVING, _ASIDE, _BOUND_S = range(3)

_Parts = tuple[Columns, Running, Tournament, Profile, Ints, Ints, Ints]


class _World(NamedTuple):
    """State that a run reads and changes.

    Attributes:
        aside: rows of jobs that a pass has examined and left waiting, the first `mark[_ASIDE]` entries.
        mark: scalars; see the constants above.
        stairs: working space for `make_stairs`.
    """

    jobs: Columns
    running: Running
    known: Tournament
    profile: Profile
    aside: Ints
    mark: Ints
    stairs: Ints
    holds: Holds


def run(
    jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats, reservations: bool
) -> Schedule:
    """Return the schedule of `lxf` with several reservations, with `shares` [users].

    The caller checks the arguments, and that slowdowns can be compared in 64 bits.
    """
    # Compile the loop or load it from the cache before time is measured.
    _run(*_parts(jobs.rows(slice(0)), cluster_nodes, policy), no_holds(1, 0))
    begun = perf_counter()
    parts = _parts(jobs, cluster_nodes, policy)
    most = min(policy.reservations, max(len(jobs), 1))
    holds = no_holds(most, len(jobs) + most if reservations else 0)
    while not _run(*parts, holds):
        holds = with_more_room(holds)
    took = perf_counter() - begun
    log = log_of(holds) if reservations else None
    return Schedule(jobs, cluster_nodes, policy, shares, parts[0].start_s, log, took)


def _parts(jobs: JobTable, cluster_nodes: int, policy: BatchPolicy) -> _Parts:
    profile = profile_for(min(len(jobs), cluster_nodes), min(policy.reservations, len(jobs)))
    return (
        columns_of(jobs),
        nothing_runs(len(jobs), cluster_nodes),
        tournament(jobs),
        profile,
        np.zeros(len(jobs), dtype=np.int64),
        np.array([0, 0, policy.lxf_bound_s, policy.lxf_printed_bound_s], dtype=np.int64),
        np.zeros_like([profile.at_s, profile.free]),
    )


@entry(allocates=False)
def _run(
    jobs: Columns,
    running: Running,
    known: Tournament,
    profile: Profile,
    aside: Ints,
    mark: Ints,
    stairs: Ints,
    holds: Holds,
) -> bool:
    """Run until all jobs have started or the log is full. Return whether all jobs have started."""
    jobs, running, known = borrowed(jobs), borrowed(running), borrowed(known)
    profile, holds = borrowed(profile), borrowed(holds)
    world = borrowed(_World(jobs, running, known, profile, aside, mark, stairs, holds))
    is_logged = holds.log.shape[1] > 0
    while mark[_ARRIVING] < len(jobs.submit_s) or foremost(known) >= 0:
        if is_log_full(holds):
            return False
        now = next_event(running, jobs.submit_s, mark[_ARRIVING], foremost(known) >= 0)
        complete(running, now)
        while mark[_ARRIVING] < len(jobs.submit_s) and jobs.submit_s[mark[_ARRIVING]] == now:
            _wait(world, mark[_ARRIVING], now)
            mark[_ARRIVING] += 1
        if is_logged or least_nodes(known) <= free_nodes(running):
            _pass(world, now)
        if is_logged:
            note_holds(holds, now)
    return True


@compiled
def _wait(world: _World, row: int, now: int) -> None:
    jobs, bounds = world.jobs, world.mark[_BOUND_S:]
    enter(world.known, row, jobs.submit_s[row], jobs.runtime_s[row], jobs.nodes[row], bounds, now)


@compiled
def _start_at(world: _World, place: int, now: int) -> None:
    """Start the job that waits at a place."""
    jobs, row = world.jobs, row_at(world.known, place)
    leave(world.known, place, jobs.nodes[row], now)
    jobs.start_s[row] = now
    begin(world.running, row, now + jobs.runtime_s[row], jobs.nodes[row])


@compiled
def _put_aside(world: _World, place: int, now: int) -> None:
    """Set the job at a place aside after examining it."""
    row = row_at(world.known, place)
    leave(world.known, place, world.jobs.nodes[row], now)
    world.aside[world.mark[_ASIDE]] = row
    world.mark[_ASIDE] += 1


@compiled
def _pass(world: _World, now: int) -> None:
    """Start jobs in order, give reservations to jobs that do not fit, then backfill."""
    jobs, running, known, holds = world.jobs, world.running, world.known, world.holds
    holds.mark[HELD] = 0
    advance(known, now)
    place = foremost(known)
    while place >= 0 and jobs.nodes[row_at(known, place)] <= free_nodes(running):
        _start_at(world, place, now)
        place = foremost(known)
    if place < 0:
        return
    draw(world.profile, running, now)
    while place >= 0 and holds.mark[HELD] < len(holds.row):
        if not _starts(world, place, now):
            row = row_at(known, place)
            runtime_s, nodes = jobs.runtime_s[row], jobs.nodes[row]
            start = earliest_fit(world.profile, nodes, runtime_s)
            take(world.profile, start, start + runtime_s, nodes)
            hold(holds, row, start)
            _put_aside(world, place, now)
        place = foremost(known)
    _backfill(world, now)
    while world.mark[_ASIDE] > 0:
        world.mark[_ASIDE] -= 1
        _wait(world, world.aside[world.mark[_ASIDE]], now)


@compiled
def _starts(world: _World, place: int, now: int) -> bool:
    """Start the job at a place if it fits beside the reservations; return True if it does."""
    jobs, row = world.jobs, row_at(world.known, place)
    if not fits_now(world.profile, jobs.nodes[row], jobs.runtime_s[row]):
        return False
    _start_at(world, place, now)
    take(world.profile, now, now + jobs.runtime_s[row], jobs.nodes[row])
    return True


@compiled
def _backfill(world: _World, now: int) -> None:
    """Start jobs that delay no reservation, the largest slowdown first."""
    while free_nodes(world.running) > 0:
        steps = make_stairs(world.profile, world.stairs)
        place = foremost_below(world.known, world.stairs, steps, now)
        if place < 0:
            return
        _starts(world, place, now)
