"""How many nodes each user is entitled to at a moment (Vasupongayya, section III-C, measure 1)."""

from __future__ import annotations

import numpy as np

from fsconsole.batch.job_table import Floats


def entitled_nodes(cluster_nodes: int, shares: Floats, requested: Floats) -> Floats:
    """Entitled nodes, real numbers, float64 [users].

    Users are active who request anything (the nodes of their waiting and running jobs). Each gets nodes by
    shares among the active, but no more than requested; those who are capped settle together, the others
    share what is left by the same rule, again and again. What nobody can use stays unused.

    Args:
        cluster_nodes: nodes of the machine.
        shares: shares of each user, above 0, [users].
        requested: requested nodes of each user, 0 for inactive ones, [users].
    """
    entitled = np.zeros(len(shares))
    open_users = np.flatnonzero(requested > 0)
    left = float(cluster_nodes)
    while len(open_users):
        offered = left * shares[open_users] / shares[open_users].sum()
        capped = offered >= requested[open_users]
        if not capped.any():
            entitled[open_users] = offered
            break
        settled = open_users[capped]
        entitled[settled] = requested[settled]
        left -= float(requested[settled].sum())
        open_users = open_users[~capped]
    return entitled
