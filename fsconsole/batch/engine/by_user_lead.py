"""First of the waiting users, found without comparing all of them in each pass.

Until the next window opens, usage only grows, and no entitlement grows faster than the level allows. After a
comparison of all users, the other priorities stay below a straight line over the entitlement per share since
then. While the first user is above that line, the others need not be compared. This is the usual case where
thousands of jobs wait.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from fsconsole.batch.engine.by_user_accounts import (
    DIFFERENCE,
    GROWN_THEN,
    LEAD,
    NEXT,
    RATIO,
    SLOPE,
    Accounts,
    Rules,
    grown_by,
)
from fsconsole.batch.engine.by_user_order import BOUNDLESS, appraise, first_owner
from fsconsole.batch.engine.by_user_queues import JOINED, USERS, Queues
from fsconsole.policies.compiled import compiled

_DOUBT = 1e-9  # This is far above the rounding error of a bound.


@compiled
def can_lead(rules: Rules) -> bool:
    """Return True if the policy's priorities allow a bound on the other users."""
    return bool((rules.form == RATIO or rules.form == DIFFERENCE) and not rules.carries)


@compiled
def leads_still(queues: Queues, accounts: Accounts, rules: Rules, now: int) -> bool:
    """Compute the first user's priority and return whether that user is certain to be still first."""
    lead, bound = accounts.mark[LEAD], accounts.bound
    if lead < 0 or queues.waiting[lead] == 0:
        return False
    appraise(accounts, rules, lead, now)
    value = accounts.value[lead]
    if value == BOUNDLESS:
        return True  # Other users without usage have first jobs that arrived later.
    if queues.mark[JOINED]:
        return False
    grown = grown_by(accounts, rules.grains, now) - bound[GROWN_THEN]
    against = bound[NEXT] + bound[SLOPE] * grown
    return value - against > _DOUBT * (abs(value) + abs(against))


@compiled
def find_lead(queues: Queues, accounts: Accounts, rules: Rules, now: int) -> int:
    """Return the first user from all priorities, and store the bound on the others."""
    lead = first_owner(queues, accounts)
    following, slope = -BOUNDLESS, 0.0
    for at in range(queues.mark[USERS]):
        owner = queues.line[at]
        if owner != lead:
            following = max(following, accounts.value[owner])
            used = accounts.under[owner]
            slope = max(slope, accounts.share[owner] / used if used > 0 else BOUNDLESS)
    accounts.mark[LEAD], queues.mark[JOINED] = lead, 0
    bound = accounts.bound
    bound[GROWN_THEN], bound[NEXT], bound[SLOPE] = grown_by(accounts, rules.grains, now), following, slope
    return lead
