"""First come, first served, with EASY backfilling; one reservation.

Runtimes are known, so the first waiting job starts at the very moment that was planned when it became the
first, and nothing that is backfilled meanwhile changes that: the planned start is worked out once, and of
the nodes beyond it what is backfilled past it is taken off. Where nothing has ended since the last pass,
no job can start that could not then; only those that arrive are looked at.
"""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.columns import Columns, columns_of
from fsconsole.batch.engine.log_of_one import LogOfOne, log_of_one, note, reservation_log
from fsconsole.batch.engine.running import (
    Running,
    begin,
    complete,
    earliest,
    free_nodes,
    next_event,
    nothing_runs,
)
from fsconsole.batch.engine.waiting_tree import WaitingTree, following, insert, remove, waiting_tree
from fsconsole.batch.job_table import Floats, Ints, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.policies.compiled import compiled, entry

_NOBODY = -1


class _Queue(NamedTuple):
    """What runs, what waits, and who is first.

    Attributes:
        jobs: the workload, and when its jobs start.
        running: what runs.
        tree: what waits behind the first.
        first: row of the first waiting job, -1 for none; its planned start; nodes that are free then beside
            it; how many wait behind it, [4].
    """

    jobs: Columns
    running: Running
    tree: WaitingTree
    first: Ints


def run(
    jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats, reservations: bool
) -> Schedule:
    """The schedule of `fcfs` with one reservation; arguments are checked before."""
    _run(*_world(jobs.rows(slice(0)), cluster_nodes, reservations))  # compiles, or loads what is kept
    queue, log = _world(jobs, cluster_nodes, reservations)
    begun = perf_counter()
    _run(queue, log)
    took = perf_counter() - begun
    held = reservation_log(log) if reservations else None
    return Schedule(jobs, cluster_nodes, policy, shares, queue.jobs.start_s, held, took)


def _world(jobs: JobTable, cluster_nodes: int, reservations: bool) -> tuple[_Queue, LogOfOne]:
    first = np.array([_NOBODY, 0, 0, 0], dtype=np.int64)
    running = nothing_runs(len(jobs), cluster_nodes)
    queue = _Queue(columns_of(jobs), running, waiting_tree(len(jobs), cluster_nodes), first)
    return queue, log_of_one(2 * len(jobs) + 1 if reservations else 0)


@entry
def _run(queue: _Queue, log: LogOfOne) -> None:
    jobs, running, first = queue.jobs, queue.running, queue.first
    arriving, all_jobs = 0, len(jobs.submit_s)
    while arriving < all_jobs or first[0] >= 0:
        now = next_event(running, jobs.submit_s, arriving, first[0] >= 0)
        if complete(running, now) and first[0] >= 0:
            if now == first[1]:
                _start_first(queue, now)
            _backfill(queue, now)
        while arriving < all_jobs and jobs.submit_s[arriving] == now:
            _arrive(queue, arriving, now)
            arriving += 1
        note(log, now, first[0], first[1])


@compiled
def _start(queue: _Queue, row: int, now: int) -> None:
    jobs = queue.jobs
    jobs.start_s[row] = now
    begin(queue.running, now + jobs.runtime_s[row], jobs.nodes[row])


@compiled
def _start_first(queue: _Queue, now: int) -> None:
    """The first waiting job starts, and those behind it as long as they fit; the next one is the first."""
    first = queue.first
    row, all_nodes = first[0], len(queue.tree.size) - 1
    first[0] = _NOBODY
    while True:
        _start(queue, row, now)
        if first[3] == 0:
            return
        row = following(queue.tree, row + 1, all_nodes, 0, all_nodes)
        remove(queue.tree, row)
        first[3] -= 1
        if queue.jobs.nodes[row] > free_nodes(queue.running):
            _reserve(queue, row)
            return


@compiled
def _reserve(queue: _Queue, row: int) -> None:
    """A job that does not fit is the first."""
    first = queue.first
    first[0] = row
    first[1], first[2] = earliest(queue.running, queue.jobs.nodes[row])


@compiled
def _backfill(queue: _Queue, now: int) -> None:
    """Jobs behind the first start that do not delay it."""
    first, row = queue.first, queue.first[0]
    slack_s = first[1] - now
    while first[3] > 0 and free_nodes(queue.running) > 0:
        row = following(queue.tree, row + 1, free_nodes(queue.running), slack_s, first[2])
        if row < 0:
            return
        remove(queue.tree, row)
        first[3] -= 1
        _start_behind(queue, row, now)


@compiled
def _start_behind(queue: _Queue, row: int, now: int) -> None:
    if now + queue.jobs.runtime_s[row] > queue.first[1]:
        queue.first[2] -= queue.jobs.nodes[row]
    _start(queue, row, now)


@compiled
def _arrive(queue: _Queue, row: int, now: int) -> None:
    """A job arrives behind all others: it starts, is the first, or waits."""
    first, nodes, runtime_s = queue.first, queue.jobs.nodes[row], queue.jobs.runtime_s[row]
    fits = nodes <= free_nodes(queue.running)
    if first[0] < 0:
        if fits:
            _start(queue, row, now)
        else:
            _reserve(queue, row)
    elif fits and (now + runtime_s <= first[1] or nodes <= first[2]):
        _start_behind(queue, row, now)
    else:
        insert(queue.tree, row, nodes, runtime_s)
        first[3] += 1
