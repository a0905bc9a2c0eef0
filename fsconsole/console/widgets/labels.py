"""Labels of secondary text."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QWidget

from fsconsole.console.look.fonts import TextSize, tabular_font


class MutedLabel(QLabel):
    """Caption, unit or remark: muted and, unless told otherwise, small."""

    def __init__(self, text: str = "", parent: QWidget | None = None, size: TextSize = "table") -> None:
        super().__init__(text, parent)
        self.setFont(tabular_font(size))
        self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
