"""The table of notes: selected ones can be shown, changed and removed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QSize, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from fsconsole.app.runs.notes import when_words, written_words
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.sizes import row_px
from fsconsole.recording.notes import Note

_COLUMNS: tuple[Column[Note], ...] = (
    Column("Note", lambda note: " ".join(note.text.split()), full=lambda note: note.text, width=420),
    Column("Author", lambda note: note.author, width=110, is_name=True),
    Column("Written", written_words, order=lambda note: note.written, width=140),
)
_UNDO, _REDO = QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo


class NotesTable(Table[Note]):
    """Notes in order of time.

    Attributes:
        epoch_s: seconds since 1970 at time 0 of the run; None where time is simulated.

    Signals: undo_wanted() and redo_wanted() when the keys for it are pressed here; wanted() when a note is
    double-clicked.
    """

    undo_wanted = Signal()
    redo_wanted = Signal()
    wanted = Signal()

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        self.epoch_s: float | None = None
        time: Column[Note] = Column(
            "Time",
            lambda note: when_words(note, self.epoch_s),
            order=lambda note: (note.time_s, note.number),
            width=170,
        )
        model = RowModel((time, *_COLUMNS), key=lambda note: note.number)
        super().__init__(model, "Notes", parent, preferences, "observe/notes", sorts=True)
        self.menu_of: Callable[[QPoint], None] = lambda _at: None
        self.doubleClicked.connect(self.wanted)

    def event(self, event: QEvent) -> bool:
        is_override = event.type() is QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and (event.matches(_UNDO) or event.matches(_REDO)):
            event.accept()  # Otherwise the document would undo or redo.
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(_UNDO):
            self.undo_wanted.emit()
        elif event.matches(_REDO):
            self.redo_wanted.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_of(event.globalPos())

    def sizeHint(self) -> QSize:
        return QSize(840, row_px() * 6)
