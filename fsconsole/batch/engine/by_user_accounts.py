"""Usage and entitlements of users within a fair-share window, updated by compiled loops.

The results equal those of `reference_usage.py`. Usage is not added up from event to event. The stored usage
is that at the close of the window, if the running jobs continue. It changes only when a job starts and when a
window opens. The part that lies in the future follows from two sums over the user's running jobs: nodes *
end, and nodes.

Entitlements change as jobs arrive and end. Rule 7 defines a level in nodes per share: each user gets level *
shares or the requested nodes, whichever is less, and all nodes are distributed. Newton's iteration finds the
level from the previous one, mostly in two rounds over the active users. The level is stored as two numbers:
the nodes left by capped users, and the shares of the others. If a user requests more than the level gives
before and after a change, all entitlements stay as they are. This holds for most waiting users where
thousands of jobs wait. Entitlements are added up only where they change.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fsconsole.batch.engine.columns import Columns
from fsconsole.batch.engine.running import COUNT, Running
from fsconsole.batch.integer_units import grains_in_node_second, whole_shares, whole_weights
from fsconsole.batch.job_table import Floats, Ints, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.policies.compiled import compiled

RATIO, DIFFERENCE, UPPER, LOWER, WEIGHTED = range(5)

# `Accounts.mark` has these entries: the second up to which entitlements are added up, start and close of the
# window, number of active users, sum of requested nodes, whether entitlements must be recalculated, the level
# as nodes and shares, whether the level applies (otherwise all users get their requests), nodes of the
# machine, and the first of the waiting users, -1 if unknown.
CLOCK, OPEN, CLOSE, ACTIVE, REQUESTED, STALE, LEFT, OPEN_SHARES, IS_LEVEL, NODES, LEAD = range(11)
# `Accounts.bound` has these entries: largest possible growth of an entitlement in grains per share; that
# growth when the first user was found; the highest priority of the others then; its largest rise with each
# such grain.
GROWN, GROWN_THEN, NEXT, SLOPE = range(4)


class Rules(NamedTuple):
    """Policy as numbers, because compiled loops cannot read a `BatchPolicy`."""

    form: int
    expects: bool
    carries: bool
    window_s: int
    origin_s: int
    boundary_passes: bool
    decay: float
    cluster_nodes: int
    grains: int
    for_used: int
    for_running: int
    for_slots: int


class Accounts(NamedTuple):
    """State of all users; int64 [users] except for the last three.

    Attributes:
        share: shares as whole numbers.
        requested: nodes of waiting and running jobs.
        rate: nodes of running jobs.
        ending: sum of nodes * end over running jobs; an end after the window's close counts as the close.
        begun: sum of nodes * start over running jobs.
        used: grains used by the window's close by all jobs that have started so far.
        entitled: grains of entitlement up to `mark[CLOCK]`.
        offered: grains per second of active users.
        held: node-seconds expected of reserved jobs.
        held_nodes: nodes of reserved jobs.
        active: users with requests, the first `mark[ACTIVE]` entries.
        spot: position of each active user in `active`.
        over, under: numerators and denominators of the priorities.
        mark: scalars; see the constants above.
        value: priorities as rounded ratios, float64 [users].
        bound: limits on the priorities of all users but the first.
    """

    share: Ints
    requested: Ints
    rate: Ints
    ending: Ints
    begun: Ints
    used: Ints
    entitled: Ints
    offered: Ints
    held: Ints
    held_nodes: Ints
    active: Ints
    spot: Ints
    over: Ints
    under: Ints
    mark: Ints
    value: Floats
    bound: Floats


def rules_of(jobs: JobTable, cluster_nodes: int, policy: BatchPolicy) -> Rules:
    """Return the policy as numbers.

    Replace `form`, `carries` and `boundary_passes` for a policy that is not by user.
    """
    ratio = DIFFERENCE if policy.form == "difference" else RATIO
    form = {"upper": UPPER, "lower": LOWER, "weighted": WEIGHTED}.get(policy.order, ratio)
    return Rules(
        form,
        policy.expected_usage,
        policy.carry_reservation,
        policy.window_s,
        policy.origin_s,
        policy.boundary_passes,
        policy.decay,
        cluster_nodes,
        grains_in_node_second(jobs, cluster_nodes, policy),
        *whole_weights(policy.weights),
    )


def accounts_of(rules: Rules, shares: Floats) -> Accounts:
    """Return accounts without usage for `shares` [users], in the window that contains second 0."""
    whole = whole_shares(shares)
    columns = np.zeros((13, len(whole)), dtype=np.int64)
    mark = np.zeros(11, dtype=np.int64)
    mark[NODES], mark[LEAD] = rules.cluster_nodes, -1
    mark[CLOCK] = mark[OPEN] = rules.origin_s + -rules.origin_s // rules.window_s * rules.window_s
    mark[CLOSE] = mark[OPEN] + rules.window_s
    mark[OPEN_SHARES] = 1
    return Accounts._make([whole, *columns, mark, np.zeros(len(whole)), np.zeros(4)])


def no_accounts(owners: int) -> Accounts:
    """Return accounts that hold only priorities, for policies that are not by user."""
    mark = np.zeros(11, dtype=np.int64)
    over, under = np.ones((2, owners), dtype=np.int64)
    nothing = np.zeros(0, dtype=np.int64)
    return Accounts._make([*([nothing] * 12), over, under, mark, np.ones(owners), np.zeros(4)])


@compiled
def has_accounts(accounts: Accounts) -> bool:
    """Return True if owners have accounts; policies that are not by user do without them."""
    return len(accounts.used) > 0


@compiled
def request(accounts: Accounts, rules: Rules, user: int, nodes: int, now: int) -> None:
    """Add nodes to a user's request; negative nodes reduce it."""
    if not has_accounts(accounts):
        return
    mark = accounts.mark
    was = accounts.requested[user]
    if mark[STALE] == 0:
        is_as_before = mark[IS_LEVEL] and not _is_capped(accounts, user)
        accounts.requested[user] = was + nodes
        if not (is_as_before and not _is_capped(accounts, user)):
            _accrue(accounts, rules, now)
            mark[STALE] = 1
    accounts.requested[user] = was + nodes
    mark[REQUESTED] += nodes
    if was == 0:
        accounts.active[mark[ACTIVE]] = user
        accounts.spot[user] = mark[ACTIVE]
        mark[ACTIVE] += 1
    elif was + nodes == 0:
        mark[ACTIVE] -= 1
        other = accounts.active[mark[ACTIVE]]
        accounts.active[accounts.spot[user]] = other
        accounts.spot[other] = accounts.spot[user]
        accounts.offered[user] = 0


@compiled
def account_end(accounts: Accounts, rules: Rules, user: int, nodes: int, begun: int, now: int) -> None:
    """Account for the end of a user's job. Call `advance` up to `now` first."""
    if not has_accounts(accounts):
        return
    request(accounts, rules, user, -nodes, now)
    accounts.rate[user] -= nodes
    accounts.ending[user] -= nodes * now
    accounts.begun[user] -= nodes * begun


@compiled
def account_start(accounts: Accounts, rules: Rules, user: int, nodes: int, end: int, now: int) -> None:
    """Account for the start of a user's job. Call `advance` up to `now` first."""
    if not has_accounts(accounts):
        return
    until = min(end, accounts.mark[CLOSE])
    accounts.rate[user] += nodes
    accounts.ending[user] += nodes * until
    accounts.begun[user] += nodes * now
    accounts.used[user] += rules.grains * nodes * (until - now)


@compiled
def advance(accounts: Accounts, rules: Rules, user: Ints, running: Running, now: int) -> None:
    """Recalculate stale entitlements and open all windows up to `now`, before other changes at `now`."""
    mark = accounts.mark
    if mark[STALE] and mark[CLOCK] < now:
        _entitle(accounts, rules.grains)
        mark[STALE] = 0
    while now >= mark[CLOSE]:
        _accrue(accounts, rules, mark[CLOSE])
        _open_window(accounts, rules, user, running, now)


@compiled
def entitled_by(accounts: Accounts, user: int, now: int) -> int:
    """Return the grains that an active user is entitled to by `now`."""
    return accounts.entitled[user] + accounts.offered[user] * (now - accounts.mark[CLOCK])


@compiled
def _accrue(accounts: Accounts, rules: Rules, until: int) -> None:
    mark, entitled, offered = accounts.mark, accounts.entitled, accounts.offered
    length = until - mark[CLOCK]
    accounts.bound[GROWN] = grown_by(accounts, rules.grains, until)
    mark[CLOCK] = until
    for at in range(mark[ACTIVE]):
        user = accounts.active[at]
        entitled[user] += offered[user] * length


@compiled
def grown_by(accounts: Accounts, grains: int, moment: int) -> float:
    """Return the largest possible growth of an entitlement by a moment, in grains per share."""
    mark = accounts.mark
    level = mark[LEFT] / mark[OPEN_SHARES] if mark[IS_LEVEL] else float(mark[NODES])
    # An entitlement is rounded to the next whole grain a second.
    return accounts.bound[GROWN] + (grains * level + 1.0) * (moment - mark[CLOCK])


@compiled
def _open_window(accounts: Accounts, rules: Rules, user: Ints, running: Running, now: int) -> None:
    """Open the next window; with a decay of 0, open the window that contains `now`."""
    mark, length = accounts.mark, rules.window_s
    mark[LEAD] = -1
    if rules.decay == 0.0:
        mark[OPEN] = rules.origin_s + (now - rules.origin_s) // length * length
    else:
        mark[OPEN] = mark[CLOSE]
    mark[CLOCK], mark[CLOSE] = mark[OPEN], mark[OPEN] + length
    for one in range(len(accounts.used)):
        accounts.used[one] = np.int64(np.floor(rules.decay * accounts.used[one] + 0.5))
        accounts.entitled[one] = np.int64(np.floor(rules.decay * accounts.entitled[one] + 0.5))
        accounts.ending[one] = 0
    for at in range(running.mark[COUNT]):
        owner, nodes = user[running.row[at]], running.nodes[at]
        until = min(running.end_s[at], mark[CLOSE])
        accounts.ending[owner] += nodes * until
        accounts.used[owner] += rules.grains * nodes * (until - mark[OPEN])


@compiled
def _entitle(accounts: Accounts, grains: int) -> None:
    """Recalculate the entitlements of active users, in grains per second."""
    mark = accounts.mark
    mark[IS_LEVEL] = mark[REQUESTED] > mark[NODES]
    if not mark[IS_LEVEL]:
        for at in range(mark[ACTIVE]):
            user = accounts.active[at]
            accounts.offered[user] = grains * accounts.requested[user]
        return
    while True:
        capped, shares = _divided(accounts)
        left = mark[NODES] - capped
        if shares > 0 and left * mark[OPEN_SHARES] == mark[LEFT] * shares:
            break
        # A level that caps all users makes `left` negative. The next round then caps none of them.
        mark[LEFT], mark[OPEN_SHARES] = left, max(shares, 1)
    _offer(accounts, grains)


@compiled
def _is_capped(accounts: Accounts, user: int) -> bool:
    """Return True if a user requests no more than the level gives.

    A user who requests more than all nodes is never capped.
    """
    mark = accounts.mark
    requested = min(accounts.requested[user], mark[NODES] + 1)
    return bool(requested * mark[OPEN_SHARES] <= mark[LEFT] * accounts.share[user])


@compiled
def _divided(accounts: Accounts) -> tuple[int, int]:
    """Return the nodes requested by capped users and the shares of the others, at the present level."""
    capped = shares = 0
    for at in range(accounts.mark[ACTIVE]):
        user = accounts.active[at]
        if _is_capped(accounts, user):
            capped += accounts.requested[user]
        else:
            shares += accounts.share[user]
    return capped, shares


@compiled
def _offer(accounts: Accounts, grains: int) -> None:
    """Set the entitlements of active users to those at the present level."""
    left, shares = grains * accounts.mark[LEFT], accounts.mark[OPEN_SHARES]
    whole = left // shares
    rest = left - whole * shares
    # Many users have equal shares, so the previous result is kept.
    share = offered = 0
    for at in range(accounts.mark[ACTIVE]):
        user = accounts.active[at]
        if _is_capped(accounts, user):
            accounts.offered[user] = grains * accounts.requested[user]
            continue
        if accounts.share[user] != share:
            share = accounts.share[user]
            offered = whole * share + (rest * share + shares // 2) // shares
        accounts.offered[user] = offered


@compiled
def expect(accounts: Accounts, jobs: Columns, user: Ints, row: int, start: int, times: int) -> None:
    """Add a reserved job's use within the window to the expected usage; `times` of -1 removes it.

    A reservation never begins in the past: at its start the job fits, and a pass gives a new reservation.
    """
    if not has_accounts(accounts):
        return
    overlap = min(start + jobs.runtime_s[row], accounts.mark[CLOSE]) - start
    accounts.held[user[row]] += times * jobs.nodes[row] * max(overlap, 0)
    accounts.held_nodes[user[row]] += times * jobs.nodes[row]


@compiled
def drop_expected(accounts: Accounts, user: Ints, rows: Ints, many: int) -> None:
    """Remove all expected usage of the owners of the first `many` jobs in `rows`."""
    if has_accounts(accounts):
        for rank in range(many):
            owner = user[rows[rank]]
            accounts.held[owner] = accounts.held_nodes[owner] = 0
