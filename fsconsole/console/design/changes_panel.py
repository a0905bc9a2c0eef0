"""Changes since saved: one row per edit, the newest first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.app.edit_words import Change
from fsconsole.console.document import Document
from fsconsole.console.kit.tables import Column, FlatTree, RowModel
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.copying import copy_cells
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.text import numbers
from fsconsole.text.words import count_words

_RESTORED = "Restored copy: the document differs from the saved file"


def _of_change(say: Callable[[Change], str]) -> Callable[[Change | str], str]:
    """Return the text of a column; empty for a sentence, which spans the whole row."""
    return lambda row: "" if isinstance(row, str) else say(row)


def _points(change: Change) -> str:
    return ", ".join(numbers.points(value / 100) for value in change.points if abs(value) >= 0.005)


def _names(change: Change) -> str:
    return ", ".join(change.names[:4]) + (" …" if len(change.names) > 4 else "")


def _muted(_row: Change | str) -> str:
    return "muted"


_COLUMNS: tuple[Column[Change | str], ...] = (
    Column("Edit", lambda row: row if isinstance(row, str) else row.verb, name="Edit", width=106),
    Column("Node", _of_change(_names), name="Node", width=110, stretches=True),
    Column("Before", _of_change(lambda one: one.before), name="Before", ink=_muted, width=82),
    Column("After", _of_change(lambda one: one.after), name="After", width=82),
    Column("Machine, points", _of_change(_points), name="Machine, points", width=112, is_number=True),
    Column("Time", _of_change(lambda one: f"{one.when:%H:%M}"), name="Time", ink=_muted, width=58,
           is_number=True),
)  # fmt: skip


class ChangesPanel(FlatTree[Change | str]):
    """The document's undo stack in words; click selects the nodes of a row.

    Signals: count_changed(int).
    """

    count_changed = Signal(int)

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        self.rows = RowModel(_COLUMNS)
        super().__init__(
            self.rows, "Changes since saved", parent, session.preferences, "design/changes_since_saved"
        )
        self.setMinimumSize(0, 48)
        self._session = session
        self._document: Document | None = None
        self._notice = EmptyNotice(self)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        self.clicked.connect(self._on_chosen)
        self.activated.connect(self._on_chosen)
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
        rows: list[Change | str] = [*changes_since_saved(document)]
        if document is not None and document.is_restored:
            rows.append(_RESTORED)
        self.rows.set_rows(rows)
        for at, row in enumerate(rows):
            self.setFirstColumnSpanned(at, QModelIndex(), isinstance(row, str))
        self.count_changed.emit(len(rows))
        if rows or document is None:
            self._notice.hide()
        else:
            self._notice.say(_nothing_words(document))

    def _on_chosen(self, index: QModelIndex) -> None:
        document, row = self._session.document, self.rows.rows[index.row()]
        if document is not None and not isinstance(row, str):
            self._session.select(node for node in row.nodes if node in document.tree)

    def _show_menu(self, at: QPoint) -> None:
        if not self.currentIndex().isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        here = QAction("Undo to here", menu)
        document = self._session.document
        is_locked = document is not None and bool(document.locked)
        here.setEnabled(self.currentIndex().row() > 0 and not is_locked)
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
        return count_words(undone, "saved change is undone.", "saved changes are undone.")
    return "The document differs from the saved file."


def changes_since_saved(document: Document | None) -> list[Change]:
    """Return changes, newest first; the whole stack if the saved state is not in it."""
    if document is None:
        return []
    stack = document.stack
    count = stack.index() - stack.cleanIndex() if stack.cleanIndex() >= 0 else stack.index()
    return document.changes[:count] if count >= 0 else []
