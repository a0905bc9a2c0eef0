"""Notes on the displayed run: in its folder, or in memory until a recording of it begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from fsconsole.recording.audit import login_name
from fsconsole.recording.notes import Note, Notes, change_notes, read_notes, with_note, without_note
from fsconsole.recording.run_format import RunError

_Change = Callable[[Notes], Notes]


class RunNotes(QObject):
    """All notes on a run, and what was done to them, which can be undone.

    Attributes:
        folder: the run folder that they are kept in; None where they are in memory alone.
        notes: all of them, in order of time.

    Signals: changed() when other notes are there, or they are kept elsewhere; failed(words) when the folder
    cannot be written or read: the notes are in memory then.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.folder: Path | None = None
        self.notes: Notes = ()
        self._recording: Path | None = None
        self._undone: list[tuple[_Change, _Change]] = []
        self._done: list[tuple[_Change, _Change]] = []

    def begin(self, folder: Path | None) -> None:
        """Turn to another run; one without a folder has no notes yet."""
        self.folder, self.notes, self._recording = folder, (), None
        self._done, self._undone = [], []
        if folder is not None:
            try:
                self.notes = read_notes(folder)
            except RunError as error:
                self.folder = None  # The file is not changed.
                self.failed.emit(str(error))
        self.changed.emit()

    def turn_to(self, notes: Notes, folder: Path | None) -> None:
        """Turn to a run whose notes are known."""
        self.folder, self.notes, self._recording = folder, notes, None
        self._done, self._undone = [], []
        self.changed.emit()

    def follow_recording(self, folder: Path | None) -> None:
        """Write all notes into the folder of a recording when it begins, and all later ones too."""
        if folder == self._recording:
            return
        self._recording = folder
        if folder is None:  # The run continues, with the notes in its folder.
            return
        self.folder = folder
        if self.notes:
            held = self.notes
            self._write(lambda _: held)
        self.changed.emit()

    def marks(self) -> list[tuple[float, str]]:
        """Give time and first words of each note, for the timeline."""
        return [(note.time_s, note.mark) for note in self.notes]

    def spans(self) -> list[tuple[float, float]]:
        """Give begin and end of the notes that are on a span."""
        return [(note.time_s, note.until_s) for note in self.notes if note.until_s is not None]

    def neighbour(self, time_s: float, step: int) -> Note | None:
        """Return the next note after a time (1), or the previous one before it (-1)."""
        found = [note for note in self.notes if (note.time_s - time_s) * step > 0]
        return (found[0] if step > 0 else found[-1]) if found else None

    # -- changes ---------------------------------------------------------------------------------------------

    def add(self, time_s: float, text: str, until_s: float | None = None) -> Note:
        """Write a note; ValueError, with what would be right, where it cannot be."""
        number = 1 + max((note.number for note in self.notes), default=0)
        note = Note(time_s, text, until_s, login_name(), number=number)
        self._do(lambda notes: with_note(notes, note), lambda notes: without_note(notes, number))
        return note

    def rewrite(self, note: Note, time_s: float, text: str, until_s: float | None = None) -> None:
        """Change a note's text or place; ValueError as for `add`."""
        changed = replace(note, time_s=time_s, text=text, until_s=until_s)
        self._do(lambda notes: with_note(notes, changed), lambda notes: with_note(notes, note))

    def remove(self, removed: Notes) -> None:
        """Remove notes from the run folder."""

        def without(notes: Notes) -> Notes:
            for note in removed:
                notes = without_note(notes, note.number)
            return notes

        def back(notes: Notes) -> Notes:
            for note in removed:
                notes = with_note(notes, note)
            return notes

        if removed:
            self._do(without, back)

    @property
    def can_undo(self) -> bool:
        """Whether something was done to the notes that can be undone."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether something was undone that can be done again."""
        return bool(self._undone)

    def undo(self) -> None:
        """Take the last change of the notes back."""
        if self._done:
            change = self._done.pop()
            self._undone.append(change)
            self._apply(change[1])

    def redo(self) -> None:
        """Make the change again that was taken back."""
        if self._undone:
            change = self._undone.pop()
            self._done.append(change)
            self._apply(change[0])

    # -- inside ----------------------------------------------------------------------------------------------

    def _do(self, change: _Change, back: _Change) -> None:
        self._done.append((change, back))
        self._undone = []
        self._apply(change)

    def _apply(self, change: _Change) -> None:
        if self.folder is None or not self._write(change):
            self.notes = change(self.notes)
        self.changed.emit()

    def _write(self, change: _Change) -> bool:
        """Change the folder's file, in which another program may have written; whether that went well."""
        if self.folder is None:
            return False
        try:
            self.notes = change_notes(self.folder, change)
        except RunError as error:
            self.folder = None
            self.failed.emit(f"{error}. The notes are in memory only. Export them to keep them.")
            return False
        return True
