"""Words that lose their middle or end where there is no room, and never widen what they stand in."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.look.theme import colour
from fsconsole.console.widgets.labels import MutedLabel


class ElidedLabel(MutedLabel):
    """Muted words in a line; the tool tip has them whole."""

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
        """Say something else."""
        super().setText(text)
        self.setToolTip(text)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """As much as there is room for."""
        painter = QPainter(self)
        painter.setPen(colour("muted"))
        text = self.fontMetrics().elidedText(self.text(), self._loses, self.width())
        painter.drawText(self.rect(), self.alignment(), text)
        painter.end()
