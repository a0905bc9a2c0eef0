"""Editors in the cells of views: checked while one types, and left to their writer by all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar, cast

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QStyledItemDelegate, QTreeView, QWidget

from fsconsole.console.kit.consent import TypedEntry, lost_words
from fsconsole.console.kit.forms import OTHER_WINDOWS, is_being_typed
from fsconsole.console.style.controls import set_look

_Index = QModelIndex | QPersistentModelIndex
_ENDS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_REVERT = QStyledItemDelegate.EndEditHint.RevertModelCache
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class OpenCell:
    """An editor that is open in a cell: the row it is of, its text, and where the cursor is."""

    row: int
    text: str
    cursor: int
    is_typed: bool


class CheckedDelegate(QStyledItemDelegate):
    """Cells whose text is checked while it is typed; a wrong one keeps the editor open.

    An editor ends in `end`, whatever closes it. No other window enters what is typed.
    """

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._editor: QWidget | None = None
        self._row = 0
        self._place = ""
        self._fault = ""
        self._is_entered = False

    # -- for subclasses -------------------------------------------------------------------------------------

    def check(self, text: str) -> None:
        """Check a text that is typed, by `judge`."""
        raise NotImplementedError

    def show_fault(self) -> None:
        """Show what is wrong."""
        raise NotImplementedError

    def store(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        """Store what was entered."""
        raise NotImplementedError

    def end(self) -> None:
        """Forget the editor, and all that is shown because of it."""
        self._editor, self._fault = None, ""

    def begin(self, editor: QWidget, row: int = 0, place: str = "") -> None:
        """Take note of the editor that is opened.

        `row` finds its row again in another order of rows; `place` names it, as in "Shares of physics".
        """
        self._editor, self._row, self._place, self._fault = editor, row, place, ""
        self._is_entered = False

    def judge(self, check: Callable[[], T]) -> T | None:
        """Return the result of a check; None, with the error shown, if the check raises ValueError."""
        found = None
        try:
            found, self._fault = check(), ""
        except ValueError as error:
            self._fault = str(error)
        if self._editor is not None:
            set_look(self._editor, "error" if self._fault else "")
        if self._fault:
            self.show_fault()
        return found

    # -- what is typed --------------------------------------------------------------------------------------

    @property
    def cell(self) -> OpenCell | None:
        """What stands in the open editor; None while none is open."""
        line = self._line
        if self._is_entered or line is None:
            return None
        return OpenCell(self._row, line.text(), line.cursorPosition(), line.isModified())

    @property
    def typed(self) -> TypedEntry | None:
        """What is half typed; None where nothing is."""
        cell = self.cell
        return TypedEntry(self._place, cell.text, self.enter) if cell is not None and cell.is_typed else None

    def go_on(self, cell: OpenCell) -> None:
        """Put back into the editor, which was opened again, what stood there."""
        line = self._line
        if line is not None and cell.is_typed:
            line.setText(cell.text)
            line.setModified(True)
            line.setCursorPosition(cell.cursor)
            self.check(cell.text)

    def enter(self) -> bool:
        """Enter what is typed; return False, and show what is wrong, if that cannot be."""
        editor, line = self._editor, self._line
        if editor is None or line is None:
            return True
        self.check(line.text())
        if self._fault:
            return False
        self.commitData.emit(editor)
        self.closeEditor.emit(editor)
        return True

    def close(self) -> None:
        """Close the editor without entering anything."""
        if self._editor is not None:
            self.closeEditor.emit(self._editor, _REVERT)

    @property
    def _line(self) -> QLineEdit | None:
        editor = self._editor
        if editor is None or isinstance(editor, QLineEdit):
            return editor
        return editor.findChild(QLineEdit)

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        # Later changes of the cell do not overwrite the user's text.
        if not is_being_typed(editor):
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        self._is_entered = True  # Rows that go because of it do not open the editor again.
        self.store(editor, model, index)

    def destroyEditor(self, editor: QWidget, index: _Index) -> None:
        if editor is self._editor:
            self.end()
        super().destroyEditor(editor, index)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Enter and Tab check once more, since others may have changed what the text is about. When the focus
        # leaves a wrong text in another way, the old one returns.
        if watched is not self._editor:
            return super().eventFilter(watched, event)
        if isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() in OTHER_WINDOWS:
            return False
        if isinstance(event, QKeyEvent) and _ends_typing(event) and self._line is not None:
            if self._line.isModified():
                self.check(self._line.text())
            if self._fault:
                self.show_fault()
                return True
        if isinstance(event, QFocusEvent) and event.lostFocus() and self._fault:
            self.close()
            return True
        return super().eventFilter(watched, event)


def _ends_typing(event: QKeyEvent) -> bool:
    return event.type() is QEvent.Type.KeyPress and event.key() in _ENDS


class CellKeeper(QObject):
    """Keeps the open editor of a view while rows go and come, with which Qt closes it.

    Call `put_by` before rows go, `go_on` when rows have come, and `settle` when no more will come.

    Signals: lost(sentence) where the cell has gone with what was typed into it.
    """

    lost = Signal(str)

    def __init__(
        self,
        view: QAbstractItemView,
        delegates: Callable[[], Iterable[tuple[int, CheckedDelegate]]],
        find: Callable[[int, int], QModelIndex],
    ) -> None:
        """Take the delegates by column, and what finds the index of a row and column; invalid if gone."""
        super().__init__(view)
        self._view, self._delegates, self._find = view, delegates, find
        self._kept: tuple[int, CheckedDelegate, OpenCell] | None = None
        self._typed: TypedEntry | None = None

    @Slot()
    def put_by(self) -> None:
        """Close the editor that is open, and remember what stands there."""
        self._put_by(lambda _index: True)

    def put_by_rows(self, parent: _Index, first: int, last: int) -> None:
        """Do so if its cell is in some rows, or in rows below them."""

        def is_inside(index: QModelIndex) -> bool:
            while index.isValid() and index.parent() != parent:
                index = index.parent()
            return index.isValid() and first <= index.row() <= last

        self._put_by(is_inside)

    def _put_by(self, goes: Callable[[QModelIndex], bool]) -> None:
        for column, delegate in self._delegates():
            cell = delegate.cell
            if cell is not None and goes(self._find(cell.row, column)):
                self._kept, self._typed = (column, delegate, cell), delegate.typed
                delegate.close()

    def forget(self) -> None:
        """Forget what was put by: its document is closed."""
        self._kept = None

    @Slot()
    def go_on(self) -> None:
        """Open the editor again that was put by, if its cell is there."""
        if self._kept is None:
            return
        column, delegate, cell = self._kept
        index = self._find(cell.row, column)
        if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsEditable:
            self._kept = None
            self._view.setCurrentIndex(index)
            self._open_above(index)
            self._view.edit(index)
            delegate.go_on(cell)

    def _open_above(self, cell: QModelIndex) -> None:
        """Bring a cell into sight that is in a closed group now, where Qt opens and shows no editor."""
        above, closed = cell, list[QModelIndex]()
        while isinstance(self._view, QTreeView) and (above := above.parent()).isValid():
            closed += [] if self._view.isExpanded(above) else [above]
        for group in closed:
            cast("QTreeView", self._view).expand(group)
        if closed:
            self._view.scrollTo(cell)

    @Slot()
    def settle(self) -> None:
        """Go on, with the cell in sight, or report what is lost."""
        self.go_on()
        for column, delegate in self._delegates():
            if delegate.cell is not None:
                self._open_above(self._find(delegate.cell.row, column))
        kept, self._kept = self._kept, None
        if kept is not None and self._typed is not None:
            self.lost.emit(lost_words((self._typed,)))
