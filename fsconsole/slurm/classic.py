"""Classic fairshare (PriorityFlags=NO_FAIR_TREE), F = 2^(-(UE/S)/d).

Sources: Yalim, "Toward dynamically controlling Slurm's classic fairshare algorithm"; what sshare of Slurm
22.05 prints, which decides where the two differ (shares `parent`, levels whose shares add up to 0).
"""

from __future__ import annotations

import numpy as np

from fsconsole.policies.multifactor import fairshare_factor
from fsconsole.slurm.associations import Associations, Fairshare, Floats, Ints


def classic_fairshare(tree: Associations, damping: float = 1.0) -> Fairshare:
    """Compute normalised shares, effective usage and fairshare factor of all associations.

    Args:
        tree: associations with their usage.
        damping: FairShareDampeningFactor d, above 0; ValueError otherwise.
    """
    if not damping > 0:
        msg = f"the dampening factor is {damping:g}. It must be above 0"
        raise ValueError(msg)
    above = tree.shares_parent()
    level = tree.level_shares(above)
    norm_shares = norm_shares_of(tree, above, level)
    effective = _effective_usage(tree, above, level)
    fairshare = fairshare_factor(effective, norm_shares, damping)
    return Fairshare(norm_shares, effective, fairshare, np.full(len(tree), np.nan))


def normalised_usage(tree: Associations) -> Floats:
    """Return usage by the root's, at most 1, float64 [rows]; 0 where the root's is 0, NaN where it is NaN."""
    total = tree.usage[0]
    return np.zeros(len(tree)) if total <= 0 else np.minimum(tree.usage / total, 1.0)


def norm_shares_of(tree: Associations, above: Ints, level: Floats) -> Floats:
    """Return shares by the level's times those of the nearest ancestor with shares of its own, float64
    [rows].
    """
    parts = np.where(tree.takes_parents, 1.0, tree.level_parts(level)).tolist()
    found = [1.0] * len(tree)
    for row, over in enumerate(above.tolist()):
        if row:
            found[row] = parts[row] * found[over]
    return np.array(found)


def _effective_usage(tree: Associations, above: Ints, level: Floats) -> Floats:
    """Compute effective usage, [rows].

    Below the first level it is the own usage plus a part, by shares, of the remaining usage of the level
    above.
    """
    takes_all = (tree.takes_parents | (level == 0)).tolist()
    used, parts = normalised_usage(tree).tolist(), tree.level_parts(level).tolist()
    found = [1.0] * len(tree)
    for row, over in enumerate(above.tolist()):
        if over == 0:
            found[row] = used[row]
        elif row and takes_all[row]:
            found[row] = found[over]
        elif row:
            found[row] = used[row] + (found[over] - used[row]) * parts[row]
    return np.array(found)
