"""Fairshare of a tree, by whichever of the two rules its cluster has."""

from __future__ import annotations

from fsconsole.slurm.associations import Associations, Fairshare
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.fair_tree import fair_tree


def fairshare_of(tree: Associations, damping: float = 1.0, *, by_rank: bool = False) -> Fairshare:
    """What sshare would print: classic with FairShareDampeningFactor or, `by_rank`, by Fair Tree."""
    return fair_tree(tree) if by_rank else classic_fairshare(tree, damping)
