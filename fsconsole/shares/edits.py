"""Edits: the only way a share tree changes.

`apply` changes the tree and returns the inverse edit. The undo stack, the comparison of two
trees, what a target is asked to do and the audit log all speak in these.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from fsconsole.shares.tree import Kind, Node, ShareTree, TreeError, twin

MAX_SHARES = 2**31 - 1


class Edit(Protocol):
    """A reversible change of a tree."""

    def apply(self, tree: ShareTree) -> Edit:
        """Change the tree, return the inverse.

        Raises:
            TreeError: the edit is impossible; the tree stays unchanged.
        """
        ...

    def touched(self) -> tuple[int, ...]:
        """Return ids of the nodes that the edit is about."""
        ...


@dataclass(frozen=True, slots=True)
class SetShares:
    """Give nodes new shares; one edit for several, as when a boundary between two is dragged."""

    shares: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, node_id: int, shares: int) -> SetShares:
        """Return the edit of a single node."""
        return cls(((node_id, shares),))

    def apply(self, tree: ShareTree) -> SetShares:
        """Set the shares; TreeError for a value outside 0 .. 2^31-1."""
        for node_id, shares in self.shares:
            if not 0 <= shares <= MAX_SHARES:
                msg = (
                    f"{tree.node(node_id).name} cannot have {shares} shares: write a number from 0 to "
                    f"{MAX_SHARES}"
                )
                raise TreeError(msg)
        inverse = SetShares(tuple((node_id, tree.node(node_id).shares) for node_id, _ in self.shares))
        for node_id, shares in self.shares:
            tree.writable(node_id).shares = shares
        return inverse

    def touched(self) -> tuple[int, ...]:
        """Return the nodes that get shares."""
        return tuple(node_id for node_id, _ in self.shares)


@dataclass(frozen=True, slots=True)
class Rename:
    """Give a node another name."""

    node: int
    name: str

    def apply(self, tree: ShareTree) -> Rename:
        """Rename; TreeError where a sibling has the name or it is not a name."""
        return Rename(self.node, tree.rename(self.node, self.name))

    def touched(self) -> tuple[int, ...]:
        """Return the renamed node."""
        return (self.node,)


# A comparison of two trees sets everything of a node that has no edit of its own.
FIELDS = ("kind", "system", "note", "usage", "charge", "last_use_s")
# SetField accepts these fields. Only the code of a format sets its other values.
_SETTABLE = (*FIELDS, "foreign")


@dataclass(frozen=True, slots=True)
class SetField:
    """Set one of `FIELDS` of a node, or its `foreign` keys as a whole."""

    node: int
    field: str
    value: Any

    def apply(self, tree: ShareTree) -> SetField:
        """Set the field; TreeError for one that cannot be set or a value that does not fit the tree."""
        node = tree.node(self.node)
        if self.field not in _SETTABLE:
            msg = f"{self.field} of a node cannot be set"
            raise TreeError(msg)
        value = self.value
        if self.field == "kind":
            value = Kind(value)
            if value is not Kind.GROUP and (node.children or node.parent is None):
                msg = f"{node.name} contains nodes, so it stays a group"
                raise TreeError(msg)
        if isinstance(value, int | float) and not abs(value) <= sys.float_info.max:
            msg = f"{self.field} of {node.name} must be a finite number"
            raise TreeError(msg)
        inverse = SetField(self.node, self.field, getattr(node, self.field))
        setattr(tree.writable(self.node), self.field, value)
        return inverse

    def touched(self) -> tuple[int, ...]:
        """Return the node that is edited."""
        return (self.node,)


@dataclass(frozen=True, slots=True)
class Move:
    """Put a node under another parent or at another place; `row` counts without the node itself."""

    node: int
    parent: int
    row: int

    def apply(self, tree: ShareTree) -> Move:
        """Move the node to its place in the tree.

        Raises:
            TreeError: the place is inside the node, under a user, or beside a node of the same name.
        """
        return Move(self.node, *tree.move(self.node, self.parent, self.row))

    def touched(self) -> tuple[int, ...]:
        """Return the moved node."""
        return (self.node,)


@dataclass(frozen=True, slots=True)
class Insert:
    """Put new nodes into the tree: the top first, children after their parents."""

    parent: int
    row: int
    nodes: tuple[Node, ...] = field(repr=False)

    def apply(self, tree: ShareTree) -> Remove:
        """Insert copies of the nodes.

        Raises:
            TreeError: they do not fit there.
        """
        tree.attach([twin(node) for node in self.nodes], self.parent, self.row)
        return Remove(self.nodes[0].id)

    def touched(self) -> tuple[int, ...]:
        """Return the top node of the inserted copies."""
        return (self.nodes[0].id,)


@dataclass(frozen=True, slots=True)
class Remove:
    """Take a node and all below it out of the tree."""

    node: int

    def apply(self, tree: ShareTree) -> Insert:
        """Remove; TreeError for the root."""
        node = tree.node(self.node)
        parent, row = node.parent, tree.row(self.node)
        if parent is None:
            msg = "the root cannot be removed"
            raise TreeError(msg)
        return Insert(parent, row, tuple(tree.detach(self.node)))

    def touched(self) -> tuple[int, ...]:
        """Return the removed node."""
        return (self.node,)


def apply_all(tree: ShareTree, edits: Sequence[Edit]) -> list[Edit]:
    """Apply edits in order and return the inverses in the order that undoes them.

    TreeError leaves the tree as it was.
    """
    inverses: list[Edit] = []
    try:
        for edit in edits:
            inverses.append(edit.apply(tree))  # noqa: PERF401 (what was done must be known when one fails)
    except (TreeError, KeyError) as error:
        for inverse in reversed(inverses):
            inverse.apply(tree)
        if isinstance(error, KeyError):
            msg = f"no node with id {error.args[0]} in the tree"
            raise TreeError(msg) from error
        raise
    inverses.reverse()
    return inverses


def copies(tree: ShareTree, source: ShareTree, node_id: int, name: str | None = None) -> tuple[Node, ...]:
    """Return the subtree at `node_id` of `source` with fresh ids of `tree`, ready for `Insert`."""
    originals = list(source.walk(node_id))
    ids = {node.id: tree.new_id() for node in originals}
    result = []
    for node in originals:
        fresh = twin(node)
        fresh.id = ids[node.id]
        fresh.parent = None if node.id == node_id else ids.get(node.parent or 0)
        fresh.children = [ids[child] for child in node.children]
        result.append(fresh)
    if name is not None:
        result[0].name = name
    return tuple(result)


def to_json(edit: Edit) -> dict[str, Any]:
    """Return an edit as plain data for journals and logs.

    Raises:
        TypeError: it is not an edit.
    """
    if isinstance(edit, SetShares):
        return {"edit": "set_shares", "shares": [list(pair) for pair in edit.shares]}
    if isinstance(edit, Rename):
        return {"edit": "rename", "node": edit.node, "name": edit.name}
    if isinstance(edit, SetField):
        return {"edit": "set_field", "node": edit.node, "field": edit.field, "value": edit.value}
    if isinstance(edit, Move):
        return {"edit": "move", "node": edit.node, "parent": edit.parent, "row": edit.row}
    if isinstance(edit, Remove):
        return {"edit": "remove", "node": edit.node}
    if isinstance(edit, Insert):
        nodes = [node_to_json(node) for node in edit.nodes]
        return {"edit": "insert", "parent": edit.parent, "row": edit.row, "nodes": nodes}
    msg = f"{edit!r} is not an edit"
    raise TypeError(msg)


def from_json(data: dict[str, Any]) -> Edit:
    """Return the edit that `to_json` wrote.

    Raises:
        ValueError: the data is not of an edit.
    """
    kind = data.get("edit")
    if kind == "set_shares":
        return SetShares(tuple((int(node), int(shares)) for node, shares in data["shares"]))
    if kind == "rename":
        return Rename(_whole(data["node"]), _words(data["name"]))
    if kind == "set_field":
        return SetField(_whole(data["node"]), _words(data["field"]), data["value"])
    if kind == "move":
        return Move(_whole(data["node"]), _whole(data["parent"]), _whole(data["row"]))
    if kind == "remove":
        return Remove(_whole(data["node"]))
    if kind == "insert":
        nodes = tuple(node_from_json(node) for node in data["nodes"])
        return Insert(_whole(data["parent"]), _whole(data["row"]), nodes)
    msg = f"{kind!r} is not an edit"
    raise ValueError(msg)


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        msg = f"{value!r} is not a whole number"
        raise ValueError(msg)  # noqa: TRY004 (of data, not of the program)
    return value


def _words(value: object) -> str:
    if not isinstance(value, str):
        msg = f"{value!r} is not text"
        raise ValueError(msg)  # noqa: TRY004 (of data, not of the program)
    return value


def node_to_json(node: Node) -> dict[str, Any]:
    """Return a node's fields as plain data."""
    return {name: getattr(node, name) for name in Node.__dataclass_fields__}


def node_from_json(data: dict[str, Any]) -> Node:
    """Return the node that `node_to_json` wrote."""
    return Node(**{**data, "kind": Kind(data["kind"])})


def tree_to_json(tree: ShareTree) -> list[dict[str, Any]]:
    """Return all nodes in depth-first order, for checkpoints."""
    return [node_to_json(node) for node in tree.walk()]


def tree_from_json(nodes: Iterable[dict[str, Any]], next_id: int) -> ShareTree:
    """Return the tree that `tree_to_json` wrote."""
    return ShareTree.from_nodes((node_from_json(node) for node in nodes), next_id)
