"""Words that lose their middle or end where there is no room, and never widen what they stand in."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.labels import MutedLabel

Index = QModelIndex | QPersistentModelIndex


class NamesDelegate(QStyledItemDelegate):
    """Names in some columns of a table, which lose their middle; sentences in the others lose their end."""

    def __init__(self, columns: Collection[int], parent: QObject) -> None:
        super().__init__(parent)
        self._columns = frozenset(columns)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.column() in self._columns:
            option.textElideMode = Qt.TextElideMode.ElideMiddle


class ElidedLabel(MutedLabel):
    """Muted words in a line; the tooltip has them whole."""

    def __init__(
        self,
        parent: QWidget,
        side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        loses: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
    ) -> None:
        super().__init__("", parent)
        self._loses = loses
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        super().setText(text)
        self.setToolTip(text)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(colour("muted"))
        text = self.fontMetrics().elidedText(self.text(), self._loses, self.width())
        painter.drawText(self.rect(), self.alignment(), text)
        painter.end()
