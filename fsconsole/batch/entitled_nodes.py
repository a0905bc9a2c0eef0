"""How many nodes each user is entitled to at a moment (Vasupongayya, section III-C, measure 1).

This is the rule as the paper says it. The compiled loops look for the level that it comes to: nodes a share
that all get who are not capped (`engine/by_user_accounts.py` in grains, `measures/water_level.py` in real
numbers).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction


def entitled_nodes(
    cluster_nodes: int, shares: Sequence[int | Fraction], requested: Mapping[int, int]
) -> dict[int, int | Fraction]:
    """Entitled nodes of each active user, exact.

    Users are active who request anything (the nodes of their waiting and running jobs). Each gets nodes by
    shares among the active, but no more than requested; those who are capped settle together, the others
    share what is left by the same rule, again and again. What nobody can use stays unused.

    Args:
        cluster_nodes: nodes of the machine.
        shares: shares of each user, above 0, [users].
        requested: nodes that active users request, above 0, by number of the user.
    """
    entitled: dict[int, int | Fraction] = {}
    left, still_open = cluster_nodes, dict(requested)
    while still_open:
        open_shares = sum(shares[user] for user in still_open)
        capped = [user for user, nodes in still_open.items() if left * shares[user] >= nodes * open_shares]
        if not capped:
            return entitled | {user: Fraction(left * shares[user], open_shares) for user in still_open}
        for user in capped:
            entitled[user] = still_open.pop(user)
            left -= requested[user]
    return entitled
