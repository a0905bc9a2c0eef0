"""Clusters as tests write them: a tree in short lines, as associations that a cluster has stored."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.associations import Associations, Fairshare
from fsconsole.slurm.cluster_tree import ClusterTree, share_tree
from fsconsole.slurm.parsers.assoc import StoredAssociations

TREE = """\
physics 40
  mia* 2
  hep 3
    anna* 10
    ben* 5
  astro 1
    anna* 3
    dirk* 1
bio 30
  genomics 2
    finn* 4
    hugo* parent
  neuro parent
    ida* 3
"""


def stored_of(text: str, *, partition: Mapping[int, str] | None = None) -> StoredAssociations:
    """Associations from lines `name shares`, users with an asterisk, indented by two blanks a level.

    `partition` says of rows (the root's is 0) for which partition they are.
    """
    account, user, parent, shares = ["root"], [""], [-1], [0]
    around = [0]
    for line in text.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        name, value = line.strip().rsplit(" ", 1)
        del around[depth + 1 :]
        above = around[depth]
        is_user = name.endswith("*")
        account.append(account[above] if is_user else name)
        user.append(name.removesuffix("*") if is_user else "")
        parent.append(above)
        shares.append(PARENT_SHARES if value == "parent" else int(value))
        around.append(len(account) - 1)
    rows = len(account)
    tree = Associations(tuple(account), tuple(user), np.array(parent), np.array(shares), np.zeros(rows))
    parts = tuple((partition or {}).get(row, "") for row in range(rows))
    return StoredAssociations(
        "lab", tree, np.arange(1, rows + 1), parts, ((),) * rows, ("",) * rows, ({},) * rows
    )


def cluster_of(stored: StoredAssociations) -> ClusterTree:
    """Just read, for the first time: node ids are rows."""
    keys = zip(stored.tree.account, stored.tree.user, stored.partition, strict=True)
    return ClusterTree(stored, share_tree(stored), tuple(range(len(stored.tree))), dict(enumerate(keys)))


def small_cluster(text: str = TREE) -> ClusterTree:
    """The cluster of some lines."""
    return cluster_of(stored_of(text))


def add_group(tree: ShareTree, parent: int, name: str, shares: int = 1) -> Node:
    """A new account in an edited tree."""
    return tree.add(parent, name, shares, Kind.GROUP)


def standing_of(tree: ClusterTree, own: Mapping[int, float]) -> AssociationStatus:
    """What sshare would say: `own` is what rows used themselves, in billing-seconds (0 by default)."""
    above = tree.stored.tree.parent
    raw = np.array([own.get(row, 0.0) for row in range(len(above))])
    for row in range(len(above) - 1, 0, -1):
        raw[above[row]] += raw[row]
    norm = np.round(raw / raw[0], 6) if raw[0] else np.zeros(len(raw))
    nothing = Fairshare(*(np.full(len(raw), np.nan) for _ in range(4)))
    return AssociationStatus(np.floor(raw), norm, nothing, nothing, {})
