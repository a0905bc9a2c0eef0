"""What users use and are entitled to in a window, kept by compiled loops; equal to `reference_usage.py`.

Usage needs no adding up from event to event. What a user will have used at the close of the window, once
all has run that runs now, changes only when a job starts and when a window opens; what is still to come of
it is known from the sums over the user's running jobs of nodes * end and nodes.

Entitlements change at every arrival and completion. By rule 7 there is a level, nodes for each share, such
that everybody gets level * shares or what is requested, whichever is less, and all nodes are given. It is
found by Newton's iteration from the last level, mostly in two rounds over the active users. The level is
kept as nodes left by those who are capped over the shares of those who are not.
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
# requested, whether that has changed, and the level (nodes, shares).
CLOCK, OPEN, CLOSE, ACTIVE, REQUESTED, STALE, LEFT, OPEN_SHARES = range(8)


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
    bound_s: int
    printed_bound_s: int


class Accounts(NamedTuple):
    """What is known of users; all int64 [users] but the last two.

    Attributes:
        share: whole shares.
        requested: nodes of waiting and running jobs.
        rate: nodes of running jobs.
        ending: sum of nodes * end over running jobs, ends counted up to the window's close.
        begun: sum of nodes * start over running jobs.
        used: grains that will have been used at the close by what has started so far.
        entitled: grains.
        offered: grains a second of active users.
        held: node-seconds expected of reserved jobs.
        held_nodes: nodes of reserved jobs.
        active: users who request anything, the first `mark[ACTIVE]`.
        spot: where an active user stands there.
        over, under: what priorities are the ratio of.
        mark: the rest.
        value: these ratios, rounded, float64 [users].
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


def rules_of(jobs: JobTable, cluster_nodes: int, policy: BatchPolicy) -> Rules:
    """The policy in numbers; those of a policy that is not by user are not to be used."""
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
        policy.lxf_bound_s,
        policy.lxf_printed_bound_s,
    )


def accounts_of(rules: Rules, shares: Floats) -> Accounts:
    """Accounts of users who have done nothing, at the start of the window of second 0."""
    whole = whole_shares(shares)
    columns = np.zeros((13, len(whole)), dtype=np.int64)
    mark = np.zeros(8, dtype=np.int64)
    mark[CLOCK] = mark[OPEN] = rules.origin_s + -rules.origin_s // rules.window_s * rules.window_s
    mark[CLOSE] = mark[OPEN] + rules.window_s
    mark[OPEN_SHARES] = 1
    return Accounts._make([whole, *columns, mark, np.zeros(len(whole))])


def no_accounts(owners: int) -> Accounts:
    """Room for priorities alone, where owners have no accounts: nothing is added to them."""
    mark = np.zeros(8, dtype=np.int64)
    over, under = np.ones((2, owners), dtype=np.int64)
    nothing = np.zeros(0, dtype=np.int64)
    return Accounts._make([*([nothing] * 12), over, under, mark, np.ones(owners)])


@compiled
def has_accounts(accounts: Accounts) -> bool:
    """Whether owners have accounts; where jobs do not go by them, nothing is kept."""
    return len(accounts.used) > 0


@compiled
def request(accounts: Accounts, user: int, nodes: int) -> None:
    """A user requests more, or, below 0, less."""
    if not has_accounts(accounts):
        return
    mark = accounts.mark
    was = accounts.requested[user]
    accounts.requested[user] = was + nodes
    mark[REQUESTED] += nodes
    mark[STALE] = 1
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
def account_end(accounts: Accounts, user: int, nodes: int, begun: int, now: int) -> None:
    """A job of a user has ended now; all is accounted until then."""
    if not has_accounts(accounts):
        return
    request(accounts, user, -nodes)
    accounts.rate[user] -= nodes
    accounts.ending[user] -= nodes * now
    accounts.begun[user] -= nodes * begun


@compiled
def account_start(accounts: Accounts, rules: Rules, user: int, nodes: int, end: int, now: int) -> None:
    """A job of a user starts."""
    if not has_accounts(accounts):
        return
    until = min(end, accounts.mark[CLOSE])
    accounts.rate[user] += nodes
    accounts.ending[user] += nodes * until
    accounts.begun[user] += nodes * now
    accounts.used[user] += rules.grains * nodes * (until - now)


@compiled
def advance(accounts: Accounts, rules: Rules, user: Ints, running: Running, now: int) -> None:
    """Account all until now; before anything changes."""
    mark = accounts.mark
    if mark[CLOCK] == now:
        return
    if mark[STALE]:
        _entitle(accounts, rules)
        mark[STALE] = 0
    while now >= mark[CLOSE]:
        _accrue(accounts, mark[CLOSE])
        _open_window(accounts, rules, user, running, now)
    _accrue(accounts, now)


@compiled
def _accrue(accounts: Accounts, until: int) -> None:
    mark, entitled, offered = accounts.mark, accounts.entitled, accounts.offered
    length = until - mark[CLOCK]
    mark[CLOCK] = until
    for at in range(mark[ACTIVE]):
        user = accounts.active[at]
        entitled[user] += offered[user] * length


@compiled
def _open_window(accounts: Accounts, rules: Rules, user: Ints, running: Running, now: int) -> None:
    """The next window opens, or, where nothing is carried over, at once that in which `now` lies."""
    mark, length = accounts.mark, rules.window_s
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
def _entitle(accounts: Accounts, rules: Rules) -> None:
    """Entitlements of active users from now on, in grains a second."""
    mark, nodes = accounts.mark, rules.cluster_nodes
    if mark[REQUESTED] <= nodes:
        for at in range(mark[ACTIVE]):
            user = accounts.active[at]
            accounts.offered[user] = rules.grains * accounts.requested[user]
        return
    while True:
        capped, shares = _divided(accounts, nodes)
        left = nodes - capped
        if shares > 0 and left * mark[OPEN_SHARES] == mark[LEFT] * shares:
            break
        # Where the level was so high that all were capped, what is left is below 0, and next nobody is.
        mark[LEFT], mark[OPEN_SHARES] = left, max(shares, 1)
    _offer(accounts, rules.grains, nodes)


@compiled
def _is_capped(accounts: Accounts, user: int, nodes: int) -> bool:
    """Whether a user requests no more than the level gives; who requests more than all nodes never is."""
    requested = min(accounts.requested[user], nodes + 1)
    return bool(requested * accounts.mark[OPEN_SHARES] <= accounts.mark[LEFT] * accounts.share[user])


@compiled
def _divided(accounts: Accounts, nodes: int) -> tuple[int, int]:
    """At the present level: what those request who are capped, and the shares of the others."""
    capped = shares = 0
    for at in range(accounts.mark[ACTIVE]):
        user = accounts.active[at]
        if _is_capped(accounts, user, nodes):
            capped += accounts.requested[user]
        else:
            shares += accounts.share[user]
    return capped, shares


@compiled
def _offer(accounts: Accounts, grains: int, nodes: int) -> None:
    """Entitlements at the present level."""
    left, shares = grains * accounts.mark[LEFT], accounts.mark[OPEN_SHARES]
    whole = left // shares
    rest = left - whole * shares
    for at in range(accounts.mark[ACTIVE]):
        user = accounts.active[at]
        share = accounts.share[user]
        if _is_capped(accounts, user, nodes):
            accounts.offered[user] = grains * accounts.requested[user]
        else:
            accounts.offered[user] = whole * share + (rest * share + shares // 2) // shares


@compiled
def expect(accounts: Accounts, jobs: Columns, user: Ints, row: int, start: int, times: int) -> None:
    """A reserved job is expected to use its part that lies in the window; no longer, with `times` -1.

    No reservation begins in the past: at its start the job fits, and a pass gives a new one.
    """
    if not has_accounts(accounts):
        return
    overlap = min(start + jobs.runtime_s[row], accounts.mark[CLOSE]) - start
    accounts.held[user[row]] += times * jobs.nodes[row] * max(overlap, 0)
    accounts.held_nodes[user[row]] += times * jobs.nodes[row]


@compiled
def drop_expected(accounts: Accounts, user: Ints, rows: Ints, many: int) -> None:
    """The owners of the first so many jobs are not expected to use what was reserved."""
    if has_accounts(accounts):
        for rank in range(many):
            owner = user[rows[rank]]
            accounts.held[owner] = accounts.held_nodes[owner] = 0
