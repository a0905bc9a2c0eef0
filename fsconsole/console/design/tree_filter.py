"""Finding nodes as one types: which rows match, and which are shown with them. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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

    def groups_to_expand(self, most_rows: int) -> list[int]:
        """Return ids of the first groups above matches, as many as keep within a number of rows."""
        shown_children = np.bincount(self.flat.parent[1:][self.shown[1:]], minlength=len(self.flat))
        groups = np.flatnonzero(self.above)
        fitting = int(np.searchsorted(np.cumsum(shown_children[groups]), most_rows, side="right"))
        ids: list[int] = self.flat.ids[groups[: max(fitting, len(self.flat.levels))]].tolist()
        return ids

    def shows(self, node_id: int) -> bool:
        """Return True if a node is shown, as all nodes added later are."""
        row = self.flat.row_of.get(node_id)
        return row is None or bool(self.shown[row])


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

    def forget_edited(self, edits: tuple[Edit, ...]) -> None:
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
