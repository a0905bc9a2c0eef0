"""The messages of Design on weights on this machine, beside the tree's problems."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.app.tree.source import Source
from fsconsole.console.linux.session import LINUX, LinuxSession
from fsconsole.console.session import ConsoleSession


class LinuxProblems(QObject):
    """Adds weights that do nothing, or miss the shares. Signals: faults_changed() when they are others."""

    faults_changed = Signal()

    def __init__(self, session: ConsoleSession, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._watched: LinuxSession | None = None
        session.document_changed.connect(self._watch)
        self._watch()

    def checked(self, source: Source) -> Source:
        """Return the problems of a check, and messages on the weights."""
        linux = self._session.offer(LINUX)
        if linux is None:
            return source
        own = tuple(replace(one, line=source.line_of(one.node)) for one in linux.problems())
        return replace(source, problems=(*source.problems, *own))

    @Slot()
    def _watch(self) -> None:
        """Watch the document's signals, and those of the one before no longer."""
        linux = self._session.offer(LINUX)
        if linux is not None and linux is not self._watched:
            linux.staged.connect(self.faults_changed)
        self._watched = linux
