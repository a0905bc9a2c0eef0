"""Any policy by owner with any number of reservations.

First come, first served and shortest job first have a single owner of all jobs. Each reservation is the
earliest start beside the running jobs and the earlier reservations. Once all are given, a job is backfilled
if it fits from now on for its runtime. Candidates are found from the nodes that are free now and at the first
moment when fewer are free. Until the first job does not fit, the free nodes alone decide. With a single
reservation two moments decide: now and its start.

If no waiting job fits into the free nodes, a pass changes nothing and is skipped, unless reservations are
logged or carried into the next pass.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from functools import cache
from time import perf_counter
from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.by_user_accounts import (
    LEAD,
    Accounts,
    Rules,
    accounts_of,
    advance,
    drop_expected,
    expect,
    has_accounts,
    no_accounts,
    request,
    rules_of,
)
from fsconsole.batch.engine.by_user_events import (
    arrive_all,
    complete_all,
    is_alone,
    next_event,
    run_row,
    start_at_once,
    start_row,
)
from fsconsole.batch.engine.by_user_lead import can_lead, find_lead, leads_still
from fsconsole.batch.engine.by_user_order import BOUNDLESS, appraise, compared, first_listed, first_owner
from fsconsole.batch.engine.by_user_queues import (
    JOBS,
    TIED,
    USERS,
    Queues,
    is_looked_for,
    join,
    keep_listed,
    list_owners,
    may_any_fit,
    next_candidate,
    queues_of,
)
from fsconsole.batch.engine.columns import Columns, columns_of
from fsconsole.batch.engine.multi_reservation_holds import (
    CARRIED,
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
from fsconsole.batch.engine.running import FREE, Running, nothing_runs
from fsconsole.batch.engine.waiting_tree import WaitingTree
from fsconsole.batch.job_table import Floats, Ints, JobTable, job_table
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.policies.compiled import compiled, entry
from fsconsole.policies.numba_tuples import borrowed

# Policies that are not by user have these further values of `Rules.form`.
_ARRIVAL, _RUNTIME = 10, 11

_Parts = tuple[Columns, Running, Queues, WaitingTree, Accounts, Rules, Profile]


class _World(NamedTuple):
    """State that a run reads and changes, passed between its functions."""

    jobs: Columns
    running: Running
    queues: Queues
    tree: WaitingTree
    accounts: Accounts
    rules: Rules
    profile: Profile
    holds: Holds


def run(
    jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats, reservations: bool
) -> Schedule:
    """Return the schedule of any policy, with `shares` [users]. The caller checks the arguments."""
    arriving = np.zeros(1, dtype=np.int64)
    _load()
    begun = perf_counter()
    parts = _parts(jobs, cluster_nodes, policy, shares)
    most = min(policy.reservations, max(len(jobs), 1))
    holds = no_holds(most, len(jobs) + most if reservations else 0)
    while not _run(*parts, holds, arriving):
        holds = with_more_room(holds)
    took = perf_counter() - begun
    log = log_of(holds) if reservations else None
    return Schedule(jobs, cluster_nodes, policy, shares, parts[0].start_s, log, took)


@cache
def _load() -> None:
    """Compile the loops or load them from the cache before time is measured; all policies share them."""
    none = np.zeros(0, dtype=np.int64)
    nothing = job_table(none, none, none, none, none, ())
    parts = _parts(nothing, 1, BatchPolicy(), np.zeros(0))
    _run(*parts, no_holds(1, 0), np.zeros(1, dtype=np.int64))


def _parts(jobs: JobTable, cluster_nodes: int, policy: BatchPolicy, shares: Floats) -> _Parts:
    rules = rules_of(jobs, cluster_nodes, policy)
    owner, owners = jobs.user, len(jobs.users)
    if not policy.is_by_user:
        form = _RUNTIME if policy.order == "sjf" else _ARRIVAL
        rules = rules._replace(form=form, boundary_passes=False, carries=False)
        owner, owners = np.zeros_like(owner), 1
    return (
        columns_of(jobs),
        nothing_runs(len(jobs), cluster_nodes),
        *queues_of(owner, owners, cluster_nodes, jobs.runtime_s if policy.order == "sjf" else None),
        accounts_of(rules, shares) if policy.is_by_user else no_accounts(owners),
        rules,
        profile_for(min(len(jobs), cluster_nodes), min(policy.reservations, len(jobs))),
    )


@entry(allocates=False)
def _run(
    jobs: Columns,
    running: Running,
    queues: Queues,
    tree: WaitingTree,
    accounts: Accounts,
    rules: Rules,
    profile: Profile,
    holds: Holds,
    arriving: Ints,
) -> bool:
    """Run until all jobs have started or the log is full. Return whether all jobs have started."""
    jobs, running, queues, tree = borrowed(jobs), borrowed(running), borrowed(queues), borrowed(tree)
    accounts, rules, profile, holds = borrowed(accounts), borrowed(rules), borrowed(profile), borrowed(holds)
    world = borrowed(_World(jobs, running, queues, tree, accounts, rules, profile, holds))
    is_logged = holds.log.shape[1] > 0
    # In order of arrival the first job stays first, and backfilling keeps its planned start.
    keeps = rules.form == _ARRIVAL and len(holds.row) == 1
    leads = can_lead(rules) and len(holds.row) == 1
    while arriving[0] < len(jobs.submit_s) or queues.mark[JOBS] > 0:
        if is_log_full(holds):
            return False
        now = next_event(jobs, running, queues, accounts, rules, arriving[0])
        if has_accounts(accounts):
            advance(accounts, rules, queues.user, running, now)
        ended = complete_all(jobs, running, queues, accounts, rules, now)
        if keeps and holds.mark[HELD] > 0 and now < holds.start_s[0]:
            profile.at_s[0], profile.free[0] = now, running.mark[FREE]
            if ended:
                _backfill(world, now)
            _look_at_arrivals(world, arriving, now)
            continue
        if queues.mark[JOBS] == 0 and is_alone(jobs, running, arriving[0], now):
            start_at_once(jobs, running, queues, accounts, rules, arriving[0], now)
            arriving[0] += 1
            continue
        if leads and not ended and holds.mark[HELD] > 0 and _holds_still(world, arriving[0], now):
            profile.at_s[0], profile.free[0] = now, running.mark[FREE]
            _look_at_arrivals(world, arriving, now)
            continue
        arrive_all(jobs, queues, tree, accounts, rules, arriving, now)
        if is_logged or rules.carries or may_any_fit(queues, tree, running.mark[FREE]):
            _begin_pass(world, now)
            _pass(world, now)
        if is_logged:
            note_holds(holds, now)
    return True


@compiled
def _holds_still(world: _World, row: int, now: int) -> bool:
    """Return True if a single job arrives and the reservation is certain to remain as it is.

    Then no other job can start now that could not start before.
    """
    jobs, queues, accounts, holds = world.jobs, world.queues, world.accounts, world.holds
    if now >= holds.start_s[0] or row == len(jobs.submit_s) or jobs.submit_s[row] > now:
        return False
    if row + 1 < len(jobs.submit_s) and jobs.submit_s[row + 1] == now:
        return False
    drop_expected(accounts, queues.user, holds.row, 1)
    still = leads_still(queues, accounts, world.rules, now)
    if still:
        lead, owner = accounts.mark[LEAD], queues.user[row]
        still = queues.row[queues.head[lead]] == holds.row[0]
        if still and queues.waiting[owner] == 0 and accounts.value[lead] < BOUNDLESS:
            appraise(accounts, world.rules, owner, now)
            still = compared(accounts, owner, lead) <= 0
    expect(accounts, jobs, queues.user, holds.row[0], holds.start_s[0], 1)
    return still


@compiled
def _look_at_arrivals(world: _World, arriving: Ints, now: int) -> None:
    """Backfill the arriving jobs, which are behind all others, or let them wait."""
    jobs, running, queues, tree = world.jobs, world.running, world.queues, world.tree
    accounts, rules, profile = world.accounts, world.rules, world.profile
    row = arriving[0]
    while row < len(jobs.submit_s) and jobs.submit_s[row] == now:
        request(accounts, rules, queues.user[row], jobs.nodes[row], now)
        if fits_now(profile, jobs.nodes[row], jobs.runtime_s[row]):
            run_row(jobs, running, queues, accounts, rules, row, now)
            take_before(profile, now + jobs.runtime_s[row], jobs.nodes[row])
        else:
            join(queues, tree, jobs, row)
        row += 1
    arriving[0] = row


@compiled
def _appraise(world: _World, owner: int, now: int) -> None:
    """Compute an owner's priority if the policy is by user."""
    if world.rules.form < _ARRIVAL:
        appraise(world.accounts, world.rules, owner, now)


@compiled
def _begin_pass(world: _World, now: int) -> None:
    """Drop the reservations of the previous pass, or carry them."""
    jobs, queues, accounts, rules, holds = world.jobs, world.queues, world.accounts, world.rules, world.holds
    drop_expected(accounts, queues.user, holds.row, holds.mark[HELD])
    if rules.carries:
        for rank in range(holds.mark[HELD]):
            holds.carried_row[rank], holds.carried_start_s[rank] = holds.row[rank], holds.start_s[rank]
            expect(accounts, jobs, queues.user, holds.row[rank], holds.start_s[rank], 1)
        holds.mark[CARRIED] = holds.mark[HELD]
    holds.mark[HELD] = 0


@compiled
def _appraise_all(world: _World, now: int) -> None:
    """Compute the priorities of all owners with waiting jobs."""
    queues = world.queues
    for at in range(queues.mark[USERS]):
        _appraise(world, queues.line[at], now)


@compiled
def _first_owner(world: _World, is_led: bool, now: int) -> int:
    """Return the first owner. Compute all priorities before."""
    if is_led:
        return find_lead(world.queues, world.accounts, world.rules, now)
    return first_owner(world.queues, world.accounts)


@compiled
def _pass(world: _World, now: int) -> None:
    """Start jobs in order, give reservations to jobs that do not fit, then backfill."""
    running, holds = world.running, world.holds
    row = _start_first(world, now)
    if row < 0:
        return
    _reserve_first(world, row, now)
    if holds.mark[HELD] < len(holds.row):
        _reserve_more(world, row, now)
    if holds.mark[HELD] == len(holds.row) and running.mark[FREE] > 0:
        _backfill(world, now)


@compiled
def _start_first(world: _World, now: int) -> int:
    """Start jobs until one does not fit; return its row, or -1 if no job waits any more."""
    jobs, running, queues, accounts = world.jobs, world.running, world.queues, world.accounts
    is_led = can_lead(world.rules) and len(world.holds.row) == 1
    if is_led and leads_still(queues, accounts, world.rules, now):
        row = queues.row[queues.head[accounts.mark[LEAD]]]
        if jobs.nodes[row] > running.mark[FREE]:
            return row
    _appraise_all(world, now)
    while queues.mark[JOBS] > 0:
        row = queues.row[queues.head[_first_owner(world, is_led, now)]]
        if jobs.nodes[row] > running.mark[FREE]:
            return row
        _start(world, row, now)
    return -1


@compiled
def _reserve_more(world: _World, row: int, now: int) -> None:
    """Start the jobs behind the first reservation, or give them reservations until all are given."""
    jobs, queues, tree, accounts = world.jobs, world.queues, world.tree, world.accounts
    rules, profile, holds = world.rules, world.profile, world.holds
    listed, owner = queues.mark[USERS], queues.user[row]
    for at in range(listed):
        queues.listed[at] = queues.line[at]
        queues.candidate[queues.line[at]] = queues.head[queues.line[at]]
    at = queues.spot[owner]
    while listed > 0 and holds.mark[HELD] < len(holds.row):
        # Every waiting job is examined, whatever its size.
        if not next_candidate(queues, tree, owner, rules.cluster_nodes, 0, rules.cluster_nodes):
            listed -= 1
            queues.listed[at] = queues.listed[listed]
            if listed == 0:
                return
        at = first_listed(queues, accounts, listed)
        owner = queues.listed[at]
        row = queues.row[queues.candidate[owner]]
        if fits_now(profile, jobs.nodes[row], jobs.runtime_s[row]):
            _start(world, row, now)
            take(profile, now, now + jobs.runtime_s[row], jobs.nodes[row])
        else:
            start = earliest_fit(profile, jobs.nodes[row], jobs.runtime_s[row])
            take(profile, start, start + jobs.runtime_s[row], jobs.nodes[row])
            _reserve(world, row, start, now)


@compiled
def _backfill(world: _World, now: int) -> None:
    """Start jobs that delay no reservation."""
    jobs, running, queues, tree = world.jobs, world.running, world.queues, world.tree
    accounts, profile, holds = world.accounts, world.profile, world.holds
    slack_s, extra = first_drop(profile)
    listed = list_owners(queues, tree, running.mark[FREE], slack_s, extra)
    if listed > 1:
        for at in range(listed):
            _appraise(world, queues.listed[at], now)
    while listed > 0:
        at = first_listed(queues, accounts, listed)
        owner = queues.listed[at]
        if is_looked_for(queues, owner):
            if not next_candidate(queues, tree, owner, running.mark[FREE], slack_s, extra):
                listed -= 1
                queues.listed[at] = queues.listed[listed]
                continue
            if queues.mark[TIED]:
                continue  # Another job of an equal user may have arrived first.
        row = queues.row[queues.candidate[owner]]
        starts = fits_now(profile, jobs.nodes[row], jobs.runtime_s[row])
        if starts:
            _start(world, row, now)
            take_now(profile, now, jobs.nodes[row], jobs.runtime_s[row], len(holds.row) == 1)
            if running.mark[FREE] == 0:
                return
            slack_s, extra = first_drop(profile)
        if not next_candidate(queues, tree, owner, running.mark[FREE], slack_s, extra):
            listed -= 1
            queues.listed[at] = queues.listed[listed]
        if starts and listed > 1:
            listed = keep_listed(queues, tree, listed, running.mark[FREE], slack_s, extra)


@compiled
def _start(world: _World, row: int, now: int) -> None:
    """Start a job and update its owner's priority."""
    jobs, running, queues, tree = world.jobs, world.running, world.queues, world.tree
    accounts, rules, holds = world.accounts, world.rules, world.holds
    start_row(jobs, running, queues, tree, accounts, rules, row, now)
    for rank in range(holds.mark[CARRIED]):
        if holds.carried_row[rank] == row:
            expect(accounts, jobs, queues.user, row, holds.carried_start_s[rank], -1)
    if queues.waiting[queues.user[row]] > 0:
        _appraise(world, queues.user[row], now)


@compiled
def _reserve_first(world: _World, row: int, now: int) -> None:
    """Give the first reservation to a job that does not fit, and drop the carried reservations."""
    jobs, running, queues = world.jobs, world.running, world.queues
    accounts, profile, holds = world.accounts, world.profile, world.holds
    drop_expected(accounts, queues.user, holds.carried_row, holds.mark[CARRIED])
    for rank in range(holds.mark[CARRIED]):
        _appraise(world, queues.user[holds.carried_row[rank]], now)
    holds.mark[CARRIED] = 0
    is_only = len(holds.row) == 1
    start = draw_first(profile, running, now, jobs.nodes[row], jobs.runtime_s[row], is_only)
    _reserve(world, row, start, now)


@compiled
def _reserve(world: _World, row: int, start: int, now: int) -> None:
    """Give a job the next reservation."""
    jobs, queues, accounts, holds = world.jobs, world.queues, world.accounts, world.holds
    hold(holds, row, start)
    expect(accounts, jobs, queues.user, row, start, 1)
    _appraise(world, queues.user[row], now)
