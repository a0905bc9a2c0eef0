"""Bringing back what was not saved when the console ended badly."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from fsconsole.console.document import Document
from fsconsole.console.files.auto_save import AutoSave
from fsconsole.console.files.copies import Copy, CopyFacts, base_of, left_copies, text_of
from fsconsole.console.files.file_controller import FileController, sentence_of
from fsconsole.console.files.file_reader import ReadFile, read_file
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.widgets.late_input import after_dialogs
from fsconsole.shares.scenario.problems import Problem, ScenarioError


class Restorer(QObject):
    """Offers the copies that were left, one after the other, newest first.

    Signals: changed() when another copy is on offer, or none any more; failed(sentence) for a copy that this
    program cannot bring back.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, files: FileController, auto_save: AutoSave, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._files = files
        self._auto_save = auto_save
        self._copies: list[Copy] = []
        self._tasks = Tasks(self)

    def look(self) -> None:
        """Look for copies that were left."""
        self._copies = left_copies(report=self.failed.emit)
        if self._copies:
            self.changed.emit()

    @property
    def offered(self) -> CopyFacts | None:
        """What the copy on offer is of; None where there is none."""
        return self._copies[0].facts() if self._copies else None

    def restore(self) -> None:
        """Open the copy in place of the document."""
        if self._copies and not self._tasks.is_busy():
            self._files.cancel_reading()
            copy = self._copies[0]
            self._tasks.run_task(
                partial(read_file, copy.text_path, None),
                partial(self._on_read, copy),
                partial(self._on_unreadable, copy.text_path),
            )

    def discard(self) -> None:
        """Remove the copy on offer, once that is confirmed; not one that is being restored."""
        facts = self.offered
        if facts is None or self._tasks.is_busy():
            return
        copy = self._copies[0]
        if self._files.questions.discard_copy(facts.name) and copy in self._copies:
            self._copies.remove(copy)
            copy.remove()
            self.changed.emit()

    def close(self) -> None:
        """Leave the rest for another time."""
        self._tasks.cancel()
        for copy in self._copies:
            copy.release()
        self._copies = []

    def _on_read(self, copy: Copy, found: ReadFile) -> None:
        after_dialogs(self, partial(self._show_read, copy, found))

    def _show_read(self, copy: Copy, found: ReadFile) -> None:
        # The open document may have been edited since.
        if copy not in self._copies or not self._files.may_leave():
            return
        self._copies.remove(copy)
        facts = copy.facts()
        path = facts.path if facts is not None else None
        name = facts.name if facts is not None else "restored.yaml"
        base = text_of(path)
        if facts is None or base_of(base) != facts.base:
            base = ""  # With an empty checksum, saving reports that the file has changed.
        document = Document(found.scenario, path, name=name, text=base)
        document.mark_restored()
        self._files.show(document, path)
        self._auto_save.adopt(copy)
        self.changed.emit()
        self._files.message.emit(f"{name} restored, not saved yet")

    def _on_unreadable(self, path: Path, error: Exception) -> None:
        problems = error.problems if isinstance(error, ScenarioError) else [Problem(sentence_of(error))]
        self._files.questions.show_problems(path.name, problems, f"Cannot read the copy in {path}")
