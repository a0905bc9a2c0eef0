"""Slurm's multifactor priority, with EASY backfilling and any number of reservations.

Each change of usage is accounted for at once; priorities are computed when a pass needs them. If no waiting
job fits into the free nodes, a pass is skipped, unless reservations are logged. If only one job has arrived
since the last pass and the single reservation remains, the other jobs cannot start and are not examined
again.
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
    draw_first,
    earliest_fit,
    first_drop,
    fits_now,
    profile_for,
    take,
    take_before,
    take_now,
)
from fsconsole.batch.engine.multifactor_accounts import (
    Usage,
    calculate,
    find_fairshares,
    usage_of,
    use_from,
    use_until,
)
from fsconsole.batch.engine.multifactor_queue import (
    COUNT,
    IS_RANKED,
    Waiting,
    foremost,
    foremost_behind,
    has_as_small,
    leave,
    nothing_waits,
    priority_of,
    rank,
    wait,
)
from fsconsole.batch.engine.running import FREE, Running, begin, end_one, next_event, nothing_runs
from fsconsole.batch.factors import factors_of
from fsconsole.batch.job_table import Floats, Ints, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.policies.compiled import compiled, entry
from fsconsole.policies.numba_tuples import borrowed

# `_World.mark` has these entries: next job to arrive, and whether a pass would find the same reservation now.
_ARRIVING, _IS_CURRENT = range(2)

_Parts = tuple[Columns, Running, Waiting, Usage, Profile]


class _World(NamedTuple):
    """State that a run reads and changes."""

    jobs: Columns
    running: Running
    waiting: Waiting
    usage: Usage
    profile: Profile
    holds: Holds
    mark: Ints


def run(
    jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats, reservations: bool
) -> Schedule:
    """Return the schedule of `multifactor`, with `shares` [users]. The caller checks the arguments."""
    nothing = jobs.rows(slice(0))
    mark = np.zeros(2, dtype=np.int64)
    # Compile the loop or load it from the cache before time is measured.
    _run(*_parts(nothing, cluster_nodes, policy, shares), no_holds(1, 0), mark)
    begun = perf_counter()
    parts = _parts(jobs, cluster_nodes, policy, shares)
    most = min(policy.reservations, max(len(jobs), 1))
    holds = no_holds(most, len(jobs) + most if reservations else 0)
    while not _run(*parts, holds, mark):
        holds = with_more_room(holds)
    took = perf_counter() - begun
    log = log_of(holds) if reservations else None
    return Schedule(jobs, cluster_nodes, policy, shares, parts[0].start_s, log, took)


def _parts(jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats) -> _Parts:
    factors = factors_of(jobs, cluster_nodes, policy.multifactor, shares)
    return (
        columns_of(jobs),
        nothing_runs(len(jobs), cluster_nodes),
        nothing_waits(jobs.user, factors.fixed),
        usage_of(factors),
        profile_for(min(len(jobs), cluster_nodes), min(policy.reservations, len(jobs))),
    )


@entry(allocates=False)
def _run(
    jobs: Columns,
    running: Running,
    waiting: Waiting,
    usage: Usage,
    profile: Profile,
    holds: Holds,
    mark: Ints,
) -> bool:
    """Run until all jobs have started or the log is full. Return whether all jobs have started."""
    jobs, running, waiting, usage = borrowed(jobs), borrowed(running), borrowed(waiting), borrowed(usage)
    profile, holds = borrowed(profile), borrowed(holds)
    world = borrowed(_World(jobs, running, waiting, usage, profile, holds, mark))
    is_logged = holds.log.shape[1] > 0
    while mark[_ARRIVING] < len(jobs.submit_s) or waiting.mark[COUNT] > 0:
        if is_log_full(holds):
            return False
        now = next_event(running, jobs.submit_s, mark[_ARRIVING], waiting.mark[COUNT] > 0)
        is_new = _happen(world, now)
        if not is_new and _is_alone(world, now) and _holds_still(world, now):
            _look_at_arrival(world, now)
            continue
        _arrive_all(world, now)
        if is_logged or has_as_small(waiting, running.mark[FREE]):
            _pass(world, now)
        else:
            mark[_IS_CURRENT] = 0
        if is_logged:
            note_holds(holds, now)
    return True


@compiled
def _happen(world: _World, now: int) -> bool:
    """End jobs and calculate usage up to now; return True if anything has happened."""
    jobs, running, usage = world.jobs, world.running, world.usage
    is_new = False
    while running.mark[0] > 0 and running.end_s[running.mark[0] - 1] <= now:
        end = running.end_s[running.mark[0] - 1]
        calculated = calculate(usage, end)
        row = end_one(running, end)
        use_until(usage, world.waiting.user[row], jobs.nodes[row], jobs.start_s[row], end)
        is_new = True
        if calculated:
            world.waiting.mark[IS_RANKED] = 0
    if calculate(usage, now):
        world.waiting.mark[IS_RANKED] = 0
        is_new = True
    return is_new


@compiled
def _is_alone(world: _World, now: int) -> bool:
    """Return True if exactly one job arrives now."""
    submit_s, row = world.jobs.submit_s, world.mark[_ARRIVING]
    if row == len(submit_s) or submit_s[row] > now:
        return False
    return bool(row + 1 == len(submit_s) or submit_s[row + 1] > now)


@compiled
def _holds_still(world: _World, now: int) -> bool:
    """Return True if the single reservation remains as it is beside the arriving job."""
    holds, waiting = world.holds, world.waiting
    if len(holds.row) > 1 or holds.mark[HELD] == 0 or world.mark[_IS_CURRENT] == 0:
        return False
    if now >= holds.start_s[0]:
        return False
    find_fairshares(world.usage)
    row = world.mark[_ARRIVING]
    return priority_of(waiting, world.usage, world.jobs, row) <= priority_of(
        waiting, world.usage, world.jobs, holds.row[0]
    )


@compiled
def _look_at_arrival(world: _World, now: int) -> None:
    """Backfill a job that arrives behind the job with the reservation, or let it wait."""
    jobs, profile, row = world.jobs, world.profile, world.mark[_ARRIVING]
    world.mark[_ARRIVING] += 1
    profile.at_s[0], profile.free[0] = now, world.running.mark[FREE]
    if fits_now(profile, jobs.nodes[row], jobs.runtime_s[row]):
        _start(world, row, now)
        take_before(profile, now + jobs.runtime_s[row], jobs.nodes[row])
    else:
        wait(world.waiting, world.usage, jobs, row)


@compiled
def _arrive_all(world: _World, now: int) -> None:
    submit_s, mark = world.jobs.submit_s, world.mark
    while mark[_ARRIVING] < len(submit_s) and submit_s[mark[_ARRIVING]] == now:
        wait(world.waiting, world.usage, world.jobs, mark[_ARRIVING])
        mark[_ARRIVING] += 1


@compiled
def _start(world: _World, row: int, now: int) -> None:
    """Start a job that is not in the queue."""
    jobs = world.jobs
    jobs.start_s[row] = now
    begin(world.running, row, now + jobs.runtime_s[row], jobs.nodes[row])
    use_from(world.usage, world.waiting.user[row], jobs.nodes[row], now)


@compiled
def _start_at(world: _World, at: int, now: int) -> None:
    """Start the job that waits at a place."""
    row = world.waiting.row[at]
    leave(world.waiting, at)
    _start(world, row, now)


@compiled
def _pass(world: _World, now: int) -> None:
    """Start jobs in order, give reservations to jobs that do not fit, then backfill."""
    waiting, holds = world.waiting, world.holds
    rank(waiting, world.usage, world.jobs)
    holds.mark[HELD] = 0
    world.mark[_IS_CURRENT] = 1
    at = foremost(waiting)
    while at >= 0 and waiting.nodes[at] <= world.running.mark[FREE]:
        _start_at(world, at, now)
        at = foremost(waiting)
    if at < 0:
        return
    _reserve_first(world, waiting.row[at], now)
    priority, row = waiting.priority[at], waiting.row[at]
    every = 1 << 62
    slack_s, extra = every, every
    while True:
        free = every
        if holds.mark[HELD] == len(holds.row):
            free = world.running.mark[FREE]
            if free == 0:
                return
            slack_s, extra = first_drop(world.profile)
        at = foremost_behind(waiting, priority, row, free, slack_s, extra)
        if at < 0:
            return
        priority, row = waiting.priority[at], waiting.row[at]
        _look_at(world, at, now)


@compiled
def _look_at(world: _World, at: int, now: int) -> None:
    """Start the job at a place if it fits beside the reservations, or give it one that is left."""
    jobs, profile, holds = world.jobs, world.profile, world.holds
    row = world.waiting.row[at]
    nodes, runtime_s = jobs.nodes[row], jobs.runtime_s[row]
    if fits_now(profile, nodes, runtime_s):
        _start_at(world, at, now)
        take_now(profile, now, nodes, runtime_s, len(holds.row) == 1)
    elif holds.mark[HELD] < len(holds.row):
        start = earliest_fit(profile, nodes, runtime_s)
        take(profile, start, start + runtime_s, nodes)
        hold(holds, row, start)


@compiled
def _reserve_first(world: _World, row: int, now: int) -> None:
    """Give a reservation to the first job that does not fit."""
    jobs, running, profile, holds = world.jobs, world.running, world.profile, world.holds
    is_only = len(holds.row) == 1
    start = draw_first(profile, running, now, jobs.nodes[row], jobs.runtime_s[row], is_only)
    hold(holds, row, start)
