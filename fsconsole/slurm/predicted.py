"""Fairshares after staged changes are applied, at present usage.

The effects on usage were observed with Slurm 22.05.8. A moved account keeps its usage at once. The usage of a
removed user stays with the accounts above. A user who is added, or added again, begins without usage. The
output of sshare follows at the next calculation of slurmctld (PriorityCalcPeriod).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.associations import Associations, Floats, Ints
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.desired_state import Wanted, shares_of, wanted_of
from fsconsole.slurm.fairshare import fairshare_of, present_usage
from fsconsole.slurm.parsers.scontrol_config import UNKNOWN_RULE, SlurmConfig


class UnknownRuleError(Exception):
    """Fairshares of a cluster cannot be computed; the message gives the reason and ends a sentence."""


@dataclass(frozen=True, eq=False, slots=True)
class Predicted:
    """Fairshare of all associations before and after, those that change most first.

    Attributes:
        nodes: the node of each row, int64 [rows]: those of the wanted tree, then what is removed.
        is_user: which rows are users, bool [rows].
        stored: the row of the cluster's tree that `before` is of, int64 [rows]; -1 where there is none.
        before, after: FairShare, float64 [rows]; NaN where the association is not there, or where Slurm has
            no such number (accounts of Fair Tree). Both are computed from the same usage, so that they
            differ by the changes alone; while jobs run sshare itself may print something else. `before` of
            a user who is put into another account is that in the account that is left.
        changed: so many rows, the first ones, come out otherwise in the six digits that sshare prints.
    """

    nodes: Ints
    is_user: NDArray[np.bool_]
    stored: Ints
    before: Floats
    after: Floats
    changed: int


def predicted(
    tree: ClusterTree,
    standing: AssociationStatus,
    wanted: ShareTree,
    *,
    damping: float = 1.0,
    by_rank: bool = False,
) -> Predicted:
    """Compute fairshares before and after, classic or, `by_rank`, by Fair Tree.

    Args:
        tree: what is stored.
        standing: what sshare says of it.
        wanted: the edited copy of the tree.
        damping: FairShareDampeningFactor of classic fairshare.
        by_rank: whether the cluster uses Fair Tree.
    """
    found = wanted_of(tree, wanted)
    usage = usage_of(standing)
    stored = replace(tree.stored.tree, usage=usage)
    rows_of = {tree.keys[node]: row for row, node in enumerate(tree.nodes)}
    nodes, after_tree = _after(tree, found, wanted, own_usage(stored), rows_of)
    before = fairshare_of(stored, damping, by_rank=by_rank).fairshare
    after = fairshare_of(after_tree, damping, by_rank=by_rank).fairshare
    return _side_by_side(tree, found, rows_of, nodes, before, after)


def predicted_by(
    settings: SlurmConfig, tree: ClusterTree, standing: AssociationStatus, wanted: ShareTree
) -> Predicted:
    """Predict fairshare by the settings of the cluster.

    Raises:
        UnknownRuleError: the cluster's rule is not known.
    """
    if settings.is_depth_oblivious:
        raise UnknownRuleError(UNKNOWN_RULE)
    damping = float(max(settings.dampening, 1))
    return predicted(tree, standing, wanted, damping=damping, by_rank=settings.is_fair_tree)


def usage_of(standing: AssociationStatus) -> Floats:
    """Return usage of each row with all below it, float64 [rows], as `present_usage`."""
    return present_usage(standing.counted(standing.raw_usage), standing.counted(standing.norm_usage))


def own_usage(tree: Associations) -> Floats:
    """Return usage of each row without rows below it, float64 [rows].

    An account's own usage is that of its removed users, and the effect of rounding.
    """
    below = np.bincount(tree.parent[1:], weights=tree.usage[1:], minlength=len(tree))
    own: Floats = tree.usage - below
    return own


def _after(
    tree: ClusterTree, found: Wanted, wanted: ShareTree, own: Floats, rows_of: Mapping[Key, int]
) -> tuple[Ints, Associations]:
    """Return the wanted tree as associations with their usage, and the node of each row."""
    place = {key: row for row, key in enumerate(found.node_of)}
    nodes = np.fromiter(found.node_of.values(), np.int64, len(place))
    parent = np.full(len(place), -1)
    shares = np.zeros(len(place), np.int64)
    for row, node_id in enumerate(found.node_of.values()):
        node = wanted.node(node_id)
        if node.parent is not None:
            parent[row] = place[found.key_of[node.parent]]
            shares[row] = shares_of(node)
    usage = np.zeros(len(place))
    for key, row in rows_of.items():
        usage[place[_heir(tree, key, rows_of, place)]] += own[row]
    keys = list(place)
    after = Associations(
        tuple(key[0] for key in keys), tuple(key[1] for key in keys), parent, shares, _summed(usage, parent)
    )
    return nodes, after


def _heir(tree: ClusterTree, key: Key, rows_of: Mapping[Key, int], place: Mapping[Key, int]) -> Key:
    """Return the association that inherits the usage of another one: itself, or the account above it
    that is left.
    """
    while key not in place:
        above = int(tree.stored.tree.parent[rows_of[key]])
        key = tree.keys[tree.nodes[above]]
    return key


def _summed(own: Floats, parent: Ints) -> Floats:
    """Sum own usage and that of everything below, float64 [rows]; parents precede their children."""
    usage = own.tolist()
    for row, above in zip(range(len(usage) - 1, 0, -1), parent[:0:-1].tolist(), strict=True):
        usage[above] += usage[row]
    summed: Floats = np.maximum(usage, 0.0)
    return summed


def _side_by_side(
    tree: ClusterTree, found: Wanted, rows_of: Mapping[Key, int], nodes: Ints, before: Floats, after: Floats
) -> Predicted:
    gone = [key for key in found.gone() if found.stored_of[key] not in found.key_of]
    keys = [*found.node_of, *gone]
    rows = np.fromiter((_row_before(tree, found, rows_of, key) for key in keys), np.int64, len(keys))
    was = np.where(rows >= 0, before[rows], np.nan)
    will = np.concatenate([after, np.full(len(gone), np.nan)])
    ids = np.concatenate([nodes, np.array([found.stored_of[key] for key in gone], np.int64)])
    is_user = np.fromiter((bool(key[1]) for key in keys), bool, len(keys))
    differs = ~((np.round(was, 6) == np.round(will, 6)) | (np.isnan(was) & np.isnan(will)))
    size = np.where(differs, np.abs(np.nan_to_num(will) - np.nan_to_num(was)), -1.0)
    order = np.argsort(-size, kind="stable")
    return Predicted(ids[order], is_user[order], rows[order], was[order], will[order], int(differs.sum()))


def _row_before(tree: ClusterTree, found: Wanted, rows_of: Mapping[Key, int], key: Key) -> int:
    """Return the stored row of an association before the changes; -1 if it did not exist."""
    if key not in rows_of and found.node_of[key] in tree.keys:
        key = tree.keys[found.node_of[key]]
    return rows_of.get(key, -1)
