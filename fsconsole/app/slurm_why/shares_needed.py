"""Raw shares with which something would be so: found by computing fairshare again and again."""

from __future__ import annotations

from collections.abc import Callable

from fsconsole.slurm.associations import Associations, Fairshare
from fsconsole.slurm.fairshare import SharesChange, fairshare_of, with_shares

MOST = 1_000_000


def shares_needed(
    tree: Associations,
    row: int,
    holds: Callable[[Fairshare], bool],
    damping: float,
    *,
    by_rank: bool,
) -> int | None:
    """Return the least raw shares of a row for which `holds` is true; None if more than `MOST` are needed.

    More shares never lower the row's own fairshare, so a bisection finds the least.
    """

    def would(shares: int) -> bool:
        changed = with_shares(tree, [SharesChange(row, shares)])
        return holds(fairshare_of(changed, damping, by_rank=by_rank))

    low, high = max(int(tree.shares[row]), 0), max(int(tree.shares[row]), 1)
    while not would(high):
        if high >= MOST:
            return None
        low, high = high, min(2 * high, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if would(middle) else (middle, high)
    return high
