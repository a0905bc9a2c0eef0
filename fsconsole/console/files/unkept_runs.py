"""Notes on runs of a document, and branches of them, that no run folder keeps: asked about before they go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from fsconsole.console.document import Document
from fsconsole.console.files.notes_export import export_notes
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.tasks import describe_error, run_and_wait
from fsconsole.console.session import ConsoleSession
from fsconsole.recording.notes import Notes
from fsconsole.text.durations import clock

if TYPE_CHECKING:
    from fsconsole.app.runs.branches import LiveBranch


class UnkeptRuns(QObject):
    """Asks about unsaved runs before they go; a discarded one is not asked about again.

    Signals: message(text) for the status bar.
    """

    message = Signal(str)

    def __init__(
        self, session: ConsoleSession, questions: Questions, folder: Callable[[], Path], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session, self._questions, self._folder = session, questions, folder
        self._let_go_notes: Notes = ()
        self._let_go: frozenset[LiveBranch] = frozenset()

    def may_leave(self, document: Document) -> bool:
        """Ask about all of them; return False if the document must stay."""
        return self._may_leave_notes(document) and self._may_leave_branches(document)

    def _may_leave_notes(self, document: Document) -> bool:
        notes = self._session.unkept_notes
        if not notes or notes == self._let_go_notes:
            return True
        answer = self._questions.leave_notes(document.name, len(notes))
        if answer == "save":
            path = export_notes(self._questions, self._session, self._folder(), notes, self.message.emit)
            if path is None:
                return False
        if answer != "cancel":
            self._let_go_notes = notes
        return answer != "cancel"

    def _may_leave_branches(self, document: Document) -> bool:
        branches = [one for one in self._session.runs.unsaved_branches() if one not in self._let_go]
        if not branches:
            return True
        answer = self._questions.leave_branches(
            document.name, [f"{one.name} ({clock(one.at_s)} to {clock(one.reached_s)})" for one in branches]
        )
        if answer == "save" and not all(self._save(document, branch) for branch in branches):
            return False
        if answer != "cancel":
            self._let_go |= frozenset(branches)
        return answer != "cancel"

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
