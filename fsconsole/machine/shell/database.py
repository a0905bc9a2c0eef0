"""The share database of a machine: entries with shares, usage and charge, and their changes.

It is the tree including the edits that wait for the next delta, and the books as they will be then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fsconsole.machine.machine import Machine
from fsconsole.machine.operate import MAX_CHARGE_S, MAX_USAGE
from fsconsole.machine.shell.reply import Refused
from fsconsole.machine.shell.session import Session
from fsconsole.shares.edits import Edit, Insert, Move, Rename, SetField, SetShares
from fsconsole.shares.formats.sharecf import Entry, path_text, settings_of
from fsconsole.shares.quoting import quoted
from fsconsole.shares.scenario.actions import ChangeTree, SetBooks
from fsconsole.shares.tree import ROOT_ID, Kind, Node, ShareTree, TreeError, check_spelling, twin
from fsconsole.text.words import listed

_DIGITS = 12  # This many digits of usage and charge do not depend on the order of summation.
_MOST = {"usage": MAX_USAGE, "charge": MAX_CHARGE_S}
_SHOWN = 10


class Books:
    """Usage (cost units) and charge (CPU seconds) of every leaf in the database."""

    def __init__(self, machine: Machine) -> None:
        """Read the machine's columns, and the values that will replace them."""
        self._machine = machine
        self._usage = machine.state.usage.tolist()
        self._charge = (machine.state.charge / machine.spec.cost_per_cpu_s).tolist()
        self._waiting: dict[tuple[int, str], float] = {}
        waiting = [action for action in machine.waiting.actions if isinstance(action, SetBooks)]
        for books in (*machine.waiting.books, *waiting):
            for name in _MOST:
                value = getattr(books, name)
                if value is not None:
                    self._waiting[books.node, name] = value

    def of(self, node_id: int, name: str) -> float:
        """Return usage or charge of a leaf, rounded to the stored digits."""
        row = self._machine.flat.row_of.get(node_id)
        column = self._usage if name == "usage" else self._charge
        now = 0.0 if row is None else column[row]
        return rounded(self._waiting.get((node_id, name), now))

    def entry(self, node: Node) -> Node:
        """Return a node of the tree with its books, without fields outside the database."""
        entry = twin(node)
        entry.last_use_s = None
        is_leaf = not node.is_group
        entry.usage, entry.charge = (self.of(node.id, name) if is_leaf else 0.0 for name in _MOST)
        return entry


def rounded(value: float) -> float:
    """Return a value rounded to the stored digits."""
    return float(f"{value:.{_DIGITS}g}")


def node_path(tree: ShareTree, node_id: int) -> str:
    """Return the path below the root in a database's form, in quotes if necessary."""
    names = [tree.node(node_id).name, *(up.name for up in tree.ancestors(node_id))][:-1]
    return path_text(tuple(reversed(names)))


def database_lines(machine: Machine, start: int, *, as_lim: bool) -> list[str]:
    """Return the lines of all entries from a node down, with the groups above them."""
    tree, books = machine.tree, Books(machine)
    above = [node for node in reversed(list(tree.ancestors(start))) if node.id != ROOT_ID]
    nodes = [*above, *tree.walk(start)]
    found = []
    for node in nodes:
        path, settings = node_path(tree, node.id), settings_of(books.entry(node))
        found.append(f"lim -n {path} {settings}" if as_lim else f"{path} {settings}")
    return found


class Changes:
    """Changes of a machine's database: computed on a copy, then made all at once or not at all."""

    def __init__(self, session: Session) -> None:
        """Start without changes."""
        self._session = session
        self._books_now = Books(session.machine)
        self.work: ShareTree = session.machine.tree.copy()
        self._edits: list[Edit] = []
        self._books: dict[int, SetBooks] = {}
        self.new: list[str] = []
        self.changed: list[str] = []

    def edit(self, edit: Edit) -> None:
        """Add an edit to the changes.

        Raises:
            TreeError: the edit is not possible.
        """
        edit.apply(self.work)
        self._edits.append(edit)

    def set_books(self, node: Node, name: str, value: float) -> None:
        """Set usage or charge of a user.

        Raises:
            Refused: the node is a group, or the value is out of range.
        """
        if rounded(value) == self._books_now.of(node.id, name):
            return
        if node.is_group:
            msg = f"{name} applies only to users, and {node.name} is a group"
            raise Refused(msg)
        if not 0 <= value <= _MOST[name]:
            msg = f"{name} must be a number from 0 to {_MOST[name]:g}, not {value:g}"
            raise Refused(msg)
        books = self._books.get(node.id, SetBooks(node.id))
        self._books[node.id] = (
            replace(books, usage=value) if name == "usage" else replace(books, charge=value)
        )

    def set_values(self, node: Node, values: dict[str, object]) -> None:
        """Set a node's values to those of an entry."""
        for name, value in values.items():
            if name in _MOST:
                self.set_books(self.work.node(node.id), name, float(str(value)))
            elif getattr(self.work.node(node.id), name) == value:
                continue
            elif name == "shares":
                self.edit(SetShares.of(node.id, int(str(value))))
            elif name == "name":
                self.edit(Rename(node.id, str(value)))
            elif name != "last_use_s":  # A running machine keeps its own time of last use.
                self.edit(SetField(node.id, name, value))

    def insert(self, parent: int, name: str, kind: Kind) -> Node:
        """Insert a new entry and return its node.

        Raises:
            TreeError: it is not possible there.
        """
        check_spelling(name)
        node = Node(self.work.new_id(), name, kind=kind)
        self.edit(Insert(parent, len(self.work.node(parent).children), (node,)))
        self.new.append(name)
        return self.work.node(node.id)

    def move(self, node: Node, parent: int) -> None:
        """Move a node into another group.

        Raises:
            TreeError: it is not possible there.
        """
        if node.parent != parent:
            self.edit(Move(node.id, parent, len(self.work.node(parent).children)))

    def count(self) -> int:
        """Return the number of changes so far."""
        return len(self._edits) + len(self._books)

    def make(self) -> str:
        """Make all changes, journalled; return them in words."""
        if not self.count():
            return "Nothing changes: the database already has these values"
        if self._edits:
            self._session.act(ChangeTree(tuple(self._edits)))
        for books in self._books.values():
            self._session.act(books)
        lines = [_listed("new", self.new), _listed("changed", [n for n in self.changed if n not in self.new])]
        when = self._session.in_force()
        return f"{'; '.join(part for part in lines if part) or 'changed'}; {when}"


def _listed(word: str, names: Sequence[str]) -> str:
    return f"{word}: {listed([quoted(name) for name in names], _SHOWN)}" if names else ""


def take_entries(session: Session, entries: Iterable[Entry]) -> str:
    """Apply the differences between a database's lines and the machine.

    Raises:
        Refused: a change is not possible; the message names the line.
    """
    changes = Changes(session)
    entries = list(entries)
    places = _Places(changes.work, entries)
    for entry in entries:
        before = changes.count()
        try:
            node = _node_for(changes, places, entry)
            changes.set_values(node, dict(entry.values))
        except (TreeError, Refused, LookupError) as error:
            msg = f"line {entry.line}: {error.args[0]}"
            raise Refused(msg) from None
        if changes.count() > before:
            changes.changed.append(node.name)
    return changes.make()


class _Places:
    """Present places of entries in the tree: at their path, or at another one under a unique name."""

    def __init__(self, tree: ShareTree, entries: Sequence[Entry]) -> None:
        self.known: dict[tuple[str, ...], int] = {(): ROOT_ID}
        self._moving: dict[str, int] = {}
        below = len(tree.root.name) + 1
        here = {path[below:]: node_id for node_id, path in tree.paths().items() if node_id != ROOT_ID}
        taken = {here["/".join(entry.path)] for entry in entries if "/".join(entry.path) in here}
        self._here = here
        wanted = Counter(entry.path[-1] for entry in entries if entry.path)
        free = Counter(node.name for node in tree.walk() if not node.is_group)
        for node in tree.walk():
            alone = wanted[node.name] == 1 and free[node.name] == 1
            if alone and not node.is_group and node.id not in taken:
                self._moving[node.name] = node.id

    def at(self, path: tuple[str, ...]) -> int | None:
        """Return the node at a path."""
        return self._here.get("/".join(path))

    def elsewhere(self, name: str) -> int | None:
        """Return the only user of that name at a place without an entry."""
        return self._moving.get(name)


def _node_for(changes: Changes, places: _Places, entry: Entry) -> Node:
    """Return the node of an entry: in place, moved there, or new."""
    if not entry.path:
        return changes.work.root
    node_id = places.at(entry.path)
    if node_id is None:
        parent = places.known.get(entry.path[:-1], places.at(entry.path[:-1]))
        if parent is None:
            msg = f"no group {path_text(entry.path[:-1])}. Its line must precede those of its users"
            raise TreeError(msg)
        moved = places.elsewhere(entry.path[-1])
        if moved is None:
            node_id = changes.insert(parent, entry.path[-1], entry.values.get("kind", Kind.USER)).id
        else:
            changes.move(changes.work.node(moved), parent)
            node_id = moved
    places.known[entry.path] = node_id
    return changes.work.node(node_id)
