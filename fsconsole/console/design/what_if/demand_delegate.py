"""Cells with a demand: chosen from a list or typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    Qt,
    Slot,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionViewItem,
    QWidget,
)

from fsconsole.console.design.editors import ReadoutDelegate
from fsconsole.console.design.tree_model import NODE_ROLE
from fsconsole.console.kit.forms import is_being_typed
from fsconsole.console.widgets.chips import chip_width, paint_chip
from fsconsole.shares.demand_words import WORDS, demand_from

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_ENTERS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PADDING = 8


class DemandDelegate(ReadoutDelegate):
    """Shows a demand as a check box, or as a chip if it is limited; rejects an invalid demand."""

    def __init__(
        self,
        view: QAbstractItemView,
        set_demand: Callable[[_Index, float], object],
        shown_as: Literal["box", "chip"],
    ) -> None:
        """`set_demand` gets a cell and its new demand."""
        super().__init__(view)
        self._set_demand = set_demand
        self._shown_as = shown_as
        self._is_open = False
        self.closeEditor.connect(self._on_closed)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        text = index.data(_Role.DisplayRole)
        is_plain = not text or (self._shown_as == "chip" and text == "saturated")
        if is_plain:
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        style = option.widget.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget)
        if self._shown_as == "box":
            _paint_box(painter, option, text)
            return
        painter.setFont(option.font)
        words = text if text == "idle" else f"limit {text}"
        width = min(chip_width(option.fontMetrics, words), option.rect.width() - _PADDING)
        paint_chip(painter, QRect(option.rect.x() + 4, option.rect.y(), width, option.rect.height()), words)

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index) -> QWidget:
        editor = QComboBox(parent)
        editor.setEditable(True)
        editor.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        editor.addItems(list(WORDS))
        editor.setAccessibleName("Demand")
        editor.editTextChanged.connect(self.check)
        editor.activated.connect(self.enter)
        name = index.sibling(index.row(), 0).data()
        self.begin(editor, int(index.data(NODE_ROLE)), f"Demand of {name}")
        self._is_open = True
        return editor

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        box = cast("QComboBox", editor)
        if is_being_typed(box):
            return
        box.setEditText(str(index.data(_Role.EditRole)))
        line = box.lineEdit()
        if line is not None:
            line.selectAll()

    def store(self, editor: QWidget, _model: QAbstractItemModel, index: _Index) -> None:
        """Set the demand, unless it is invalid or unchanged."""
        text = cast("QComboBox", editor).currentText()
        if not self._fault and text != str(index.data(_Role.EditRole)):
            self._set_demand(index, demand_from(text))

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: _Index) -> None:
        editor.setGeometry(option.rect)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in _ENTERS:
            self.enter()
            return True
        return super().eventFilter(editor, event)

    def check(self, text: str) -> None:
        """Show the fault of a text that is not a demand, in place of the readout."""
        if self.judge(lambda: demand_from(text)) is not None:
            self.readout.hide()

    @Slot()
    def _on_closed(self) -> None:
        self._is_open = False

    def enter(self) -> bool:
        """Enter what is there, once: a box reports a typed word twice, also when it loses the focus."""
        if not self._is_open:
            return True
        self._is_open = False
        self._is_open = not super().enter()
        return not self._is_open


def _paint_box(painter: QPainter, option: QStyleOptionViewItem, text: str) -> None:
    box = QStyleOptionComboBox()
    box.rect = option.rect.adjusted(2, 1, -2, -1)
    box.state = QStyle.StateFlag.State_Enabled
    box.palette = option.palette
    box.fontMetrics = option.fontMetrics
    box.currentText = text
    painter.setFont(option.font)
    style = option.widget.style()
    style.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, box, painter, option.widget)
    style.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, box, painter, option.widget)
