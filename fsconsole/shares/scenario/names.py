"""Nodes by what files call them: a path, or a name that occurs once."""

from __future__ import annotations

from functools import cached_property

from fsconsole.shares.scenario.nearest import did_you_mean
from fsconsole.shares.tree import ROOT_ID, Node, ShareTree

_HINTS = 100  # the first of many unknown names say enough


class Names:
    """An index of a tree's names, so that many references are resolved quickly."""

    def __init__(self, tree: ShareTree) -> None:
        self._tree = tree
        self._unknown = 0

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for node in self._tree.walk():
            found.setdefault(node.name, []).append(node.id)
        return found

    @cached_property
    def _by_path(self) -> dict[str, int]:
        """Ids by path below the root."""
        above = len(self._tree.root.name) + 1
        return {path[above:]: node_id for node_id, path in self._tree.paths().items()}

    def find(self, reference: str) -> Node:
        """The node; LookupError, whose text says what would be right, where there is none or several."""
        first, _, rest = reference.strip("/").partition("/")
        path = rest if first == self._tree.root.name else reference.strip("/")
        node_id = self._by_path.get(path)
        if node_id is not None:
            return self._tree.node(node_id)
        named = self._by_name.get(reference, [])
        if len(named) == 1:
            return self._tree.node(named[0])
        if named:
            places = ", ".join(self.shortest(node_id) for node_id in named[:4])
            msg = f"{reference} is the name of {len(named)} nodes: write one of {places}"
        else:
            known = self._by_path if "/" in reference else self._by_name
            self._unknown += 1
            hint = did_you_mean(reference, known) if self._unknown <= _HINTS else ""
            msg = f"no node {reference} in the tree{hint}"
        raise LookupError(msg)

    def find_worker(self, reference: str, *, or_root: bool) -> Node:
        """The user or account (or the exempt root) that can have work; LookupError otherwise."""
        node = self.find(reference)
        if not node.is_group or (or_root and node.id == ROOT_ID):
            return node
        worker = next((below for below in self._tree.walk(node.id) if not below.is_group), None)
        if worker is None:
            msg = f"{reference} is a group without users: add a user below it"
        else:
            msg = f"{reference} is a group: name a user below it, such as {self.shortest(worker.id)}"
        raise LookupError(msg)

    def shortest(self, node_id: int) -> str:
        """The name where it occurs once and is no path of another node, else the path from the root."""
        node = self._tree.node(node_id)
        taken = self._by_path.get(node.name, node_id)
        if node_id == ROOT_ID:
            return node.name
        if len(self._by_name[node.name]) == 1 and taken == node_id:
            return node.name
        return self._tree.path(node_id)
