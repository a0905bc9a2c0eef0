"""The edits that lead from one tree to another."""

from __future__ import annotations

from fsconsole.shares.edits import (
    FIELDS,
    Edit,
    Insert,
    Move,
    Remove,
    Rename,
    SetField,
    SetShares,
)
from fsconsole.shares.matching import matched
from fsconsole.shares.tree import Node, ShareTree


def diff(before: ShareTree, after: ShareTree, *, by_path: bool = False) -> list[Edit]:
    """Return edits that turn `before` into `after`.

    Nodes are matched by id (two states of one document) or, `by_path`, by their names (two files), as
    `matched` says. Applying them to a copy of `before` gives a tree equal to `after` (up to ids where
    `by_path`).
    """
    after = matched(before, after) if by_path else after
    return _Comparison(before.copy(), after).edits()


class _Comparison:
    """Builds the edits while it applies them to a working copy, so that rows are always right."""

    def __init__(self, work: ShareTree, after: ShareTree) -> None:
        self._work = work
        self._after = after
        self._edits: list[Edit] = []

    def edits(self) -> list[Edit]:
        self._make_room_for_names()
        for group in list(self._after.walk()):
            for row, child in enumerate(group.children):
                self._place(self._after.node(child), group.id, row)
        for node in list(self._work.walk()):
            if node.id in self._work and node.id not in self._after:
                self._do(Remove(node.id))
        for node in self._after.walk():
            self._set_values(node)
        return self._edits

    def _do(self, edit: Edit) -> None:
        edit.apply(self._work)
        self._edits.append(edit)

    def _make_room_for_names(self) -> None:
        """Remove nodes with nothing of the result below them, so that their names are free."""
        for node in list(self._work.walk()):
            gone = node.id in self._work and node.id not in self._after
            if gone and not any(below.id in self._after for below in self._work.walk(node.id)):
                self._do(Remove(node.id))

    def _place(self, node: Node, parent: int, row: int) -> None:
        if node.id not in self._work:
            self._free_name(node)
            bare = Node(node.id, node.name, node.shares, node.kind, foreign=dict(node.foreign))
            self._do(Insert(parent, row, (bare,)))
            return
        here = self._work.node(node.id)
        if here.is_group != node.is_group and node.is_group:
            self._do(SetField(node.id, "kind", node.kind))
        if self._work.node(parent).children[row : row + 1] != [node.id]:
            self._free_name(node, here.name)
            self._do(Move(node.id, parent, row))

    def _free_name(self, node: Node, name: str | None = None) -> None:
        """Set a temporary name on a node that blocks a name."""
        if node.parent is None:
            return
        other = self._work.child_named(node.parent, name or node.name)
        if other is not None and other.id != node.id:
            self._do(Rename(other.id, f"{other.name}~{other.id}"))

    def _set_values(self, node: Node) -> None:
        here = self._work.node(node.id)
        if here.name != node.name:
            self._free_name(node)
            self._do(Rename(node.id, node.name))
        if here.shares != node.shares:
            self._do(SetShares.of(node.id, node.shares))
        for name in FIELDS:
            if getattr(here, name) != getattr(node, name):
                self._do(SetField(node.id, name, getattr(node, name)))
