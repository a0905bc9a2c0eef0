"""Largest slowdown first, with EASY backfilling and one reservation; for more see `lxf_several.py`.

The order of jobs changes with time, so every pass finds the first job again. If that job already holds the
reservation and no job has ended since, no further job can start. A planned start is valid as long as the same
job holds the reservation.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine import lxf_several
from fsconsole.batch.engine.columns import Columns, columns_of
from fsconsole.batch.engine.running import (
    Running,
    begin,
    complete,
    earliest,
    free_nodes,
    next_event,
    nothing_runs,
)
from fsconsole.batch.engine.tournament import (
    NOBODY,
    Tournament,
    advance,
    enter,
    foremost,
    foremost_fitting,
    leave,
    row_at,
    tournament,
)
from fsconsole.batch.job_table import Floats, Ints, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.schedule import ReservationLog, Schedule
from fsconsole.policies.compiled import compiled, entry

_ROW, _PLANNED_S, _EXTRA, _BOUND_S, _PRINTED_BOUND_S = range(5)


class _Queue(NamedTuple):
    """Running jobs, waiting jobs and the reservation.

    Attributes:
        jobs: the workload, and the starts of its jobs.
        running: running jobs.
        known: waiting jobs by slowdown.
        first: row of the job with the reservation, -1 for none; its planned start; nodes that are free beside
            it then; the bound of runtimes; the printed bound; [5].
    """

    jobs: Columns
    running: Running
    known: Tournament
    first: Ints


class _Log(NamedTuple):
    """Rows of a log, and its state.

    Attributes:
        at_s: times as in `ReservationLog`; empty if no log is wanted.
        job: rows of jobs as in `ReservationLog`.
        start_s: planned starts as in `ReservationLog`.
        last: job and planned start of the last row, -1 for none; number of rows, [3].
    """

    at_s: Ints
    job: Ints
    start_s: Ints
    last: Ints


def run(
    jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats, reservations: bool
) -> Schedule:
    """Return the schedule of `lxf`, with `shares` [users]. The caller checks the arguments."""
    if not _is_exact(jobs, max(policy.lxf_bound_s, policy.lxf_printed_bound_s)):
        plain = simulate_plainly(jobs, cluster_nodes, policy, shares)
        return plain if reservations else replace(plain, reservations=None)
    if policy.reservations > 1:
        return lxf_several.run(jobs, cluster_nodes, policy, shares, reservations)
    # Compile the loop or load it from the cache before time is measured.
    _run(*_world(jobs.rows(slice(0)), cluster_nodes, policy, reservations))
    begun = perf_counter()
    queue, log = _world(jobs, cluster_nodes, policy, reservations)
    _run(queue, log)
    took = perf_counter() - begun
    held = _noted(log) if reservations else None
    return Schedule(jobs, cluster_nodes, policy, shares, queue.jobs.start_s, held, took)


def _is_exact(jobs: JobTable, bound_s: int) -> bool:
    """Return True if slowdowns can be compared in 64 bits, even if all jobs run one after the other."""
    if len(jobs) == 0:
        return True
    longest = max(int(jobs.runtime_s.max()), bound_s)
    last_s: int = int(jobs.submit_s[-1]) + sum(jobs.runtime_s.tolist()) + longest
    return last_s * longest < 1 << 61


def _world(
    jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, reservations: bool
) -> tuple[_Queue, _Log]:
    first = np.array([NOBODY, 0, 0, policy.lxf_bound_s, policy.lxf_printed_bound_s], dtype=np.int64)
    running = nothing_runs(len(jobs), cluster_nodes)
    queue = _Queue(columns_of(jobs), running, tournament(jobs), first)
    return queue, _log_with(2 * len(jobs) + 1 if reservations else 0)


@entry
def _run(queue: _Queue, log: _Log) -> None:
    jobs, running, first = queue.jobs, queue.running, queue.first
    arriving, all_jobs = 0, len(jobs.submit_s)
    while arriving < all_jobs or foremost(queue.known) >= 0:
        now = next_event(running, jobs.submit_s, arriving, foremost(queue.known) >= 0)
        is_new = complete(running, now)
        # With the printed bound a short job ranks behind jobs that arrive with it or before: run a pass.
        while first[_PRINTED_BOUND_S] > 0 and arriving < all_jobs and jobs.submit_s[arriving] == now:
            _wait(queue, arriving, now)
            arriving += 1
            is_new = True
        if foremost(queue.known) >= 0:
            _pass(queue, now, is_new)
        while arriving < all_jobs and jobs.submit_s[arriving] == now:
            _arrive(queue, arriving, now)
            arriving += 1
        _note(log, now, first[_ROW], first[_PLANNED_S])


@compiled
def _pass(queue: _Queue, now: int, is_new: bool) -> None:
    """Start the jobs with the largest slowdowns while they fit, reserve for the next one, then backfill."""
    known, first = queue.known, queue.first
    advance(known, now)
    place = foremost(known)
    if not is_new and row_at(known, place) == first[_ROW]:
        return
    while place >= 0 and queue.jobs.nodes[row_at(known, place)] <= free_nodes(queue.running):
        first[_ROW] = NOBODY
        _start_at(queue, place, now)
        place = foremost(known)
    if place < 0:
        first[_ROW] = NOBODY
        return
    if row_at(known, place) != first[_ROW]:
        _reserve(queue, row_at(known, place))
    _backfill(queue, now)


@compiled
def _backfill(queue: _Queue, now: int) -> None:
    """Start jobs that do not delay the reservation, the largest slowdown first."""
    first, running = queue.first, queue.running
    slack_s = first[_PLANNED_S] - now
    while free_nodes(running) > 0:
        place = foremost_fitting(queue.known, free_nodes(running), slack_s, first[_EXTRA], now)
        if place < 0:
            return
        row = row_at(queue.known, place)
        if queue.jobs.runtime_s[row] > slack_s:
            first[_EXTRA] -= queue.jobs.nodes[row]
        _start_at(queue, place, now)


@compiled
def _start_at(queue: _Queue, place: int, now: int) -> None:
    """Start the job that waits at a place."""
    row = row_at(queue.known, place)
    _start(queue, row, now)
    leave(queue.known, place, queue.jobs.nodes[row], now)


@compiled
def _start(queue: _Queue, row: int, now: int) -> None:
    jobs = queue.jobs
    jobs.start_s[row] = now
    begin(queue.running, row, now + jobs.runtime_s[row], jobs.nodes[row])


@compiled
def _reserve(queue: _Queue, row: int) -> None:
    """Give the reservation to a job that does not fit."""
    first = queue.first
    first[_ROW] = row
    first[_PLANNED_S], first[_EXTRA] = earliest(queue.running, queue.jobs.nodes[row])


@compiled
def _arrive(queue: _Queue, row: int, now: int) -> None:
    """Start an arriving job with a slowdown of 1, give it the reservation, or let it wait."""
    first, nodes = queue.first, queue.jobs.nodes[row]
    fits = nodes <= free_nodes(queue.running)
    if first[_ROW] < 0 and fits:
        _start(queue, row, now)
        return
    ends_late = now + queue.jobs.runtime_s[row] > first[_PLANNED_S]
    if first[_ROW] < 0:
        _reserve(queue, row)
        _wait(queue, row, now)
    elif fits and (nodes <= first[_EXTRA] or not ends_late):
        if ends_late:
            first[_EXTRA] -= nodes
        _start(queue, row, now)
    else:
        _wait(queue, row, now)


@compiled
def _wait(queue: _Queue, row: int, now: int) -> None:
    jobs, bounds = queue.jobs, queue.first[_BOUND_S:]
    enter(queue.known, row, jobs.submit_s[row], jobs.runtime_s[row], jobs.nodes[row], bounds, now)


def _log_with(room: int) -> _Log:
    """Return an empty log with `room` rows; 0 rows disable it."""
    at_s, job, start_s = (np.empty(room, dtype=np.int64) for _ in range(3))
    return _Log(at_s, job, start_s, np.array([-1, -1, 0], dtype=np.int64))


@compiled
def _note(log: _Log, now: int, job: int, start_s: int) -> None:
    """Log the holder of the reservation, -1 for none, and its planned start, if either has changed."""
    last = log.last
    if len(log.at_s) == 0 or (job == last[0] and (job < 0 or start_s == last[1])):
        return
    row = last[2]
    log.at_s[row] = now
    log.job[row] = last[0] = job
    log.start_s[row] = last[1] = start_s if job >= 0 else -1
    last[2] += 1


def _noted(log: _Log) -> ReservationLog:
    """Return the log as a `ReservationLog`."""
    rows = int(log.last[2])
    rank = np.zeros(rows, dtype=np.int64)
    return ReservationLog(log.at_s[:rows].copy(), rank, log.job[:rows].copy(), log.start_s[:rows].copy())
