"""What users use and are entitled to in a window, kept by compiled loops; equal to `reference_usage.py`.

Usage needs no adding up from event to event. What a user will have used at the close of the window, once
all has run that runs now, changes only when a job starts and when a window opens; what is still to come of
it is known from the sums over the user's running jobs of nodes * end and nodes.

Entitlements change as jobs arrive and end. By rule 7 there is a level, nodes for each share, such that
everybody gets level * shares or what is requested, whichever is less, and all nodes are given. It is found by
Newton's iteration from the last level, mostly in two rounds over the active users. The level is kept as nodes
left by those who are capped over the shares of those who are not. Who requests more than that before and
after a change leaves all entitlements as they are: so it is with most who wait where thousands do. What is
entitled is added up only where it changes.
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

# Of `Accounts.mark`: until when all is accounted, the window, how many users are active, all that is
# requested, whether entitlements have to be found again, the level (nodes, shares), whether it holds (else
# all get what they request), the nodes of the machine, and who was first of those who wait, -1 if not known.
CLOCK, OPEN, CLOSE, ACTIVE, REQUESTED, STALE, LEFT, OPEN_SHARES, IS_LEVEL, NODES, LEAD = range(11)
# Of `Accounts.bound`: by how many grains a share entitlements can have grown at most; that when the first
# was found; the highest priority of the others then; how much theirs can rise at most with each such grain.
GROWN, GROWN_THEN, NEXT, SLOPE = range(4)


class Rules(NamedTuple):
    """A policy in numbers."""

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
    """What is known of users; all int64 [users] but the last three.

    Attributes:
        share: whole shares.
        requested: nodes of waiting and running jobs.
        rate: nodes of running jobs.
        ending: sum of nodes * end over running jobs, ends counted up to the window's close.
        begun: sum of nodes * start over running jobs.
        used: grains that will have been used at the close by what has started so far.
        entitled: grains, until the clock.
        offered: grains a second of active users.
        held: node-seconds expected of reserved jobs.
        held_nodes: nodes of reserved jobs.
        active: users who request anything, the first `mark[ACTIVE]`.
        spot: where an active user stands there.
        over, under: what priorities are the ratio of.
        mark: the rest.
        value: these ratios, rounded, float64 [users].
        bound: what keeps the others from being first.
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
    """Return the policy in numbers; those of a policy that is not by user are not to be used."""
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
    """Return accounts of users who have done nothing, with `shares` [users], at the start of the window of
    second 0.
    """
    whole = whole_shares(shares)
    columns = np.zeros((13, len(whole)), dtype=np.int64)
    mark = np.zeros(11, dtype=np.int64)
    mark[NODES], mark[LEAD] = rules.cluster_nodes, -1
    mark[CLOCK] = mark[OPEN] = rules.origin_s + -rules.origin_s // rules.window_s * rules.window_s
    mark[CLOSE] = mark[OPEN] + rules.window_s
    mark[OPEN_SHARES] = 1
    return Accounts._make([whole, *columns, mark, np.zeros(len(whole)), np.zeros(4)])


def no_accounts(owners: int) -> Accounts:
    """Room for priorities alone, where owners have no accounts: nothing is added to them."""
    mark = np.zeros(11, dtype=np.int64)
    over, under = np.ones((2, owners), dtype=np.int64)
    nothing = np.zeros(0, dtype=np.int64)
    return Accounts._make([*([nothing] * 12), over, under, mark, np.ones(owners), np.zeros(4)])


@compiled
def has_accounts(accounts: Accounts) -> bool:
    """Return whether owners have accounts; where jobs do not go by them, nothing is kept."""
    return len(accounts.used) > 0


@compiled
def request(accounts: Accounts, rules: Rules, user: int, nodes: int, now: int) -> None:
    """Count what a user requests more, or, below 0, less."""
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
    """Account the end of a user's job; all is accounted until then."""
    if not has_accounts(accounts):
        return
    request(accounts, rules, user, -nodes, now)
    accounts.rate[user] -= nodes
    accounts.ending[user] -= nodes * now
    accounts.begun[user] -= nodes * begun


@compiled
def account_start(accounts: Accounts, rules: Rules, user: int, nodes: int, end: int, now: int) -> None:
    """Account the start of a user's job."""
    if not has_accounts(accounts):
        return
    until = min(end, accounts.mark[CLOSE])
    accounts.rate[user] += nodes
    accounts.ending[user] += nodes * until
    accounts.begun[user] += nodes * now
    accounts.used[user] += rules.grains * nodes * (until - now)


@compiled
def advance(accounts: Accounts, rules: Rules, user: Ints, running: Running, now: int) -> None:
    """Account all that changes by itself until now; before anything else changes."""
    mark = accounts.mark
    if mark[STALE] and mark[CLOCK] < now:
        _entitle(accounts, rules.grains)
        mark[STALE] = 0
    while now >= mark[CLOSE]:
        _accrue(accounts, rules, mark[CLOSE])
        _open_window(accounts, rules, user, running, now)


@compiled
def entitled_by(accounts: Accounts, user: int, now: int) -> int:
    """Grains that an active user is entitled to by now."""
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
    """By how many grains a share any entitlement can have grown by a moment."""
    mark = accounts.mark
    level = mark[LEFT] / mark[OPEN_SHARES] if mark[IS_LEVEL] else float(mark[NODES])
    # An entitlement is rounded to the next whole grain a second.
    return accounts.bound[GROWN] + (grains * level + 1.0) * (moment - mark[CLOCK])


@compiled
def _open_window(accounts: Accounts, rules: Rules, user: Ints, running: Running, now: int) -> None:
    """Open the next window, or, where nothing is carried over, at once that in which `now` lies."""
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
    """Entitlements of active users from now on, in grains a second."""
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
        # Where the level was so high that all were capped, what is left is below 0, and next nobody is.
        mark[LEFT], mark[OPEN_SHARES] = left, max(shares, 1)
    _offer(accounts, grains)


@compiled
def _is_capped(accounts: Accounts, user: int) -> bool:
    """Return whether a user requests no more than the level gives; who requests more than all nodes never
    is.
    """
    mark = accounts.mark
    requested = min(accounts.requested[user], mark[NODES] + 1)
    return bool(requested * mark[OPEN_SHARES] <= mark[LEFT] * accounts.share[user])


@compiled
def _divided(accounts: Accounts) -> tuple[int, int]:
    """At the present level: what those request who are capped, and the shares of the others."""
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
    """Entitlements at the present level."""
    left, shares = grains * accounts.mark[LEFT], accounts.mark[OPEN_SHARES]
    whole = left // shares
    rest = left - whole * shares
    share = offered = 0  # of the last one: many users have equal shares
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
    """Expect a reserved job to use its part that lies in the window; no longer, with `times` -1.

    No reservation begins in the past: at its start the job fits, and a pass gives a new one.
    """
    if not has_accounts(accounts):
        return
    overlap = min(start + jobs.runtime_s[row], accounts.mark[CLOSE]) - start
    accounts.held[user[row]] += times * jobs.nodes[row] * max(overlap, 0)
    accounts.held_nodes[user[row]] += times * jobs.nodes[row]


@compiled
def drop_expected(accounts: Accounts, user: Ints, rows: Ints, many: int) -> None:
    """Expect no more that the owners of the first so many jobs use what was reserved."""
    if has_accounts(accounts):
        for rank in range(many):
            owner = user[rows[rank]]
            accounts.held[owner] = accounts.held_nodes[owner] = 0
