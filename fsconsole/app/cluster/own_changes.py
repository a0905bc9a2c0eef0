"""Changes that this console has applied to a cluster, to tell them from those of others."""

from __future__ import annotations

from fsconsole.app.edit_words import touched
from fsconsole.slurm.change_set import ChangeSet, Entry
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.desired_state import account_above, shares_of
from fsconsole.targets.external_changes import OutsideChange


class OwnChanges:
    """Keeps what each association should be after the newest change set that named it."""

    def __init__(self) -> None:
        """Nothing was applied yet."""
        self._wanted: dict[Key, Entry | None] = {}

    def add(self, changes: ChangeSet) -> None:
        """Take note of a change set before its first command runs."""
        self._wanted |= {change.key: change.will for change in changes.changes}

    def has_made(self, change: OutsideChange, before: ClusterTree, after: ClusterTree) -> bool:
        """Whether all that a change is about is now as it was applied here."""
        return all(self._is_own(node, before, after) for node in touched(change.edits))

    def _is_own(self, node: int, before: ClusterTree, after: ClusterTree) -> bool:
        key = after.keys.get(node) or before.keys.get(node)
        if key is None or key not in self._wanted:
            return False
        return self._wanted[key] == _entry(after, node)


def _entry(tree: ClusterTree, node: int) -> Entry | None:
    """What is stored of an association; None where it is not there."""
    if node not in tree.keys:
        return None
    return Entry(account_above(tree.shares, tree.keys, node), shares_of(tree.shares.node(node)))
