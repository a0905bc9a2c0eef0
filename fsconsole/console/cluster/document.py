"""The document of a cluster: its associations as a tree whose edits are staged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import Slot

from fsconsole.console.document import Document
from fsconsole.shares.edits import Edit, Insert, SetField, SetShares
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.foreign import means_parent
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Node, ShareTree
from fsconsole.slurm.cluster_tree import ClusterTree, slurm_flat


class ClusterDocument(Document):
    """It is modified where it differs from the cluster; no file has anything to do with that.

    Attributes:
        differs: whether anything is staged; who counts that says it (`ChangeSetWorker`).
        is_of_tree: whether the cluster's tree was known when it was made.
    """

    is_of_file = False
    takes_parents_shares = True

    def __init__(self, cluster: str, tree: ClusterTree | None) -> None:
        """A copy of the cluster's tree; a lone root where that is not known."""
        shares = tree.shares.copy() if tree is not None else ShareTree("root", 1)
        scenario = Scenario(shares, title=f"{cluster} (Slurm)")
        named = replace(scenario, machine=replace(scenario.machine, name=cluster))
        super().__init__(named, name=f"{cluster} (Slurm)")
        self.differs = False
        self.is_of_tree = tree is not None
        self._takes_parents = _take_parents(self.tree.walk())
        self.applying.connect(self._on_insert)

    @staticmethod
    def flatten(tree: ShareTree) -> FlatTree:
        """With the parts that Slurm gives."""
        return slurm_flat(tree)

    def flat_after(self, flat: FlatTree, edit: SetShares) -> FlatTree | None:
        """Accounts without shares of their own have those of what is in them: recomputed with any."""
        return None if self._takes_parents else super().flat_after(flat, edit)

    @Slot(object)
    def _on_insert(self, edit: Edit) -> None:
        """What is put in may be such an account too, and any may become one."""
        if isinstance(edit, Insert):
            self._takes_parents = self._takes_parents or _take_parents(edit.nodes)
        elif isinstance(edit, SetField) and edit.field == "foreign":
            self._takes_parents = self._takes_parents or any(map(means_parent, edit.value.values()))

    @property
    def is_modified(self) -> bool:
        """Whether it differs from the cluster."""
        return self.differs


def _take_parents(nodes: Iterable[Node]) -> bool:
    """Whether any node has no shares of its own, or had none when it was read."""
    return any(means_parent(value) for node in nodes for value in node.foreign.values())
