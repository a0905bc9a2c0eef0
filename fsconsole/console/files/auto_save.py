"""Keeps a copy of the open document while it has changes, or notes on its runs, that are not saved."""

from __future__ import annotations

import logging
from datetime import datetime
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.connections import once
from fsconsole.console.document import Document
from fsconsole.console.files.copies import Copy, CopyFacts, base_of
from fsconsole.console.files.file_controller import sentence_of
from fsconsole.console.kit.tasks import Task, Tasks
from fsconsole.console.session import ConsoleSession
from fsconsole.recording.notes import numbered
from fsconsole.shares.scenario.remove_references import pruned
from fsconsole.shares.scenario.spec import Scenario

_WRITE_AFTER_MS = 400
_CLOSE_WITHIN_S = 5.0
_log = logging.getLogger(__name__)


class AutoSave(QObject):
    """Writes the copy a moment after each change, in a thread; removes it once the document is saved or left.

    Signals: kept(datetime) after a copy was written, failed(sentence) where none could be.
    """

    kept = Signal(object)
    failed = Signal(str)

    def __init__(self, session: ConsoleSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._document: Document | None = None
        self._copy: Copy | None = None
        self._tasks = Tasks(self)
        self._writing: Task | None = None
        self.kept_at: datetime | None = None
        self._timer = once(self, _WRITE_AFTER_MS, self._write)
        session.document_changed.connect(self._watch)
        session.notes.changed.connect(self._on_changed)
        session.ending.connect(self._on_ending)
        self._watch()

    def adopt(self, copy: Copy) -> None:
        """Go on with the copy that the open document was restored from, and its notes."""
        self._remove()
        self._copy = copy
        facts = copy.facts()
        self.kept_at = facts.when if facts is not None else None
        if facts is not None and facts.notes:
            self._session.notes.turn_to(facts.notes, None)

    def close(self) -> None:
        """Close the console in good order: nothing is left behind."""
        self._timer.stop()
        self._remove()

    @Slot()
    def _watch(self) -> None:
        """Watch the next document; the one that was open is gone by the person's will."""
        if self._document is not None and self._document is self._session.document:
            return  # Only the target of the document has changed.
        self._timer.stop()
        self._remove()
        if self._document is not None:
            self._document.stack.indexChanged.disconnect(self._on_changed)
            self._document.saved.disconnect(self._on_changed)
        # Edits staged for a target are saved with the target.
        document = self._session.document
        self._document = document if document is not None and document.is_of_file else None
        if self._document is not None:
            self._document.stack.indexChanged.connect(self._on_changed)
            self._document.saved.connect(self._on_changed)

    @Slot()
    def _on_changed(self) -> None:
        if self._document is not None and (self._document.is_modified or self._session.unkept_notes):
            if not self._timer.isActive():  # Frequent changes must not delay the save without limit.
                self._timer.start()
        else:
            self._timer.stop()
            self._remove()

    @Slot()
    def _on_ending(self) -> None:
        """Write the changes of the last moment, and leave the copy to the next start."""
        if self._timer.isActive():
            self._wait_for_writing()
            self._tasks.cancel()
            self._timer.stop()
            self._write()
        self._wait_for_writing()

    @Slot()
    def _write(self) -> None:
        if self._tasks.is_busy():
            self._timer.start()  # The earlier change is still being written.
            return
        document = self._document
        if document is None:
            return
        try:
            self._copy = self._copy or Copy.begin()
        except OSError as error:
            self._on_failed(error)
            return
        scenario = document.present
        now = datetime.now().astimezone()
        base = base_of(document.text) if document.path is not None else ""
        notes = numbered(self._session.unkept_notes)
        seen = self._session.newest
        has_run = seen is not None and seen.time_s > 0 and self._session.notes.folder is None
        facts = CopyFacts(document.name, document.path, base, document.stack.index(), now, notes, has_run)
        self._writing = self._tasks.run(
            partial(_write_copy, self._copy, scenario, facts), self._on_written, self._on_failed
        )

    def _on_written(self, when: datetime) -> None:
        self.kept_at = when
        self.kept.emit(when)

    def _on_failed(self, error: Exception) -> None:
        _log.warning("cannot save a copy: %s", error)
        self.failed.emit(
            f"A copy of unsaved changes cannot be kept for the next start: {sentence_of(error)}."
        )

    def _remove(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
        self._wait_for_writing()
        if self._copy is not None:
            self._copy.remove()
        self._copy, self.kept_at = None, None

    def _wait_for_writing(self) -> None:
        if self._writing is not None:
            self._writing.wait(_CLOSE_WITHIN_S)


def _write_copy(copy: Copy, scenario: Scenario, facts: CopyFacts) -> datetime:
    from fsconsole.shares.scenario.write import write_text

    copy.write(write_text(pruned(scenario)), facts)
    return facts.when
