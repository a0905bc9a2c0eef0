"""The share tree: nodes with ids that never change and ordered children.

A tree is changed only by the edits of :mod:`fsconsole.shares.edits`; the methods here that do it
(`attach`, `detach`, `move`, `rename`) keep the structure sound and nothing else. Copies share nodes, and what
was derived from them, until one side changes them (`writable`), so the console, the machine's thread and
previews each have a tree of their own at the price of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from fsconsole.text.visible_text import control_in

T = TypeVar("T")
ROOT_ID = 0


class Kind(StrEnum):
    """Kinds of nodes: groups hold nodes, users and accounts hold work."""

    GROUP = "group"
    USER = "user"
    ACCOUNT = "account"


class TreeError(ValueError):
    """An edit would leave the tree unsound; the message gives the fault."""


def check_spelling(name: str) -> None:
    """Raise TreeError for what cannot be a node's name anywhere."""
    if control := control_in(name):
        msg = f"{name!r} is not a name: it holds the control character {control}. Leave it out."
        raise TreeError(msg)
    if not name.strip():
        raise TreeError("Type a name: an empty text is not a name")
    if "/" in name:
        msg = f"{name!r} is not a name: it holds a slash. Leave it out."
        raise TreeError(msg)


@dataclass(slots=True)
class Node:
    """One node of a share tree.

    `shares` is an integer weight among siblings. `usage` (cost units, decayed), `charge` (CPU
    seconds, never decayed) and `last_use_s` (seconds relative to time 0, so negative or 0) are
    what a leaf starts with. `foreign` keeps the keys of the format that the node came from.
    """

    id: int
    name: str
    shares: int = 1
    kind: Kind = Kind.USER
    system: bool = False
    note: str = ""
    usage: float = 0.0
    charge: float = 0.0
    last_use_s: float | None = None
    foreign: dict[str, str] = field(default_factory=dict)
    parent: int | None = None
    children: list[int] = field(default_factory=list)

    @property
    def is_group(self) -> bool:
        """True if the node may hold other nodes."""
        return self.kind is Kind.GROUP


def twin(node: Node) -> Node:
    """Return an independent copy of a node, same id and links."""
    other = copy(node)
    other.children = list(node.children)
    other.foreign = dict(node.foreign)
    return other


class ShareTree:
    """An ordered tree of `Node`; ids are given once and never used again."""

    def __init__(self, name: str = "root", shares: int = 1) -> None:
        """Make a tree of one root group."""
        self._nodes: dict[int, Node] = {ROOT_ID: Node(ROOT_ID, name, shares, Kind.GROUP)}
        self._next_id = ROOT_ID + 1
        # Nodes that no copy of the tree shares; None before the first copy, when all are the tree's own.
        # While it is empty, copies share `_nodes` itself.
        self._own: set[int] | None = None
        self._derived: dict[Callable[[ShareTree], Any], Any] = {}
        # Only groups that were asked for have entries; without them, each look into a wide group would read
        # it all.
        self._named: dict[int, dict[str, int]] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._nodes

    @property
    def root(self) -> Node:
        """The root group: a pure scale factor, never shared."""
        return self._nodes[ROOT_ID]

    @property
    def next_id(self) -> int:
        """The id that the next new node will get."""
        return self._next_id

    def node(self, node_id: int) -> Node:
        """Return the node with an id, for reading.

        Raises:
            KeyError: there is none.
        """
        return self._nodes[node_id]

    def writable(self, node_id: int) -> Node:
        """Return the node of that id, for an edit to change: its own twin where a copy of the tree shares
        it.
        """
        self._derived = {}
        if self._own is not None and node_id not in self._own:
            if not self._own:
                self._nodes = self._nodes.copy()
            self._nodes[node_id] = twin(self._nodes[node_id])
            self._own.add(node_id)
        return self._nodes[node_id]

    def derived(self, make: Callable[[ShareTree], T]) -> T:
        """Return the result of `make` for the nodes; the tree and its copies keep it until a node changes."""
        if make not in self._derived:
            self._derived[make] = make(self)
        found: T = self._derived[make]
        return found

    def new_id(self) -> int:
        """Return a fresh id."""
        self._next_id += 1
        return self._next_id - 1

    def children(self, node_id: int) -> list[Node]:
        """Return the children in order."""
        return [self._nodes[child] for child in self._nodes[node_id].children]

    def siblings(self, node_id: int) -> list[Node]:
        """Return all children of the node's parent, the node included; the root alone for the root."""
        parent = self._nodes[node_id].parent
        return [self.root] if parent is None else self.children(parent)

    def row(self, node_id: int) -> int:
        """Return the node's place among its siblings."""
        parent = self._nodes[node_id].parent
        return 0 if parent is None else self._nodes[parent].children.index(node_id)

    def walk(self, start: int = ROOT_ID) -> Iterator[Node]:
        """Yield the subtree's nodes in depth-first order, parents before children."""
        stack = [start]
        nodes = self._nodes
        while stack:
            node = nodes[stack.pop()]
            yield node
            stack.extend(reversed(node.children))

    def ancestors(self, node_id: int) -> Iterator[Node]:
        """Yield the node's parent, its parent and so on up to the root."""
        parent = self._nodes[node_id].parent
        while parent is not None:
            node = self._nodes[parent]
            yield node
            parent = node.parent

    def depth(self, node_id: int) -> int:
        """Return number of ancestors: 0 for the root."""
        return sum(1 for _ in self.ancestors(node_id))

    def is_within(self, node_id: int, ancestor: int) -> bool:
        """Return True if the node is `ancestor` or below it."""
        return node_id == ancestor or any(up.id == ancestor for up in self.ancestors(node_id))

    def is_system(self, node_id: int) -> bool:
        """Return True if the node or a group above it is marked as a system group."""
        return self._nodes[node_id].system or any(up.system for up in self.ancestors(node_id))

    def path(self, node_id: int) -> str:
        """Return names from the root down, joined by slashes."""
        names = [self._nodes[node_id].name, *(up.name for up in self.ancestors(node_id))]
        return "/".join(reversed(names))

    def paths(self) -> dict[int, str]:
        """Compute `path` of every node in depth-first order, in one pass."""
        paths: dict[int, str] = {}
        for node in self.walk():
            paths[node.id] = node.name if node.parent is None else f"{paths[node.parent]}/{node.name}"
        return paths

    def child_named(self, node_id: int, name: str) -> Node | None:
        """Return the child of that name."""
        named = self._named.get(node_id)
        if named is None:
            named = self._named[node_id] = {}
            for child in reversed(self.children(node_id)):
                named[child.name] = child.id
        return self._nodes[named[name]] if name in named else None

    def find(self, path: str) -> Node:
        """Return the node at a path from the root, or of a name that occurs once; LookupError otherwise."""
        node = self._at_path(path)
        if node is not None:
            return node
        named = [node for node in self.walk() if node.name == path]
        if len(named) == 1:
            return named[0]
        if named:
            places = ", ".join(self.path(node.id) for node in named[:4])
            msg = f"{path!r} is the name of {len(named)} nodes. Write one of {places}"
        else:
            msg = f"node {path!r} not found in the tree"
        raise LookupError(msg)

    def _at_path(self, path: str) -> Node | None:
        parts = path.strip("/").split("/")
        below_root = self._below_root(parts[1:]) if parts[0] == self.root.name else None
        return below_root or self._below_root(parts)

    def _below_root(self, names: Sequence[str]) -> Node | None:
        node: Node | None = self.root
        for name in names:
            node = self.child_named(node.id, name) if node is not None else None
        return node

    def copy(self) -> ShareTree:
        """Return an independent tree with the same ids; nodes are shared until one side changes them."""
        other = ShareTree()
        other._nodes, other._next_id, other._derived = self._nodes, self._next_id, self._derived
        self._own, other._own = set(), set()
        return other

    @classmethod
    def from_nodes(cls, nodes: Iterable[Node], next_id: int) -> ShareTree:
        """Return a tree of nodes that are linked already, as a checkpoint has them."""
        tree = cls()
        tree._nodes = {node.id: node for node in nodes}
        tree._next_id = next_id
        return tree

    def same_as(self, other: ShareTree) -> bool:
        """Return True if both hold the same nodes, ids and order."""
        return self._nodes == other._nodes

    def add(self, parent: int, name: str, shares: int = 1, kind: Kind = Kind.USER) -> Node:
        """Append a new node while a tree is built.

        Raises:
            TreeError: it does not fit there.
        """
        node = Node(self.new_id(), name, shares, kind)
        self.attach([node], parent, len(self._nodes[parent].children))
        return node

    def attach(self, subtree: list[Node], parent: int, row: int) -> None:
        """Insert a detached subtree (its top first) under `parent`.

        Raises:
            TreeError: it does not fit there.
        """
        top = subtree[0]
        self.check_place(top.name, parent, row)
        for node in subtree:
            if node.id in self._nodes:
                msg = f"a node with id {node.id} is already in the tree"
                raise TreeError(msg)
        self.writable(parent)
        self._nodes.update((node.id, node) for node in subtree)
        if self._own is not None:
            self._own.update(node.id for node in subtree)
        self._hang(top, parent, row)
        self._next_id = max(self._next_id, 1 + max(node.id for node in subtree))

    def detach(self, node_id: int) -> list[Node]:
        """Remove a subtree and return its nodes, the top first.

        Raises:
            TreeError: it is the root.
        """
        if self._nodes[node_id].parent is None:
            msg = "the root cannot be removed"
            raise TreeError(msg)
        node = self.writable(node_id)
        subtree = list(self.walk(node_id))
        self._unhang(node)
        node.parent = None
        for gone in subtree:
            del self._nodes[gone.id]
            self._named.pop(gone.id, None)
        return subtree

    def move(self, node_id: int, parent: int, row: int) -> tuple[int, int]:
        """Move a node to child `row`, counted without it; return its previous parent and row.

        TreeError if it does not fit there.
        """
        node = self._nodes[node_id]
        if node.parent is None:
            msg = "the root cannot be moved"
            raise TreeError(msg)
        self.check_place(node.name, parent, row, moving=node_id)
        before = node.parent, self.row(node_id)
        self._unhang(node)
        self._hang(self.writable(node_id), parent, row)
        return before

    def rename(self, node_id: int, name: str) -> str:
        """Give a node another name, return the old one.

        Raises:
            TreeError: a sibling has it, or it is not a name.
        """
        self.check_name(name, self._nodes[node_id].parent, except_id=node_id)
        node = self.writable(node_id)
        before, node.name = node.name, name
        if node.parent in self._named:
            self._named[node.parent].pop(before, None)
            self._named[node.parent][name] = node_id
        return before

    def _hang(self, node: Node, parent: int, row: int) -> None:
        node.parent = parent
        self.writable(parent).children.insert(row, node.id)
        if parent in self._named:
            self._named[parent][node.name] = node.id

    def _unhang(self, node: Node) -> None:
        if node.parent is None:
            return
        self.writable(node.parent).children.remove(node.id)
        if node.parent in self._named:
            self._named[node.parent].pop(node.name, None)

    def check_place(self, name: str, parent: int, row: int, *, moving: int | None = None) -> None:
        """Raise TreeError if a node with this name does not fit as child `row` of `parent`."""
        if parent not in self._nodes:
            msg = f"no node with id {parent} in the tree"
            raise TreeError(msg)
        holder = self._nodes[parent]
        if not holder.is_group:
            msg = f"{holder.name} is a {holder.kind}, but only a group can contain nodes"
            raise TreeError(msg)
        if moving is not None and self.is_within(parent, moving):
            msg = f"{self._nodes[moving].name} cannot move into itself"
            raise TreeError(msg)
        same_parent = moving is not None and self._nodes[moving].parent == parent
        if not 0 <= row <= len(holder.children) - same_parent:
            msg = f"{holder.name} has no position {row}"
            raise TreeError(msg)
        self.check_name(name, parent, except_id=moving)

    def check_name(self, name: str, parent: int | None, *, except_id: int | None = None) -> None:
        """Raise TreeError where a child of `parent` cannot have that name."""
        check_spelling(name)
        if parent is None:
            return
        other = self.child_named(parent, name)
        if other is not None and other.id != except_id:
            msg = f"{self._nodes[parent].name} already has a child {name}"
            raise TreeError(msg)
