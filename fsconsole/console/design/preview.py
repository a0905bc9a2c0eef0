"""Shares as they would be while they are typed or dragged: table, map and readouts show the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.flat import FlatTree, Floats
from fsconsole.shares.tree import ShareTree


@dataclass(frozen=True, eq=False, slots=True)
class Figures:
    """Columns of a tree with what follows from them: share of group and share of machine per row."""

    flat: FlatTree
    part: Floats
    machine: Floats

    @classmethod
    def of(cls, flat: FlatTree) -> Figures:
        """Compute shares of group and machine of a tree."""
        part = flat.part_of_parent()
        return cls(flat, part, flat.product_down(part))

    def machine_share(self, node_id: int) -> float:
        """Return the share of the machine of a node."""
        return float(self.machine[self.flat.row_of[node_id]])

    def part_of_group(self, node_id: int) -> float:
        """Return the share of its group of a node."""
        return float(self.part[self.flat.row_of[node_id]])


_NOTHING = Figures.of(FlatTree.of(ShareTree()))


class SharePreview(QObject):
    """Figures of the open document, and those with shares that are not committed yet.

    Signals: changed() when a preview begins, changes or ends.
    """

    changed = Signal()

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(session)
        self._session = session
        self._pairs: tuple[tuple[int, int], ...] = ()
        self._of: Document | None = None
        self._settled = _NOTHING
        self._shown: Figures | None = None
        session.edited.connect(self.clear)
        session.document_changed.connect(self.clear)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """(node id, shares) that are tried in the open document; empty when nothing is."""
        return self._pairs if self._of is self._session.document else ()

    @property
    def settled(self) -> Figures:
        """Shares of the document, without what is dragged."""
        document = self._session.document
        if document is None:
            return _NOTHING
        if self._settled.flat is not document.flat:
            self._settled = Figures.of(document.flat)
        return self._settled

    @property
    def shown(self) -> Figures:
        """The figures to show: those tried, else the document's."""
        settled, tried = self.settled, self._shown
        # Between an edit of the structure and the end of the preview, the rows differ.
        return tried if tried is not None and tried.flat.row_of is settled.flat.row_of else settled

    def tries(self, node_id: int) -> bool:
        """Return True if other shares of a node are tried."""
        return any(node_id == tried for tried, _ in self.pairs)

    def shares(self, node_id: int) -> int:
        """Return the effective shares of a node; tried ones come first."""
        figures = self.shown
        return int(figures.flat.shares[figures.flat.row_of[node_id]])

    def show(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Show what these shares would do."""
        if tuple(pairs) == self._pairs:
            return
        self._pairs, self._of = tuple(pairs), self._session.document
        self._shown = Figures.of(self.settled.flat.with_shares(self._pairs)) if pairs else None
        self.changed.emit()

    def clear(self) -> None:
        """Show the document as it is."""
        self.show(())
