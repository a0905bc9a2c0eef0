"""Policies by which all jobs of a user have one priority, with EASY backfilling; one reservation.

A pass takes the user with the highest priority, and the first of that user's waiting jobs, until one does
not fit. Behind the reservation, only users are looked at who have jobs that may be backfilled: each with
the first such job, since what does not fit now does not later in the pass. A start changes the priority of
its owner alone. Where no waiting job has as few nodes as are free, a pass changes nothing and is left out,
unless who holds the reservation is asked for or counts in the next pass.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from time import perf_counter

import numpy as np

from fsconsole.batch.engine.by_user_accounts import (
    HELD_ROW,
    HELD_START,
    Accounts,
    Rules,
    accounts_of,
    advance,
    expect,
    release,
    request,
    rules_of,
)
from fsconsole.batch.engine.by_user_events import arrive_all, complete_all, next_event, run_row, start_row
from fsconsole.batch.engine.by_user_order import appraise, compared, first_listed
from fsconsole.batch.engine.by_user_queues import (
    JOBS,
    USERS,
    Queues,
    least_waiting_nodes,
    list_owners,
    next_candidate,
    queues_of,
)
from fsconsole.batch.engine.by_user_running import RunningRows, no_rows_run
from fsconsole.batch.engine.columns import Columns, columns_of
from fsconsole.batch.engine.log_of_one import LogOfOne, log_of_one, note, reservation_log
from fsconsole.batch.engine.running import FREE, earliest
from fsconsole.batch.engine.waiting_tree import WaitingTree, waiting_tree
from fsconsole.batch.job_table import Floats, Ints, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.policies.borrowed import borrowed
from fsconsole.policies.compiled import compiled, entry

_World = tuple[Columns, RunningRows, Queues, WaitingTree, Accounts, Rules]


def run(
    jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats, reservations: bool
) -> Schedule:
    """The schedule of a policy by user with one reservation; arguments are checked before."""
    nothing = jobs.rows(slice(0))
    _run(*_world(nothing, cluster_nodes, policy, shares), log_of_one(0), _next_row())  # compiles, or loads
    begun = perf_counter()
    world, arriving = _world(jobs, cluster_nodes, policy, shares), _next_row()
    log = log_of_one(len(jobs) + 1 if reservations else 0)
    while not _run(*world, log, arriving):
        log = _with_more_room(log)
    took = perf_counter() - begun
    held = reservation_log(log) if reservations else None
    return Schedule(jobs, cluster_nodes, policy, shares, world[0].start_s, held, took)


def _world(jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats) -> _World:
    rules = rules_of(jobs, cluster_nodes, policy)
    return (
        columns_of(jobs),
        no_rows_run(len(jobs), cluster_nodes),
        queues_of(jobs.user, len(jobs.users)),
        waiting_tree(len(jobs), cluster_nodes),
        accounts_of(rules, shares),
        rules,
    )


def _next_row() -> Ints:
    return np.zeros(1, dtype=np.int64)


def _with_more_room(log: LogOfOne) -> LogOfOne:
    more = log_of_one(2 * len(log.at_s))
    for column, larger in zip(log[:3], more[:3], strict=True):
        larger[: len(column)] = column
    return more._replace(last=log.last)


@entry(allocates=False)
def _run(
    jobs: Columns,
    running: RunningRows,
    queues: Queues,
    tree: WaitingTree,
    accounts: Accounts,
    rules: Rules,
    log: LogOfOne,
    arriving: Ints,
) -> bool:
    """Until all jobs have started, or the log is full: whether the former."""
    jobs, running, queues, tree = borrowed(jobs), borrowed(running), borrowed(queues), borrowed(tree)
    accounts, rules, log = borrowed(accounts), borrowed(rules), borrowed(log)
    while arriving[0] < len(jobs.submit_s) or queues.mark[JOBS] > 0:
        if 0 < len(log.at_s) == log.last[2]:
            return False
        now = next_event(jobs, running, queues, accounts, rules, arriving[0])
        advance(accounts, rules, jobs, queues.user, running, now)
        complete_all(jobs, running, queues, accounts, now)
        if queues.mark[JOBS] == 0 and _is_alone(jobs, running, arriving[0], now):
            _start_at_once(jobs, running, queues, accounts, rules, arriving[0], now)
            arriving[0] += 1
            continue
        arrive_all(jobs, queues, tree, accounts, arriving, now)
        if (
            len(log.at_s) > 0
            or rules.carries
            or least_waiting_nodes(queues, tree, jobs) <= running.mark[FREE]
        ):
            _pass(jobs, running, queues, tree, accounts, rules, now)
            note(log, now, accounts.mark[HELD_ROW], accounts.mark[HELD_START])
    return True


@compiled
def _is_alone(jobs: Columns, running: RunningRows, row: int, now: int) -> bool:
    """Whether a job arrives now, fits, and is the only one."""
    if row == len(jobs.submit_s) or jobs.submit_s[row] > now or jobs.nodes[row] > running.mark[FREE]:
        return False
    return bool(row + 1 == len(jobs.submit_s) or jobs.submit_s[row + 1] > now)


@compiled
def _start_at_once(
    jobs: Columns,
    running: RunningRows,
    queues: Queues,
    accounts: Accounts,
    rules: Rules,
    row: int,
    now: int,
) -> None:
    """A job starts when it arrives, without having been in a queue; nobody waits or holds a reservation."""
    request(accounts, queues.user[row], jobs.nodes[row])
    run_row(jobs, running, queues, accounts, rules, row, now)


@compiled
def _pass(
    jobs: Columns,
    running: RunningRows,
    queues: Queues,
    tree: WaitingTree,
    accounts: Accounts,
    rules: Rules,
    now: int,
) -> None:
    """A scheduling pass; who holds the reservation afterwards is in `accounts`."""
    _begin_pass(jobs, queues, accounts, rules, now)
    while queues.mark[JOBS] > 0:
        user = _first_user(queues, accounts)
        row = queues.row[queues.head[user]]
        if jobs.nodes[row] > running.mark[FREE]:
            start, extra = earliest(running, jobs.nodes[row])
            _reserve(jobs, queues, accounts, rules, row, start, now)
            _backfill(jobs, running, queues, tree, accounts, rules, start - now, extra, now)
            return
        _start(jobs, running, queues, tree, accounts, rules, row, now)


@compiled
def _begin_pass(jobs: Columns, queues: Queues, accounts: Accounts, rules: Rules, now: int) -> None:
    row, start = accounts.mark[HELD_ROW], accounts.mark[HELD_START]
    release(accounts, queues.user)
    if rules.carries and row >= 0:
        accounts.mark[HELD_ROW] = row
        expect(accounts, jobs, queues.user, row, start, 1)
    for at in range(queues.mark[USERS]):
        appraise(accounts, rules, queues.line[at], now)


@compiled
def _first_user(queues: Queues, accounts: Accounts) -> int:
    """Who has the highest priority, of equal ones the one whose first waiting job arrived first."""
    best = queues.line[0]
    for at in range(1, queues.mark[USERS]):
        user = queues.line[at]
        order = compared(accounts, user, best)
        if order > 0 or (order == 0 and queues.row[queues.head[user]] < queues.row[queues.head[best]]):
            best = user
    return best


@compiled
def _reserve(
    jobs: Columns, queues: Queues, accounts: Accounts, rules: Rules, row: int, start: int, now: int
) -> None:
    """A job holds the reservation, and nobody else any more."""
    was = accounts.mark[HELD_ROW]
    release(accounts, queues.user)
    if was >= 0:
        appraise(accounts, rules, queues.user[was], now)
    accounts.mark[HELD_ROW], accounts.mark[HELD_START] = row, start
    expect(accounts, jobs, queues.user, row, start, 1)
    appraise(accounts, rules, queues.user[row], now)


@compiled
def _start(
    jobs: Columns,
    running: RunningRows,
    queues: Queues,
    tree: WaitingTree,
    accounts: Accounts,
    rules: Rules,
    row: int,
    now: int,
) -> None:
    """A job starts, and its owner's priority changes."""
    start_row(jobs, running, queues, tree, accounts, rules, row, now)
    if row == accounts.mark[HELD_ROW]:
        release(accounts, queues.user)
    if queues.waiting[queues.user[row]] > 0:
        appraise(accounts, rules, queues.user[row], now)


@compiled
def _backfill(
    jobs: Columns,
    running: RunningRows,
    queues: Queues,
    tree: WaitingTree,
    accounts: Accounts,
    rules: Rules,
    slack_s: int,
    extra: int,
    now: int,
) -> None:
    """Others start that end by the reservation's start, or need no more nodes than are free beside it."""
    listed = list_owners(queues, tree, jobs, running.mark[FREE], slack_s, extra)
    while listed > 0 and running.mark[FREE] > 0:
        at = first_listed(queues, accounts, listed)
        user = queues.listed[at]
        row = queues.row[queues.candidate[user]]
        nodes, is_short = jobs.nodes[row], jobs.runtime_s[row] <= slack_s
        if nodes <= running.mark[FREE] and (is_short or nodes <= extra):
            _start(jobs, running, queues, tree, accounts, rules, row, now)
            extra -= 0 if is_short else nodes
        if not next_candidate(queues, tree, jobs, user, running.mark[FREE], slack_s, extra):
            listed -= 1
            queues.listed[at] = queues.listed[listed]
