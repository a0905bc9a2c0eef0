"""Who is first of those who wait, without looking at all of them at each pass.

Until usage is counted again as a window opens, what is used by the close of a window, or so far, only grows,
and no entitlement grows faster than the level of all allows. So of those who were not first when all were
looked at, none can have come further than a straight line over what a share was entitled to since. As long as
who was first is above it, who waits need not be looked at one by one; that is most of the time where
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

_DOUBT = 1e-9  # much more than rounding can make of a bound


@compiled
def can_lead(rules: Rules) -> bool:
    """Return whether priorities are such that others can be bounded."""
    return bool((rules.form == RATIO or rules.form == DIFFERENCE) and not rules.carries)


@compiled
def leads_still(queues: Queues, accounts: Accounts, rules: Rules, now: int) -> bool:
    """Return whether who was first is certain to be first now; the priority of that owner is computed."""
    lead, bound = accounts.mark[LEAD], accounts.bound
    if lead < 0 or queues.waiting[lead] == 0:
        return False
    appraise(accounts, rules, lead, now)
    value = accounts.value[lead]
    if value == BOUNDLESS:
        return True  # others who have used nothing have come later, and still have
    if queues.mark[JOINED]:
        return False
    grown = grown_by(accounts, rules.grains, now) - bound[GROWN_THEN]
    against = bound[NEXT] + bound[SLOPE] * grown
    return value - against > _DOUBT * (abs(value) + abs(against))


@compiled
def find_lead(queues: Queues, accounts: Accounts, rules: Rules, now: int) -> int:
    """Who is first, by the priorities of all who wait; and how far others are behind."""
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
