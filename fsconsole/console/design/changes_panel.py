"""Changes since saved: one row per edit, the newest first."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.app.edit_words import Change
from fsconsole.console.design.rows_view import Row, RowsView
from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.copying import copy_cells
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.text import numbers
from fsconsole.text.words import count_label

_TITLES = ("Edit", "Node", "Before", "After", "Machine, points", "Time")
_RESTORED = "Restored copy: the document differs from the saved file"
_WIDTHS = (106, 110, 82, 82, 112, 58)


class ChangesPanel(RowsView):
    """The document's undo stack in words; click selects the nodes of a row.

    Signals: count_changed(int).
    """

    count_changed = Signal(int)

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(
            "Changes since saved", _TITLES, _WIDTHS, session.preferences, parent,
            right=(4, 5), muted=(2, 5), wide=1,
        )  # fmt: skip
        self._session = session
        self._document: Document | None = None
        self._notice = EmptyNotice(self)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        self.chosen.connect(self._select)
        session.document_changed.connect(self._open)
        self._open()

    def undo_to_here(self) -> None:
        """Take back all that is newer than the current row, and the row itself stays."""
        index, document = self.currentIndex(), self._session.document
        if index.isValid() and document is not None:
            document.stack.setIndex(document.stack.index() - index.row())

    def _open(self) -> None:
        if self._document is not None:
            self._document.stack.indexChanged.disconnect(self._refresh)
            self._document.stack.cleanChanged.disconnect(self._refresh)
        self._document = self._session.document
        if self._document is not None:
            self._document.stack.indexChanged.connect(self._refresh)
            self._document.stack.cleanChanged.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        document = self._document
        rows = [_row(change) for change in changes_since_saved(document)]
        if document is not None and document.is_restored:
            rows.append(Row((_RESTORED, *("" for _ in _TITLES[1:]))))
        self.rows.set_rows(rows)
        for at, row in enumerate(rows):
            self.setFirstColumnSpanned(at, QModelIndex(), row.cells[0] == _RESTORED)
        self.count_changed.emit(len(rows))
        if rows or document is None:
            self._notice.hide()
        else:
            self._notice.say(_nothing_words(document))

    def _select(self, row: Row) -> None:
        document = self._session.document
        if document is not None:
            self._session.select(node for node in row.nodes if node in document.tree)

    def _show_menu(self, at: QPoint) -> None:
        if self.current_row() is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        here = QAction("Undo to here", menu)
        here.setEnabled(self.currentIndex().row() > 0)
        here.triggered.connect(self.undo_to_here)
        copy = QAction("Copy rows", menu)
        copy.triggered.connect(partial(copy_cells, self))
        menu.addActions([here, copy])
        menu.popup(self.viewport().mapToGlobal(at))


def _nothing_words(document: Document) -> str:
    undone = document.stack.cleanIndex() - document.stack.index()
    if not document.is_modified:
        return "No edits since the tree was saved." if document.path else "No edits yet. Not saved to a file."
    if undone > 0:
        return count_label(undone, "saved change is undone.", "saved changes are undone.")
    return "The document differs from the saved file."


def changes_since_saved(document: Document | None) -> list[Change]:
    """Newest first; all of the stack where the saved state is not below it any more."""
    if document is None:
        return []
    stack = document.stack
    count = stack.index() - stack.cleanIndex() if stack.cleanIndex() >= 0 else stack.index()
    return document.changes[:count] if count >= 0 else []


def _row(change: Change) -> Row:
    points = ", ".join(numbers.points(value / 100) for value in change.points if abs(value) >= 0.005)
    names = ", ".join(change.names[:4]) + (" …" if len(change.names) > 4 else "")
    cells = (change.verb, names, change.before, change.after, points, change.when.strftime("%H:%M"))
    return Row(cells, change.nodes)
