"""Arrivals, starts and ends of jobs, for all policies that keep a queue for each owner."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from fsconsole.batch.engine.by_user_accounts import (
    CLOSE,
    Accounts,
    Rules,
    account_end,
    account_start,
    request,
)
from fsconsole.batch.engine.by_user_queues import JOBS, Queues, join, leave
from fsconsole.batch.engine.columns import Columns
from fsconsole.batch.engine.running import COUNT, FREE, Running, begin, end_one
from fsconsole.batch.engine.waiting_tree import WaitingTree
from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled


@compiled
def next_event(
    jobs: Columns, running: Running, queues: Queues, accounts: Accounts, rules: Rules, arriving: int
) -> int:
    """Return the time of the next event."""
    now = running.end_s[running.mark[COUNT] - 1] if running.mark[COUNT] > 0 else 1 << 62
    if arriving < len(jobs.submit_s):
        now = min(now, jobs.submit_s[arriving])
    if rules.boundary_passes and queues.mark[JOBS] > 0:
        now = min(now, accounts.mark[CLOSE])
    return now


@compiled
def complete_all(
    jobs: Columns, running: Running, queues: Queues, accounts: Accounts, rules: Rules, now: int
) -> bool:
    """End all jobs that end now; return whether there were any."""
    row = end_one(running, now)
    ended = row >= 0
    while row >= 0:
        account_end(accounts, rules, queues.user[row], jobs.nodes[row], jobs.start_s[row], now)
        row = end_one(running, now)
    return ended


@compiled
def arrive_all(
    jobs: Columns,
    queues: Queues,
    tree: WaitingTree,
    accounts: Accounts,
    rules: Rules,
    arriving: Ints,
    now: int,
) -> None:
    """Add all jobs that arrive now to their queues."""
    row = arriving[0]
    while row < len(jobs.submit_s) and jobs.submit_s[row] == now:
        request(accounts, rules, queues.user[row], jobs.nodes[row], now)
        join(queues, tree, jobs, row)
        row += 1
    arriving[0] = row


@compiled
def run_row(
    jobs: Columns,
    running: Running,
    queues: Queues,
    accounts: Accounts,
    rules: Rules,
    row: int,
    now: int,
) -> None:
    """Start a job without changing its queue."""
    nodes, end = jobs.nodes[row], now + jobs.runtime_s[row]
    jobs.start_s[row] = now
    begin(running, row, end, nodes)
    account_start(accounts, rules, queues.user[row], nodes, end, now)


@compiled
def start_row(
    jobs: Columns,
    running: Running,
    queues: Queues,
    tree: WaitingTree,
    accounts: Accounts,
    rules: Rules,
    row: int,
    now: int,
) -> None:
    """Start a waiting job and remove it from its queue."""
    run_row(jobs, running, queues, accounts, rules, row, now)
    leave(queues, tree, jobs, row)


@compiled
def is_alone(jobs: Columns, running: Running, row: int, now: int) -> bool:
    """Return True if a job arrives now, fits, and is the only one."""
    if row == len(jobs.submit_s) or jobs.submit_s[row] > now or jobs.nodes[row] > running.mark[FREE]:
        return False
    return bool(row + 1 == len(jobs.submit_s) or jobs.submit_s[row + 1] > now)


@compiled
def start_at_once(
    jobs: Columns,
    running: Running,
    queues: Queues,
    accounts: Accounts,
    rules: Rules,
    row: int,
    now: int,
) -> None:
    """Start a job at its arrival; no other job may wait or hold a reservation."""
    request(accounts, rules, queues.user[row], jobs.nodes[row], now)
    run_row(jobs, running, queues, accounts, rules, row, now)
