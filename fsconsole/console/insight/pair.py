"""Which two users are compared: the selected one, and another."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.session import ConsoleSession
from fsconsole.shares.edits import Edit, SetShares
from fsconsole.shares.tree import ROOT_ID, ShareTree

_MOST_CHOICES = 2000


class Pair(QObject):
    """Two leaves; the first follows the selection, the second is the next selected one or stays.

    Signals: changed() when others are compared, choices_changed() when there are others to choose from.
    """

    changed = Signal()
    choices_changed = Signal()

    def __init__(self, session: ConsoleSession, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._asked: int | None = None
        self._first: int | None = None
        self._other: int | None = None
        self._pid: int | None = None
        self._choices: list[tuple[int, str]] | None = None
        session.document_changed.connect(self._start)
        session.target_changed.connect(self.changed)
        session.edited.connect(self._on_edits)
        session.selection_changed.connect(self._follow_selection)
        self._start()
        self._follow_selection()

    @property
    def first(self) -> int | None:
        """Chosen node: a user, or a group that represents one of its users."""
        return self._asked

    @property
    def leaf(self) -> int | None:
        """Explained user once known: the chosen node, or the group's representative."""
        return self._first

    @property
    def other(self) -> int | None:
        """The user beside it; never the same."""
        return self._other if self._other != self._first else None

    @property
    def pid(self) -> int | None:
        """The process of the first that is meant; None for the next to run."""
        return self._pid

    @property
    def choices(self) -> list[tuple[int, str]]:
        """All users with their groups' names."""
        if self._choices is None:
            document = self._session.document
            self._choices = [] if document is None else _users(document.tree)
        return self._choices

    def choose_first(self, node: int) -> None:
        """Explain another user against the one compared with."""
        self._compare(node, self._other if self._other != node else self._first)

    def choose_other(self, node: int) -> None:
        """Compare with another user."""
        self._compare(self._asked if self._first != node else self._other, node)

    def choose_process(self, pid: int, node: int) -> None:
        """Explain one process of a user."""
        self._compare(node, self._other, pid)

    def was_explained(self, leaf: int) -> None:
        """Take the user that was explained for the node asked for as the first of the pair."""
        if leaf != self._first:
            self._first = leaf
            if self._other == leaf:
                self._other = self._somebody_else()

    # -- inside -------------------------------------------------------------------------------------------

    def _compare(self, first: int | None, other: int | None, pid: int | None = None) -> None:
        before = (self._asked, self._other, self._pid)
        self._asked = self._first = first
        self._pid = pid
        tree = None if self._session.document is None else self._session.document.tree
        is_there = tree is not None and other is not None and other in tree
        self._other = other if is_there and other != first else self._somebody_else()
        if (self._asked, self._other, self._pid) != before:
            self.changed.emit()

    def _somebody_else(self) -> int | None:
        """Return a user of another group who is there, else any other."""
        document, first = self._session.document, self._first
        if document is None:
            return None
        present = self._present()
        # Nodes that an edit has just removed remain among the choices until `edited` is emitted.
        others = [node for node, _ in self.choices if node != first and node in document.tree]
        mine = document.tree.node(first).parent if first is not None and first in document.tree else None
        ranked = sorted(
            others, key=lambda node: (node not in present, document.tree.node(node).parent == mine)
        )
        return ranked[0] if ranked else None

    def _present(self) -> set[int]:
        """Return users with processes, as far as known."""
        snapshot, document = self._session.snapshot, self._session.document
        if snapshot is not None:
            return {row.node for row in snapshot.processes}
        return set() if document is None else {load.node for load in document.scenario.workloads}

    @Slot()
    def _start(self) -> None:
        self._choices = None
        self._asked = self._first = self._other = self._pid = None
        present = self._present()
        ranked = sorted((node for node, _ in self.choices), key=lambda node: node not in present)
        if ranked:
            self._compare(ranked[0], None)
        else:
            self.changed.emit()
        self.choices_changed.emit()

    @Slot(object)
    def _on_edits(self, edits: tuple[Edit, ...]) -> None:
        if all(isinstance(edit, SetShares) for edit in edits):
            return  # The users and their names are the same.
        self._choices = None
        there = {node for node, _ in self.choices}
        document = self._session.document
        asked = self._asked
        is_there = document is not None and asked is not None and asked in document.tree
        has_leaf = document is not None and self._first is not None and self._first in document.tree
        if not (is_there and has_leaf) or self._other not in there:
            kept = asked if is_there else next(iter(there), None)
            self._compare(kept, self._other if self._other in there else None)
        self.choices_changed.emit()

    @Slot()
    def _follow_selection(self) -> None:
        document = self._session.document
        chosen = (node for node in self._session.selection if node != ROOT_ID)
        first = next(chosen, None)
        if document is None or first is None or first not in document.tree:
            return
        users = (node for node in chosen if not document.tree.node(node).is_group)
        self._compare(first, next(users, self._other))


def _users(tree: ShareTree) -> list[tuple[int, str]]:
    """Return leaves with the names of their groups; of very many, the first ones."""
    found = []
    for node in tree.walk():
        if node.is_group or node.parent is None:
            continue
        above = tree.node(node.parent).name
        found.append((node.id, node.name if node.parent == ROOT_ID else f"{node.name} ({above})"))
        if len(found) == _MOST_CHOICES:
            break
    return found
