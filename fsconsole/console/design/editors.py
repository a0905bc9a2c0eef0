"""Editors in the cells of the share tree: they show faults and the effect of a value at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from fsconsole.app.tree.dialect_columns import edits_for
from fsconsole.app.tree.share_entry import shares_edits, tried_shares
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design import readouts
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.design.tree_model import NODE_ROLE
from fsconsole.console.document import Document
from fsconsole.console.kit.forms import is_being_typed, name_fault
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.readout import Readout
from fsconsole.shares.edits import Edit, Rename, SetField, apply_all
from fsconsole.shares.formats.base import Column
from fsconsole.shares.tree import Kind, Node, TreeError

_Index = QModelIndex | QPersistentModelIndex
_ENDS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_OTHER_WINDOWS = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
_Role = Qt.ItemDataRole
T = TypeVar("T")


class CheckedDelegate(QStyledItemDelegate):
    """Cells whose text is checked while it is typed.

    Attributes:
        readout: the popover beside the editor, which shows faults.
    """

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self.readout = Readout(view)
        self._editor: QWidget | None = None
        self._fault = ""

    def begin(self, editor: QWidget) -> None:
        """Take note of the editor that is opened."""
        self._editor, self._fault = editor, ""

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

    def show_fault(self) -> None:
        """Show what is wrong."""
        self.readout.say("", [], self._fault)
        self.show_readout()

    def show_readout(self) -> None:
        """Show the popover above the editor."""
        if self._editor is not None:
            rect = self._editor.rect()
            rect.moveTopLeft(self._editor.mapToGlobal(rect.topLeft()))
            self.readout.show_above(rect)

    def let_go(self) -> None:
        """Forget the editor. A view that is reset closes it and tells the default delegate alone."""
        self._editor, self._fault = None, ""
        self.readout.hide()

    def destroyEditor(self, editor: QWidget, index: _Index) -> None:
        self.let_go()
        super().destroyEditor(editor, index)


@dataclass(frozen=True, slots=True)
class Typed:
    """A text that is typed into a cell of a node, with the place of the cursor."""

    node: int
    text: str
    cursor: int


class TextDelegate(CheckedDelegate):
    """A line of text that becomes one edit on Enter; a wrong one keeps the editor open."""

    verb = ""
    words = ""

    def __init__(self, view: QAbstractItemView, session: ConsoleSession) -> None:
        super().__init__(view)
        self._session = session
        self._node = 0

    @property
    def typed(self) -> Typed | None:
        """What is being typed; None where nothing is."""
        editor = self._editor
        if not isinstance(editor, QLineEdit) or not is_being_typed(editor):
            return None
        return Typed(self._node, editor.text(), editor.cursorPosition())

    def go_on(self, typed: Typed) -> None:
        """Put back into the editor, which was opened again, what was typed."""
        if isinstance(self._editor, QLineEdit):
            self._editor.setText(typed.text)
            self._editor.setModified(True)
            self._editor.setCursorPosition(typed.cursor)
            self._on_typed(typed.text)

    @property
    def document(self) -> Document:
        """The open document; there is one while a cell is edited."""
        return cast("Document", self._session.document)

    def edits_for(self, node: Node, text: str) -> list[Edit]:
        """Return the edits of a text, none without a change.

        Raises:
            ValueError: the text is wrong; the message says what to write.
        """
        raise NotImplementedError

    def show_effect(self, node: Node, edits: list[Edit]) -> None:
        """Show what edits will do."""
        self.readout.hide()

    def _on_typed(self, text: str) -> None:
        node = self.document.tree.node(self._node)
        edits = self.judge(lambda: self._checked_edits(node, text))
        if edits is not None:
            self.show_effect(node, edits)

    def _checked_edits(self, node: Node, text: str) -> list[Edit]:
        """Return the edits that a text means; TreeError where the tree would not take one."""
        edits = self.edits_for(node, text)
        apply_all(self.document.tree.copy(), edits)
        return edits

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName(self.words)
        editor.setAlignment(
            Qt.AlignmentFlag(index.data(_Role.TextAlignmentRole) or Qt.AlignmentFlag.AlignLeft)
        )
        editor.textEdited.connect(self._on_typed)
        self._node = int(index.data(NODE_ROLE))
        self.begin(editor)
        return editor

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        # Later changes of the cell do not overwrite the user's text.
        if not is_being_typed(editor):
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, _model: QAbstractItemModel, _index: _Index) -> None:
        node = self.document.tree.node(self._node)
        try:
            edits = self.edits_for(node, cast("QLineEdit", editor).text())
            if edits:
                self.document.edit(self.verb, edits)
        except ValueError as error:
            self._session.message.emit(name_fault(self.words, str(error)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Enter and Tab do not accept an invalid text. When the focus leaves in another way, the old text
        # returns. The popover follows the editor, because a row in edit mode is scrolled into view.
        if event.type() is QEvent.Type.Move and watched is self._editor and self.readout.isVisible():
            self.show_readout()
        if event.type() is QEvent.Type.Hide and watched is self._editor:  # Another workspace is shown.
            self.readout.hide()
        is_left_for_window = isinstance(event, QFocusEvent) and event.reason() in _OTHER_WINDOWS
        if (
            is_left_for_window
            and event.type() is QEvent.Type.FocusOut
            and not QApplication.activeModalWidget()
        ):
            return False  # A window of another program does not enter what is typed here.
        if self._fault and watched is self._editor:
            if event.type() is QEvent.Type.KeyPress and cast("QKeyEvent", event).key() in _ENDS:
                self.show_fault()
                return True
            if event.type() is QEvent.Type.FocusOut:
                self.closeEditor.emit(watched, QStyledItemDelegate.EndEditHint.RevertModelCache)
                return True
        return super().eventFilter(watched, event)


class NameDelegate(TextDelegate):
    """Delegate that renames a node."""

    verb = "Rename"
    words = "Name"

    def edits_for(self, node: Node, text: str) -> list[Edit]:
        """Return a rename; none where the name stays."""
        return [Rename(node.id, text)] if text != node.name else []


class NoteDelegate(TextDelegate):
    """Delegate that sets a note."""

    verb = "Set note"
    words = "Note"

    def edits_for(self, node: Node, text: str) -> list[Edit]:
        """Return a new note."""
        return [SetField(node.id, "note", text)] if text != node.note else []


class DialectDelegate(TextDelegate):
    """Sets a value of another scheduler's column."""

    def __init__(self, view: QAbstractItemView, session: ConsoleSession, column: Column) -> None:
        super().__init__(view, session)
        self._column = column
        self.verb, self.words = f"Set {column.title}", column.title

    def edits_for(self, node: Node, text: str) -> list[Edit]:
        """Return new foreign keys, and new shares where they follow from a weight."""
        return edits_for(self.document.tree, node, self._column, text)


class SharesDelegate(TextDelegate):
    """Sets shares; bars and readout follow while one types."""

    verb = "Set shares"
    words = "Shares"

    def __init__(self, view: QAbstractItemView, session: ConsoleSession, preview: SharePreview) -> None:
        super().__init__(view, session)
        self._preview = preview

    @property
    def _takes_parents(self) -> bool:
        return self.document.takes_parents_shares

    def edits_for(self, node: Node, text: str) -> list[Edit]:
        """Return edits that set the shares typed."""
        return shares_edits(text, self.document.tree, node, takes_parents=self._takes_parents)

    def show_effect(self, node: Node, edits: list[Edit]) -> None:
        """Preview in the bars, and a readout: old, new, and what each of the others gets."""
        hint = readouts.CLUSTER_HINT if self._takes_parents else readouts.TYPING_HINT
        tree, preview = self.document.tree, self._preview
        if any(isinstance(edit, SetField) and "parent" in edit.value.values() for edit in edits):
            preview.show([])
            self.readout.say(readouts.parents_title(tree, node), [], hint)
        else:
            tried = tried_shares(node, edits)
            shares = tried[0][1] if tried else node.shares
            preview.show(tried)
            of_cluster = self._session.offer(CLUSTER) is not None
            lines = readouts.typed_lines(tree, node, preview.settled, preview.shown, of_cluster=of_cluster)
            self.readout.say(readouts.typed_title(tree, node, shares), lines, hint)
        self.show_readout()

    def show_fault(self) -> None:
        self._preview.clear()
        super().show_fault()

    def destroyEditor(self, editor: QWidget, index: _Index) -> None:
        # The preview ends with the editor.
        self._preview.clear()
        super().destroyEditor(editor, index)


class KindDelegate(QStyledItemDelegate):
    """Chooses what a node is."""

    def __init__(self, view: QAbstractItemView, session: ConsoleSession) -> None:
        super().__init__(view)
        self._session = session

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, _index: _Index) -> QWidget:
        # One click chooses an item, without confirmation.
        editor = QComboBox(parent)
        editor.setAccessibleName("Kind")
        editor.addItems([str(kind) for kind in Kind])
        editor.activated.connect(self._on_chosen)
        return editor

    def _on_chosen(self) -> None:
        editor = cast("QWidget", self.sender())
        self.commitData.emit(editor)
        self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        cast("QComboBox", editor).setCurrentText(index.data(_Role.EditRole))

    def setModelData(self, editor: QWidget, _model: QAbstractItemModel, index: _Index) -> None:
        document, node = self._session.document, int(index.data(NODE_ROLE))
        kind = Kind(cast("QComboBox", editor).currentText())
        if document is None or document.tree.node(node).kind is kind:
            return
        try:
            document.edit("Set kind", [SetField(node, "kind", kind)])
        except TreeError as error:
            self._session.message.emit(str(error))
