"""Editors in the cells of the share tree: they show faults and the effect of a value at once."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
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
from fsconsole.console.kit.cell_delegate import CheckedDelegate
from fsconsole.console.kit.forms import name_fault
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.readout import Readout
from fsconsole.shares.edits import Edit, Rename, SetField, apply_all
from fsconsole.shares.formats.base import Column
from fsconsole.shares.tree import Kind, Node, TreeError

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole


class ReadoutDelegate(CheckedDelegate):
    """Cells with a popover beside the open editor.

    Attributes:
        readout: the popover, which shows faults.
    """

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self.readout = Readout(view)

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

    def end(self) -> None:
        super().end()
        self.readout.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The popover follows the editor, because a row in edit mode is scrolled into view, and goes when
        # another workspace is shown.
        if watched is self._editor and self.readout.isVisible():
            if event.type() is QEvent.Type.Move:
                self.show_readout()
            elif event.type() is QEvent.Type.Hide:
                self.readout.hide()
        return super().eventFilter(watched, event)


class TextDelegate(ReadoutDelegate):
    """A line of text that becomes one edit on Enter; a wrong one keeps the editor open."""

    verb = ""
    words = ""

    def __init__(self, view: QAbstractItemView, session: ConsoleSession) -> None:
        super().__init__(view)
        self._session = session

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

    def check(self, text: str) -> None:
        """Check a text, and show what it would do."""
        node = self.document.tree.node(self._row)
        edits = self.judge(lambda: self._checked_edits(node, text))
        if edits is not None:
            self.show_effect(node, edits)

    def _checked_edits(self, node: Node, text: str) -> list[Edit]:
        """Return the edits that a text means; TreeError where the tree would not take one."""
        if self.document.locked:
            raise TreeError(self.document.locked)
        edits = self.edits_for(node, text)
        apply_all(self.document.tree.copy(), edits)
        return edits

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setAccessibleName(self.words)
        editor.setAlignment(
            Qt.AlignmentFlag(index.data(_Role.TextAlignmentRole) or Qt.AlignmentFlag.AlignLeft)
        )
        editor.textEdited.connect(self.check)
        node = self.document.tree.node(int(index.data(NODE_ROLE)))
        self.begin(editor, node.id, f"{self.words} of {node.name}")
        return editor

    def store(self, editor: QWidget, _model: QAbstractItemModel, _index: _Index) -> None:
        """Edit the node by what was typed, if that is valid."""
        node = self.document.tree.node(self._row)
        try:
            edits = self.edits_for(node, cast("QLineEdit", editor).text())
            if edits:
                self.document.edit(self.verb, edits)
        except ValueError as error:
            self._session.message.emit(name_fault(self.words, str(error)))


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

    def end(self) -> None:
        super().end()
        self._preview.clear()


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
