"""The document follows what others change in the cluster; what is staged here stays staged."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Slot

from fsconsole.app.cluster.tree_diff import beside_staged, differing, fields_met, reverting_all
from fsconsole.app.edit_words import touched
from fsconsole.console.cluster.document import ClusterDocument
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.external_changes import ExternalChange, follow
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.edits import Edit, Insert, Remove, SetField
from fsconsole.shares.tree import Kind, ShareTree, twin
from fsconsole.slurm import limits
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.remote_edits import keys_first_read
from fsconsole.targets.external_changes import Field, OutsideChange, without
from fsconsole.targets.slurm.state import ClusterState
from fsconsole.text.words import listed

_MOST_NAMED = 3


class RemoteChanges(QObject):
    """Takes changes of others into one document as they come.

    Attributes:
        base: the cluster's tree that the document was made of or has followed since; None while unknown.
    """

    def __init__(
        self, session: ConsoleSession, cluster: ClusterSession, document: ClusterDocument, parent: QObject
    ) -> None:
        """Begin with a document of the cluster's present state."""
        super().__init__(parent)
        self._session, self._document, self._own = session, document, cluster.own
        self._met: frozenset[int] = frozenset()
        cluster.applied.connect(self._forget_undo)
        self.base: ClusterTree | None = cluster.state.tree
        self._seen = len(cluster.state.outside)

    @Slot(object)
    def follow(self, state: ClusterState) -> None:
        """Bring the document up to a state of the cluster; the base is the state's tree then."""
        fresh, self._seen = state.outside[self._seen :], len(state.outside)
        before, tree = self.base, state.tree
        if tree is None or before is None or tree is before:
            return
        if before.qos is not tree.qos or before.stored.own is not tree.stored.own:
            self._take_first_read(before, tree)
        was_staged = bool(differing(before.shares, self._document.tree))
        with self._session.intake.taking_in():
            for change in fresh:
                self._take_in(before, tree, change)
            self.base = tree
            if not was_staged and differing(tree.shares, self._document.tree):
                self._catch_up(tree)

    @Slot()
    def _forget_undo(self) -> None:
        """Begin the undo stack again: what was applied is the base, and Undo must not stage its reverse."""
        self._document.stack.clear()

    def settle(self, differing: tuple[int, ...]) -> None:
        """Withdraw a conflict once none of its nodes differs from the cluster any more."""
        if self._met and self._met.isdisjoint(differing):
            self._met = frozenset()
            self._session.conflict_settled.emit()

    def _take_in(self, base: ClusterTree, now: ClusterTree, change: OutsideChange) -> None:
        staged = fields_met(base.shares, self._document.tree, change.edits)
        conflict = _conflict(self._document.tree, base.shares, change, staged)
        arrival = ExternalChange(change, self._possible(base, now, change, staged), {}, frozenset())
        problem = follow(self._document, arrival)
        if self._own.has_made(change, base, now):
            self._forget_undo()
            return
        self._session.taken_in.emit(touched(change.edits))
        if conflict or problem:
            self._met = frozenset(touched(change.edits))
            self._session.conflicted.emit(conflict or problem)
        else:
            self._session.message.emit(f"Changed on the cluster: {change.line}")

    def _possible(
        self, base: ClusterTree, now: ClusterTree, change: OutsideChange, staged: frozenset[Field]
    ) -> tuple[Edit, ...]:
        """Return the part of a change that does not concern staged fields; a removal always applies."""
        tree = self._document.tree
        others = [
            beside_staged(base.shares, tree, edit) for edit in change.edits if not isinstance(edit, Remove)
        ]
        taken = frozenset(one for one in staged if one[1] != "foreign")
        left = [edit for edit in without(others, taken) if not _is_staged_move(tree, now, edit)]
        removed = [edit for edit in change.edits if isinstance(edit, Remove) and edit.node in tree]
        return (*left, *(one for edit in removed for one in _removing(tree, now, edit)))

    def _take_first_read(self, before: ClusterTree, tree: ClusterTree) -> None:
        """Accept limits that were read for the first time: they are neither changed nor staged."""
        here, is_first = self._document.tree, keys_first_read(before, tree)
        edits = list[Edit]()
        for node in tree.shares.walk() if differing(before.shares, here) else ():
            if node.id not in before.shares or node.id not in here:
                continue
            found = dict(here.node(node.id).foreign)
            for key in limits.changed_keys(before.shares.node(node.id).foreign, node.foreign):
                if is_first(key):
                    found.pop(key, None)
                    found |= {key: node.foreign[key]} if key in node.foreign else {}
            if found != here.node(node.id).foreign:
                edits.append(SetField(node.id, "foreign", found))
        self._document.edit("Outside: limits read", edits)

    def _catch_up(self, tree: ClusterTree) -> None:
        """Set the document to the cluster's state, since there are no staged edits."""
        edits = reverting_all(tree.shares, self._document.tree)
        self._document.edit("Outside: read again", edits)
        self._session.taken_in.emit(touched(edits))


def _is_staged_move(tree: ShareTree, now: ClusterTree, edit: Edit) -> bool:
    """Return True if an edit adds an association to which the document has moved a user already."""
    if not isinstance(edit, Insert) or edit.parent not in tree:
        return False
    there = (tree.child_named(edit.parent, node.name) for node in edit.nodes)
    return all(
        here is not None and here.id in now.shares and Kind.USER is here.kind is node.kind
        for here, node in zip(there, edit.nodes, strict=True)
    )


def _removing(tree: ShareTree, now: ClusterTree, edit: Remove) -> list[Edit]:
    """Return a removal; where the user was moved here and is in the new account already, that one stays
    instead.
    """
    here = tree.node(edit.node)
    parent = here.parent
    if parent is None or parent not in now.shares or here.kind is not Kind.USER:
        return [edit]
    there = now.shares.child_named(parent, here.name)
    if there is None or there.id in tree:
        return [edit]
    new = twin(there)
    new.children, new.parent = [], None
    new.shares, new.foreign = here.shares, dict(here.foreign)
    return [edit, Insert(parent, tree.row(here.id), (new,))]


def _conflict(tree: ShareTree, base: ShareTree, change: OutsideChange, staged: frozenset[Field]) -> str:
    """Return a sentence on conflicts with staged edits; empty without one."""
    nodes = tuple(dict.fromkeys(node for node, _ in sorted(staged, key=str) if node is not None))
    if not nodes:
        return ""
    removed = {edit.node for edit in change.edits if isinstance(edit, Remove)}
    names = _names(tree, base, nodes)
    if removed.issuperset(nodes):
        return f"Another user removed {names} from the cluster. The edits staged for it were dropped."
    return (
        f"Another user changed {names} on the cluster ({change.line}). Your staged edits would replace "
        "that change."
    )


def _names(tree: ShareTree, base: ShareTree, nodes: Sequence[int]) -> str:
    known = [one.node(node).name for node in nodes for one in (tree, base) if node in one]
    return listed(list(dict.fromkeys(known)), _MOST_NAMED)
