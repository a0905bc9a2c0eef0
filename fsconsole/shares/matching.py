"""Matching of nodes of two trees: by place and name, else as moved or renamed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from fsconsole.shares.edits import node_to_json, tree_from_json
from fsconsole.shares.tree import Node, ShareTree

_ALIKE = 0.5  # Two groups are one that was renamed if both share this fraction of their names.


def matched(before: ShareTree, after: ShareTree) -> ShareTree:
    """Return a copy of `after` whose nodes have the ids of the same nodes in `before`.

    Nodes are the same where names lead to them from the root down. Of the others, a group under another name
    is the same if at least half of the names in both are; a node elsewhere if it alone has its name; a leaf
    under another name if it stands at the same place with the same shares, and no other has gone or come
    beside it.
    """
    return _Matching(before, after).renumbered()


class _Matching:
    def __init__(self, before: ShareTree, after: ShareTree) -> None:
        self._before, self._after = before, after
        self._twins = {after.root.id: before.root.id}  # It maps ids of `before` to those of `after`.
        self._taken = {before.root.id}
        self._by_name(after.root.id)
        # A matched group may hold further ones, and so may a moved one.
        while self._renamed_groups() or self._moved():
            pass
        self._renamed_leaves()

    def renumbered(self) -> ShareTree:
        fresh = max(self._before.next_id, self._after.next_id)
        ids = {}
        for node in self._after.walk():
            twin = self._twins.get(node.id)
            if twin is None:
                twin, fresh = fresh, fresh + 1
            ids[node.id] = twin
        nodes = []
        for node in self._after.walk():
            data = node_to_json(node)
            data["id"] = ids[node.id]
            data["parent"] = None if node.parent is None else ids[node.parent]
            data["children"] = [ids[child] for child in node.children]
            nodes.append(data)
        return tree_from_json(nodes, max(fresh, self._before.next_id))

    def _pair(self, old: Node, new: Node) -> None:
        self._twins[new.id] = old.id
        self._taken.add(old.id)
        self._by_name(new.id)

    def _by_name(self, start: int) -> None:
        """Match nodes of the same name below a matched node."""
        stack = [start]
        while stack:
            group = stack.pop()
            named = {child.name: child.id for child in self._before.children(self._twins[group])}
            for child in self._after.children(group):
                old = named.get(child.name)
                if child.id not in self._twins and old is not None and old not in self._taken:
                    self._twins[child.id] = old
                    self._taken.add(old)
                    stack.append(child.id)

    def _gone(self, group: int | None = None) -> list[Node]:
        nodes = self._before.walk() if group is None else self._before.children(group)
        return [node for node in nodes if node.id not in self._taken]

    def _come(self, group: int | None = None) -> list[Node]:
        nodes = self._after.walk() if group is None else self._after.children(group)
        return [node for node in nodes if node.id not in self._twins]

    def _renamed_groups(self) -> bool:
        found = False
        for parent in self._changed_groups():
            gone = [node for node in self._gone(self._twins[parent]) if node.children]
            for new in self._come(parent):
                names = {child.name for child in self._after.children(new.id)}
                likeness = {old.id: _likeness(names, self._names_in(old)) for old in gone} if names else {}
                best = max(likeness, key=likeness.__getitem__, default=None)
                if best is not None and likeness[best] >= _ALIKE:
                    old = self._before.node(best)
                    gone.remove(old)
                    self._pair(old, new)
                    found = True
        return found

    def _names_in(self, group: Node) -> set[str]:
        return {child.name for child in self._before.children(group.id)}

    def _moved(self) -> bool:
        gone, come = self._gone(), self._come()
        once, lone = _of_one_name(gone), _of_one_name(come)
        pairs = [(old, lone[key]) for key, old in once.items() if key in lone]
        for old, new in pairs:
            if new.id not in self._twins and old.id not in self._taken:
                self._pair(old, new)
        return bool(pairs)

    def _renamed_leaves(self) -> None:
        for parent in self._changed_groups():
            gone, come = self._gone(self._twins[parent]), self._come(parent)
            if len(gone) != 1 or len(come) != 1:
                continue
            (old,), (new,) = gone, come
            is_same = (old.kind, old.shares) == (new.kind, new.shares) and not old.children + new.children
            if is_same and self._at_same_place(parent, old, new):
                self._pair(old, new)

    def _at_same_place(self, parent: int, old: Node, new: Node) -> bool:
        """Return True if both nodes have the same number of common siblings before them."""
        was = self._before.node(self._twins[parent]).children
        now = self._after.node(parent).children
        twins = [self._twins.get(child) for child in now]
        both = set(was) & set(twins)
        places = was.index(old.id), now.index(new.id)
        return sum(child in both for child in was[: places[0]]) == sum(
            child in both for child in twins[: places[1]]
        )

    def _changed_groups(self) -> list[int]:
        """Return matched groups of `after` that hold a node which is not matched."""
        parents = dict.fromkeys(node.parent for node in self._come())
        return [parent for parent in parents if parent is not None and parent in self._twins]


def _likeness(names: set[str], others: set[str]) -> float:
    return len(names & others) / max(len(names | others), 1)


def _of_one_name(nodes: Iterable[Node]) -> dict[tuple[str, bool], Node]:
    """Return the nodes that are the only ones of their name, among groups or among leaves."""
    nodes = list(nodes)
    count = Counter((node.name, node.is_group) for node in nodes)
    return {key: node for node in nodes if count[key := (node.name, node.is_group)] == 1}
