"""What belongs beside the figures: what is ours, and what the paper prints wrongly or leaves out."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPlainTextEdit, QScrollArea, QWidget

from fsconsole.console.style.fonts import fixed_font, tabular_font
from fsconsole.console.widgets.chips import Chip
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.experiments.experiment import Note

_NOTHING = "Notes on an experiment appear when it has run."
_WORDS = {"ours": "Ours", "paper": "Paper"}


class NotesPanel(QScrollArea):
    """Each note with a chip that says whose matter it is; below them what the experiment prints."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Notes")
        self.show_notes(())

    def show_notes(self, notes: tuple[Note, ...], text: str = "") -> None:
        """Show other notes, and lines that keep their columns."""
        sheet = QWidget()
        sheet.setBackgroundRole(QPalette.ColorRole.Base)
        sheet.setAutoFillBackground(True)
        layout = QGridLayout(sheet)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(8)
        layout.setColumnStretch(1, 1)
        layout.setRowStretch(len(notes) + 1, 1)
        for row, note in enumerate(notes):
            layout.addWidget(Chip(_WORDS[note.kind], parent=sheet), row, 0, Qt.AlignmentFlag.AlignTop)
            layout.addWidget(_words(note.text, sheet), row, 1)
        if not notes and not text:
            empty = MutedLabel(_NOTHING, sheet, "base")
            empty.setWordWrap(True)
            empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
            layout.addWidget(empty, 0, 0, 2, 2)
        if text:
            layout.addWidget(_printed(text, sheet), len(notes), 0, 1, 2)
        self.setWidget(sheet)

    def sizeHint(self) -> QSize:
        return QSize(380, 240)


def _printed(text: str, parent: QWidget) -> QPlainTextEdit:
    """Lines as they are, as high as they need, with a scroll bar of their own below them."""
    made = QPlainTextEdit(text, parent)
    made.setAccessibleName("Report")
    made.setReadOnly(True)
    made.setFont(fixed_font())
    made.setFrameShape(QFrame.Shape.NoFrame)
    made.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    made.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    lines = made.fontMetrics().lineSpacing() * (made.blockCount() + 1)
    made.setFixedHeight(lines + made.horizontalScrollBar().sizeHint().height())
    return made


def _words(text: str, parent: QWidget) -> QLabel:
    made = QLabel(text, parent)
    made.setFont(tabular_font())
    made.setWordWrap(True)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made
