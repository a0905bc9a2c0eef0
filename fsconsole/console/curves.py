"""The one assignment of colours and dashes to nodes that legend, plots, map and exports share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QColor

from fsconsole.console.look.theme import colour
from fsconsole.figures.style.curves import CurveStyle, assign_curves
from fsconsole.shares.edits import Edit, Insert

if TYPE_CHECKING:
    from fsconsole.console.session import ConsoleSession

_UNKNOWN = CurveStyle("g2")


class NodeCurves(QObject):
    """Curve style of every node of the open document; a node keeps its own for the whole session.

    Signals: changed() after nodes came. With another document all are others; views hear of that from the
    session, and this object has heard of it before them.
    """

    changed = Signal()

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(session)
        self._session = session
        self._styles: dict[int, CurveStyle] = {}
        self._is_stale = False
        session.document_changed.connect(self._start_anew)
        session.edited.connect(self._follow)

    def style(self, node_id: int) -> CurveStyle:
        """Colour token and dash of a node; grey for one that is not known."""
        if self._is_stale:
            self._assign()
        return self._styles.get(node_id, _UNKNOWN)

    def colour(self, node_id: int) -> QColor:
        """Colour of a node in the theme in force. Treat it as read-only."""
        return colour(self.style(node_id).colour_token)

    @Slot()
    def _start_anew(self) -> None:
        self._styles = {}
        self._is_stale = True

    @Slot(object)
    def _follow(self, edits: Sequence[Edit]) -> None:
        if any(isinstance(edit, Insert) for edit in edits):
            self._is_stale = True
            self.changed.emit()

    def _assign(self) -> None:
        self._is_stale = False
        document = self._session.document
        if document is not None:
            self._styles = assign_curves(document.tree, self._styles)
