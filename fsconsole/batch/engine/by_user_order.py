"""Order of users: priorities as ratios of whole numbers, compared without rounding."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from fsconsole.batch.engine.by_user_accounts import (
    DIFFERENCE,
    LOWER,
    RATIO,
    UPPER,
    Accounts,
    Rules,
    entitled_by,
)
from fsconsole.batch.engine.by_user_queues import TIED, USERS, Queues
from fsconsole.policies.compiled import compiled

BOUNDLESS = 1e300
# Rounding does not change the order of two ratios with a larger relative difference.
_ROUNDING = 1e-14
_HOUR_S = 3600
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@compiled
def appraise(accounts: Accounts, rules: Rules, user: int, now: int) -> None:
    """Compute a user's priority. Call `advance` up to `now` first."""
    entitled, used = entitled_by(accounts, user, now), accounts.used[user]
    if not rules.expects:
        used -= rules.grains * (accounts.ending[user] - accounts.rate[user] * now)
    elif rules.form <= LOWER:
        used += rules.grains * accounts.held[user]
    if rules.form == RATIO:
        over, under = (entitled, used) if used > 0 else (1, 0)
    elif rules.form == DIFFERENCE:
        over, under = entitled - used, 1
    elif rules.form == UPPER:
        over, under = -int(used > entitled), 1
    elif rules.form == LOWER:
        over, under = int(used < entitled), 1
    else:
        under = _weighted(accounts, rules, user, now)
        over = accounts.share[user] if under > 0 else 1
    accounts.over[user], accounts.under[user] = over, under
    accounts.value[user] = over / under if under > 0 else BOUNDLESS


@compiled
def _weighted(accounts: Accounts, rules: Rules, user: int, now: int) -> int:
    """Return LSF's weighted usage, in grains times 3600.

    It counts node-hours used and running, and nodes in use and reserved.
    """
    rate = accounts.rate[user]
    used = accounts.used[user] - rules.grains * (accounts.ending[user] - rate * now)
    running = rate * now - accounts.begun[user]
    slots = 1 + rate
    if rules.expects:
        slots += accounts.held_nodes[user]
    known = rules.for_running * running + rules.for_slots * _HOUR_S * slots
    return rules.for_used * used + rules.grains * known


@compiled
def compared(accounts: Accounts, one: int, other: int) -> int:
    """Compare two users' priorities; return 1, 0 or -1 if the first is higher, equal or lower."""
    value, against = accounts.value[one], accounts.value[other]
    doubt = _ROUNDING * (abs(value) + abs(against))
    if value - against > doubt:
        return 1
    if against - value > doubt:
        return -1
    over, under = accounts.over[one], accounts.under[one]
    if under == accounts.under[other]:
        return int(over > accounts.over[other]) - int(over < accounts.over[other])
    return _compare_products(over, accounts.under[other], accounts.over[other], under)


@compiled
def _compare_products(first: int, second: int, third: int, fourth: int) -> int:
    """Return the sign of first * second - third * fourth.

    All factors are at least 0, and products may have 126 bits.
    """
    high, low = _product(np.uint64(first), np.uint64(second))
    against_high, against_low = _product(np.uint64(third), np.uint64(fourth))
    if high != against_high:
        return 1 if high > against_high else -1
    return int(low > against_low) - int(low < against_low)


@compiled
def _product(one: np.uint64, other: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the upper and the lower 64 bits of a product."""
    one_high, one_low = one >> _HALF, one & _LOW
    other_high, other_low = other >> _HALF, other & _LOW
    lowest = one_low * other_low
    middle = one_high * other_low + (lowest >> _HALF)
    second = one_low * other_high + (middle & _LOW)
    high = one_high * other_high + (middle >> _HALF) + (second >> _HALF)
    return high, (second << _HALF) | (lowest & _LOW)


@compiled
def first_owner(queues: Queues, accounts: Accounts) -> int:
    """Return the owner with the highest priority.

    Among equal owners, the one whose first waiting job arrived first wins.
    """
    best = queues.line[0]
    for at in range(1, queues.mark[USERS]):
        owner = queues.line[at]
        order = compared(accounts, owner, best)
        if order > 0 or (order == 0 and queues.row[queues.head[owner]] < queues.row[queues.head[best]]):
            best = owner
    return best


@compiled
def first_listed(queues: Queues, accounts: Accounts, listed: int) -> int:
    """Return the position of the listed owner whose candidate is examined first.

    A candidate that has not been searched yet counts as the owner's first job, which arrived no later.
    `mark[TIED]` records whether another owner has the same priority.
    """
    owners, value = queues.listed, accounts.value
    highest = value[owners[0]]
    for at in range(1, listed):
        highest = max(highest, value[owners[at]])
    doubtful = highest - 4 * _ROUNDING * abs(highest)
    best_at, best, is_tied = -1, -1, False
    for at in range(listed):
        user = owners[at]
        if value[user] < doubtful:
            continue
        order = 1
        if best_at >= 0:
            order = 0 if highest == BOUNDLESS else compared(accounts, user, best)
            is_tied = order == 0 or (is_tied and order < 0)
            if order == 0:
                order = _row_of_candidate(queues, best) - _row_of_candidate(queues, user)
        if order > 0:
            best_at, best = at, user
    queues.mark[TIED] = is_tied
    return best_at


@compiled
def _row_of_candidate(queues: Queues, owner: int) -> int:
    return queues.row[max(queues.candidate[owner], queues.head[owner])]
