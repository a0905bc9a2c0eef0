"""Bringing back what was not saved when the console ended badly."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.document import Document
from fsconsole.console.files.auto_save import AutoSave
from fsconsole.console.files.copies import Copy, CopyFacts, base_of, left_copies, text_of
from fsconsole.console.files.file_controller import FileController, sentence_of
from fsconsole.console.files.reading import ReadFile, Reading
from fsconsole.shares.scenario.problems import Problem, ScenarioError


class Restorer(QObject):
    """Offers the copies that were left, one after the other, newest first.

    Signals: changed() when another copy is on offer, or none any more.
    """

    changed = Signal()

    def __init__(self, desk: FileController, keeper: AutoSave, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._keeper = keeper
        self._copies: list[Copy] = []
        self._reading: Reading | None = None

    def look(self) -> None:
        """See what was left."""
        self._copies = left_copies()
        if self._copies:
            self.changed.emit()

    @property
    def offered(self) -> CopyFacts | None:
        """What the copy on offer is of; None where there is none."""
        return self._copies[0].facts() if self._copies else None

    def restore(self) -> None:
        """Open the copy in place of the document."""
        if self._copies and self._reading is None and self._desk.may_leave():
            self._desk.cancel_reading()
            self._reading = Reading(self._copies[0].text_path, self)
            self._reading.done.connect(self._read)
            self._reading.failed.connect(self._failed)
            self._reading.start()

    def discard(self) -> None:
        """Remove the copy, once that is confirmed."""
        facts = self.offered
        if facts is not None and self._desk.questions.discard_copy(facts.name):
            self._copies.pop(0).remove()
            self.changed.emit()

    def close(self) -> None:
        """Leave the rest for another time."""
        self._end_reading()
        for copy in self._copies:
            copy.release()
        self._copies = []

    def _end_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading.deleteLater()
        self._reading = None

    @Slot(object, object)
    def _read(self, _reading: Reading, found: ReadFile) -> None:
        self._end_reading()
        copy = self._copies.pop(0)
        facts = copy.facts()
        path = facts.path if facts is not None else None
        name = facts.name if facts is not None else "restored.yaml"
        base = text_of(path)
        if facts is None or base_of(base) != facts.base:
            base = ""  # saving will say that the file is another one by now
        document = Document(found.scenario, path, name=name, text=base)
        document.mark_restored()
        self._desk.show(document, path)
        self._keeper.adopt(copy)
        self.changed.emit()
        self._desk.said.emit(f"{name} restored, not saved yet")

    @Slot(object, object)
    def _failed(self, reading: Reading, error: Exception) -> None:
        self._end_reading()
        problems = error.problems if isinstance(error, ScenarioError) else [Problem(sentence_of(error))]
        name = reading.path.name
        self._desk.questions.tell_problems(name, problems, f"The copy in {reading.path} cannot be read")
