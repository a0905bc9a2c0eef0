"""Finding nodes as one types: which rows match, and a proxy that shows them with their groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel

from fsconsole.console.design.tree_model import ShareTreeModel, node_of
from fsconsole.console.document import Document
from fsconsole.shares.edits import Edit, SetShares
from fsconsole.shares.flat import Bools, FlatTree


@dataclass(frozen=True, eq=False, slots=True)
class Found:
    """Rows of a tree that a search is about.

    Attributes:
        matches: rows whose name or note holds the text.
        above: groups on the way to a match, to be expanded.
        shown: matches, what is above and what is below them.
    """

    flat: FlatTree
    matches: Bools
    above: Bools
    shown: Bools


def find(flat: FlatTree, texts: list[str], wanted: str) -> Found:
    """Search `texts` (case folded, one per row) for a text; O(n) and quick: 100,000 rows in some ms."""
    wanted = wanted.casefold()
    matches = np.fromiter((wanted in text for text in texts), np.bool_, len(texts))
    above, below = np.zeros(len(flat), np.bool_), matches.copy()
    for level in reversed(flat.levels[1:]):
        above[flat.parent[level[matches[level] | above[level]]]] = True
    for level in flat.levels[1:]:
        below[level] |= below[flat.parent[level]]
    return Found(flat, matches, above, below | above)


class NodeTexts:
    """What is searched, kept until a name or a note changes."""

    def __init__(self) -> None:
        self._of: FlatTree | None = None
        self._texts: list[str] = []

    def heed(self, edits: tuple[Edit, ...]) -> None:
        """Forget the texts where edits may have changed one."""
        if any(not isinstance(edit, SetShares) for edit in edits):
            self._of = None

    def of(self, document: Document) -> list[str]:
        """Name and note of every row of the flat tree."""
        flat = document.flat
        if self._of is None or self._of.row_of is not flat.row_of:
            self._texts = [f"{node.name}\n{node.note}".casefold() for node in document.tree.walk()]
            self._of = flat
        return self._texts


class NodeFilter(QSortFilterProxyModel):
    """Leaves out the rows that a search does not show; nodes that came later are shown."""

    def __init__(self, model: ShareTreeModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._found: Found | None = None
        self.setSourceModel(model)

    @property
    def found(self) -> Found | None:
        """The search in force."""
        return self._found

    def show_found(self, found: Found | None) -> None:
        """Show what was found; None shows everything."""
        self.beginFilterChange()
        self._found = found
        self.endFilterChange()

    def filterAcceptsRow(self, row: int, parent: QModelIndex | QPersistentModelIndex) -> bool:
        """Whether the search shows the node."""
        if self._found is None:
            return True
        node = node_of(self.sourceModel().index(row, 0, parent))
        place = self._found.flat.row_of.get(node)
        return place is None or bool(self._found.shown[place])
