"""A cluster's associations as a share tree whose node ids stay, however often the cluster is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.parsers.assoc import StoredAssociations

Key = tuple[str, str, str]
"""What an association is known by in its cluster: account, user (empty for an account), partition."""


@dataclass(frozen=True, eq=False, slots=True)
class ClusterTree:
    """What the cluster has stored, and the share tree that the console edits a copy of.

    Attributes:
        stored: as sacctmgr printed it, row by row.
        shares: the same as a share tree; never changed, copied for editing.
        nodes: the node of each row of `stored`.
        keys: of each node what it is known by in Slurm.
        is_complete: whether sacctmgr said it. Where slurmdbd does not answer the tree is that of sshare,
            which has no limits and no partitions; nothing can be changed then.
    """

    stored: StoredAssociations
    shares: ShareTree
    nodes: tuple[int, ...]
    keys: Mapping[int, Key]
    is_complete: bool = True
