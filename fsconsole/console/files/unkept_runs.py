"""Notes on runs of a document, and branches of them, that no run folder keeps: asked about before they go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from fsconsole.console.document import Document
from fsconsole.console.files.notes_export import export_notes
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.consent import UnsavedWork
from fsconsole.console.kit.tasks import describe_error, run_and_wait
from fsconsole.console.session import ConsoleSession
from fsconsole.recording.notes import Notes
from fsconsole.text.durations import clock

if TYPE_CHECKING:
    from fsconsole.app.runs.branches import LiveBranch


class UnkeptRuns(QObject):
    """Asks about unsaved runs before they go.

    Signals: message(text) for the status bar.
    """

    message = Signal(str)

    def __init__(
        self, session: ConsoleSession, questions: Questions, folder: Callable[[], Path], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session, self._questions, self._folder = session, questions, folder

    def losses(self) -> Iterator[UnsavedWork]:
        """Yield the notes and branches of the open document."""
        document = self._session.document
        if document is None:
            return
        if notes := self._session.unkept_notes:
            yield UnsavedWork((document, notes), partial(self._may_leave_notes, document, notes))
        branches = self._session.runs.unsaved_branches()
        if branches:
            ask = partial(self._may_leave_branches, document, branches)
            yield UnsavedWork((document, branches), ask)

    def _may_leave_notes(self, document: Document, notes: Notes) -> bool:
        answer = self._questions.leave_notes(document.name, len(notes))
        if answer != "save":
            return answer == "discard"
        path = export_notes(self._questions, self._session, self._folder(), notes, self.message.emit)
        return path is not None

    def _may_leave_branches(self, document: Document, branches: Sequence[LiveBranch]) -> bool:
        answer = self._questions.leave_branches(
            document.name, [f"{one.name} ({clock(one.at_s)} to {clock(one.reached_s)})" for one in branches]
        )
        if answer != "save":
            return answer == "discard"
        return all(self._save(document, branch) for branch in branches)

    def _save(self, document: Document, branch: LiveBranch) -> bool:
        """Ask for a run folder and write a branch into it up to now; return whether it succeeded."""
        path = self._questions.branch_folder(self._folder(), document.name, branch.number)
        if path is None:
            return False
        branch.is_stopped = True
        try:
            run_and_wait(lambda: _write(branch, path), self)
        except (OSError, ValueError) as error:
            self.message.emit(f"{branch.name} was not saved: {describe_error(error)}")
            return False
        return True


def _write(branch: LiveBranch, path: Path) -> None:
    branch.save(path, lambda _: None, lambda: False)
