"""A field to find things by typing."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from fsconsole.console.style.icons import put_icon


class SearchBox(QLineEdit):
    """Line edit with a magnifying glass and a button that clears it; Esc clears, then leaves.

    `textChanged` follows every key. Signals: escaped() after Esc, for those who take the focus back then.
    """

    escaped = Signal()

    def __init__(self, placeholder: str, parent: QWidget | None = None, width: int = 160) -> None:
        super().__init__(parent)
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self.setClearButtonEnabled(True)
        self.setMinimumWidth(width)
        glass = QAction(self)
        put_icon(glass, "search", "muted")
        self.addAction(glass, QLineEdit.ActionPosition.LeadingPosition)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Esc empties the field; in an empty field it is left to the window.
        is_escape = event.key() == Qt.Key.Key_Escape
        if is_escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
        if is_escape:
            self.escaped.emit()
