"""Write the note for the next operator."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from fsconsole.console.operate.nights.desk import Desk
from fsconsole.console.widgets.labels import MutedLabel


class NoteDialog(QDialog):
    """It may be written at any time, armed or not; an empty one takes the last one away."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.setWindowTitle("Shift note")
        note = desk.note
        self.text = QPlainTextEdit(note.text if note is not None else "", self)
        self.text.setAccessibleName("Note for the next operator")
        self.text.setTabChangesFocus(True)
        self.text.setMinimumSize(420, 120)
        self._wrong = QLabel(self)
        self._wrong.setWordWrap(True)
        self._wrong.hide()
        self.buttons = QDialogButtonBox(self)
        self.buttons.addButton("Leave note", QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        said = f"The next operator of {desk.machine} sees it when the console opens and when it is armed."
        layout.addWidget(MutedLabel(said, self))
        layout.addWidget(self.text)
        layout.addWidget(self._wrong)
        layout.addWidget(self.buttons)
        self.text.setFocus()

    @property
    def problem(self) -> str:
        """Why it was not left; empty while nothing is wrong."""
        return self._wrong.text() if not self._wrong.isHidden() else ""

    @Slot()
    def accept(self) -> None:
        """Leave it; where that fails the text stays."""
        problem = self._desk.leave_note(self.text.toPlainText())
        if problem:
            self._wrong.setText(problem)
            self._wrong.show()
            return
        super().accept()
