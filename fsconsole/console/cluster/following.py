"""The document follows what others change in the cluster; what is staged here stays staged."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot

from fsconsole.console.changes import touched
from fsconsole.console.cluster.differing import differing, fields_met, reverting_all
from fsconsole.console.cluster.document import ClusterDocument
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.outside import Arrival, follow
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.edits import Edit, Remove
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.targets.outside import Field, OutsideChange, without
from fsconsole.targets.slurm.state import ClusterState

_MOST_NAMED = 3


class Following(QObject):
    """Takes changes of others into one document as they come.

    Attributes:
        base: the cluster's tree that the document was made of or has followed since; None while unknown.
    """

    def __init__(
        self, session: ConsoleSession, cluster: ClusterSession, document: ClusterDocument, parent: QObject
    ) -> None:
        """The document must be of the cluster's present state."""
        super().__init__(parent)
        self._session, self._document = session, document
        self.base: ClusterTree | None = cluster.state.tree
        self._seen = len(cluster.state.outside)

    @Slot(object)
    def follow(self, state: ClusterState) -> None:
        """Bring the document up to a state of the cluster; the base is the state's tree then."""
        fresh, self._seen = state.outside[self._seen :], len(state.outside)
        before, tree = self.base, state.tree
        if tree is None or before is None or tree is before:
            return
        was_staged = bool(differing(before.shares, self._document.tree))
        for change in fresh:
            self._take_in(before.shares, change)
        self.base = tree
        if not was_staged and differing(tree.shares, self._document.tree):
            self._catch_up(tree)

    def _take_in(self, base: ShareTree, change: OutsideChange) -> None:
        staged = fields_met(base, self._document.tree, change.edits)
        said = _conflict(self._document.tree, base, change, staged)
        problem = follow(self._document, Arrival(change, self._possible(change, staged), {}, frozenset()))
        self._session.taken_in.emit(touched(change.edits))
        if said or problem:
            self._session.conflicted.emit(said or problem)
        else:
            self._session.message.emit(f"Changed on the cluster: {change.line}")

    def _possible(self, change: OutsideChange, staged: frozenset[Field]) -> tuple[Edit, ...]:
        """What is left of a change once that is taken out which is staged here; a removal always holds."""
        tree = self._document.tree
        removed = tuple(edit for edit in change.edits if isinstance(edit, Remove) and edit.node in tree)
        others = tuple(edit for edit in change.edits if not isinstance(edit, Remove))
        return (*without(others, staged), *removed)

    def _catch_up(self, tree: ClusterTree) -> None:
        """Nothing is staged, so the document is what the cluster is, whatever was told of it."""
        edits = reverting_all(tree.shares, self._document.tree)
        self._document.edit("Outside: read again", edits)
        self._session.taken_in.emit(touched(edits))


def _conflict(tree: ShareTree, base: ShareTree, change: OutsideChange, staged: frozenset[Field]) -> str:
    """What met something staged, in a sentence; empty where nothing did."""
    nodes = tuple(dict.fromkeys(node for node, _ in sorted(staged, key=str) if node is not None))
    if not nodes:
        return ""
    removed = {edit.node for edit in change.edits if isinstance(edit, Remove)}
    names = _names(tree, base, nodes)
    if removed.issuperset(nodes):
        return f"Somebody else removed {names} from the cluster; what was staged for it is gone."
    return f"Somebody else changed {names} on the cluster ({change.line}); what is staged would replace that."


def _names(tree: ShareTree, base: ShareTree, nodes: Sequence[int]) -> str:
    known = [one.node(node).name for node in nodes for one in (tree, base) if node in one]
    names = list(dict.fromkeys(known))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
