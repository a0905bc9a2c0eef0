"""The document of a cluster: its associations as a tree whose edits are staged."""

from __future__ import annotations

from dataclasses import replace

from fsconsole.console.document import Document
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.cluster_tree import ClusterTree


class ClusterDocument(Document):
    """The document of a cluster; it is modified if it differs from the cluster, independently of files.

    Attributes:
        differs: whether edits are staged, as set by `ChangeSetWorker`.
        is_of_tree: whether the cluster's tree was known at its creation.
    """

    is_of_file = False

    def __init__(self, cluster: str, tree: ClusterTree | None) -> None:
        """Begin with a copy of the cluster's tree; a lone root where that is not known."""
        shares = tree.shares.copy() if tree is not None else ShareTree("root", 1)
        scenario = Scenario(shares, title=f"{cluster} (Slurm)")
        named = replace(scenario, machine=replace(scenario.machine, name=cluster))
        super().__init__(named, name=f"{cluster} (Slurm)")
        self.differs = False
        self.is_of_tree = tree is not None

    @property
    def takes_parents_shares(self) -> bool:
        """Any of it may."""
        return True

    @property
    def is_modified(self) -> bool:
        """Whether it differs from the cluster."""
        return self.differs
