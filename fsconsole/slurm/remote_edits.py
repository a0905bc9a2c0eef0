"""Changes of others to a cluster's tree since it was last read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from fsconsole.shares.edits import Edit, Insert, Move, Remove, SetField, SetShares
from fsconsole.shares.foreign import takes_parents_shares
from fsconsole.shares.tree import Node, ShareTree, twin
from fsconsole.slurm import limits
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.desired_state import shares_of
from fsconsole.slurm.names import in_words
from fsconsole.text.numbers import thousands

_MOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class News:
    """Edits that update an edited copy of the tree to the stored tree.

    Attributes:
        edits: edits in order, valid for the given copy. They omit changes that the copy already contains,
            because they were staged and then applied.
        misfits: changes that do not fit into the copy, such as a user who was added to an account that is
            removed there.
        line: description of the changes.
    """

    edits: tuple[Edit, ...] = ()
    misfits: tuple[Edit, ...] = ()
    line: str = ""

    def __bool__(self) -> bool:
        return bool(self.edits or self.misfits)


def news(before: ClusterTree, after: ClusterTree, staged: ShareTree | None = None) -> News:
    """Return the differences between two readings of one cluster, as edits of the edited copy.

    Args:
        before: previous reading.
        after: new reading, numbered by the same `Numbering`.
        staged: edited copy; that of `before` if unknown.
    """
    finder = _EditFinder(before, after, before.shares if staged is None else staged)
    finder.find()
    return News(tuple(finder.edits), tuple(finder.misfits), _line(finder.changes))


@dataclass(slots=True)
class _EditFinder:
    """Finds the edits of all nodes that differ."""

    before: ClusterTree
    after: ClusterTree
    staged: ShareTree
    edits: list[Edit] = field(default_factory=list)
    misfits: list[Edit] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    _there: set[int] = field(default_factory=set)  # Edits before have put these into the copy.
    # Each group of the copy has grown by this many children.
    _rows: dict[int, int] = field(default_factory=dict)

    def find(self) -> None:
        was, now = self.before.shares, self.after.shares
        for node in now.walk():
            if node.id not in was:
                self._added(node)
            elif (old := was.node(node.id)) is not node:
                self._changed(old, node)
        for node in self._highest_gone(was):
            self._removed(node)

    def _added(self, node: Node) -> None:
        if node.id in self.staged:
            return
        self.changes.append(f"{self._words(node)} added")
        parent = node.parent or 0
        edit = Insert(parent, self._row(parent, node), (_alone(node),))
        has_room = parent in self._there or (
            parent in self.staged
            and self.staged.node(parent).is_group
            and self.staged.child_named(parent, node.name) is None
        )
        self._do(edit, fits=has_room)
        if has_room:
            self._there.add(node.id)
            self._rows[parent] = self._rows.get(parent, 0) + 1

    def _changed(self, old: Node, node: Node) -> None:
        if old.parent != node.parent:
            self._moved(old, node)
        if shares_of(old) != shares_of(node):
            self._new_shares(old, node)
        if old.foreign != node.foreign:
            self._new_limits(old, node)

    def _moved(self, old: Node, node: Node) -> None:
        here = self.staged.node(node.id) if node.id in self.staged else None
        if here is not None and here.parent == node.parent:
            return
        self.changes.append(f"{self._words(node)} moved")
        parent = node.parent or 0
        fits = here is not None and (
            parent in self._there
            or (parent in self.staged and self.staged.child_named(parent, here.name) is None)
        )
        self._do(Move(node.id, parent, self._row(parent, node)), fits=fits)
        if fits:
            self._rows[parent] = self._rows.get(parent, 0) + 1
            left = (old if here is None else here).parent
            if left is not None:
                self._rows[left] = self._rows.get(left, 0) - 1

    def _new_shares(self, old: Node, node: Node) -> None:
        here = self.staged.node(node.id) if node.id in self.staged else None
        if here is not None and shares_of(here) == shares_of(node):
            return
        now, was = (_shares_words(one) for one in (node, old))
        self.changes.append(f"{self._words(node)}: shares {was} → {now}")
        if _would_be_taken_for(here or old, node) != shares_of(node):
            # A foreign key marks `parent`, since it is not a number of shares.
            foreign = limits.with_limits_of(node.foreign, (here or old).foreign)
            self._do(SetField(node.id, "foreign", foreign), fits=here is not None)
        self._do(SetShares.of(node.id, node.shares), fits=here is not None)

    def _new_limits(self, old: Node, node: Node) -> None:
        """Stage new limits of an association; at the root those of QOS too."""
        here = self.staged.node(node.id) if node.id in self.staged else None
        unread = keys_first_read(self.before, self.after)
        changed = [key for key in limits.changed_keys(old.foreign, node.foreign) if not unread(key)]
        if not changed or (here is not None and not limits.changed_keys(here.foreign, node.foreign)):
            return
        words = limits.difference_words(old.foreign, node.foreign)
        if words:
            self.changes.append(f"{self._words(node)}: {words}")
        foreign = dict((here or old).foreign)
        for key in changed:
            foreign.pop(key, None)
        found = foreign | {key: node.foreign[key] for key in changed if key in node.foreign}
        self._do(SetField(node.id, "foreign", found), fits=here is not None)

    def _removed(self, node: Node) -> None:
        if node.id in self.staged:
            key, stored = self.before.keys[node.id], self.after.stored
            is_lost = stored.may_have_lost(key[1] or key[0]) or stored.may_have_lost(key[0])
            self.changes.append(f"{self._words(node)} {'cannot be read' if is_lost else 'removed'}")
            self._do(Remove(node.id), fits=True)

    def _highest_gone(self, was: ShareTree) -> Iterator[Node]:
        now = self.after.shares
        if len(was) + sum(node not in was for node in self.after.nodes) == len(now):
            return
        for node in was.walk():
            if node.id not in now and (node.parent is None or node.parent in now):
                yield node

    def _do(self, edit: Edit, *, fits: bool) -> None:
        (self.edits if fits else self.misfits).append(edit)

    def _row(self, parent: int, node: Node) -> int:
        """Return a node's position in its group, as far as the copy has that many."""
        if parent not in self.staged:
            return self._rows.get(parent, 0)
        have = len(self.staged.node(parent).children) + self._rows.get(parent, 0)
        return min(self.after.shares.row(node.id), max(have, 0))

    def _words(self, node: Node) -> str:
        key = self.after.keys.get(node.id) or self.before.keys[node.id]
        return in_words(key)


def keys_first_read(before: ClusterTree, after: ClusterTree) -> Callable[[str], bool]:
    """Return foreign keys of limits that only one of two readings has: they are not changes."""
    has_own = before.stored.own is not None and after.stored.own is not None
    has_qos = before.qos is not None and after.qos is not None

    def is_first(key: str) -> bool:
        return not (has_qos if key.startswith(limits.QOS_NAMES) else has_own)

    return is_first


def _shares_words(node: Node) -> str:
    return "parent" if takes_parents_shares(node) else f"{node.shares}"


def _would_be_taken_for(node: Node, other: Node) -> int:
    """Return raw shares that a node is taken to have if it gets the shares of another one, and
    nothing else.
    """
    changed = twin(node)
    changed.shares = other.shares
    return shares_of(changed)


def _alone(node: Node) -> Node:
    alone = twin(node)
    alone.children, alone.parent = [], None
    return alone


def _line(changes: list[str]) -> str:
    more = f" and {thousands(len(changes) - _MOST_SHOWN)} more" if len(changes) > _MOST_SHOWN else ""
    return "; ".join(changes[:_MOST_SHOWN]) + more
