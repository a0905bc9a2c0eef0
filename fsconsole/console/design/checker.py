"""Checks the open document a moment after each change, off the GUI thread."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QRunnable, QThreadPool, QTimer, Signal, Slot

from fsconsole.console.design.source import Source, source_of
from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.scenario.spec import Scenario

CHECK_AFTER_MS = 250
_NODES_PER_MS = 200  # large trees are copied first, which takes a while: wait longer


class Checker(QObject):
    """Keeps text and problems of the open document.

    Signals: checked(Source) after each check; source is kept in `source`.
    """

    checked = Signal(object)
    _done = Signal(object, int)

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(session)
        self._session = session
        self._round = 0
        self.source = Source()
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._check)
        self._done.connect(self._take)
        session.document_changed.connect(self._start)
        session.edited.connect(self.check_soon)
        session.settings_changed.connect(self.check_soon)
        self._start()

    @property
    def is_busy(self) -> bool:
        """Whether a check is under way or due."""
        return self._timer.isActive() or self._pool.activeThreadCount() > 0

    def check_soon(self) -> None:
        """Check again when nothing has changed for a moment."""
        document = self._session.document
        self._round += 1
        if document is not None:
            self._timer.start(CHECK_AFTER_MS + len(document.tree) // _NODES_PER_MS)

    def _start(self) -> None:
        self._round += 1
        self._timer.stop()
        self.source = Source()
        self.checked.emit(self.source)
        if self._session.document is not None:
            self._timer.start(0)

    def _check(self) -> None:
        document = self._session.document
        if document is not None:
            scenario = replace(document.scenario, tree=document.tree.copy())
            self._pool.start(_Task(self, scenario, self._round))

    @Slot(object, int)
    def _take(self, source: Source, number: int) -> None:
        document = self._session.document
        if number == self._round and document is not None:
            self.source = replace(source, problems=(*_of_file(document), *source.problems))
            self.checked.emit(self.source)


def _of_file(document: Document) -> tuple[Problem, ...]:
    """What reading the file found, as long as the document is as it was read."""
    return document.problems if not document.is_modified else ()


class _Task(QRunnable):
    def __init__(self, checker: Checker, scenario: Scenario, number: int) -> None:
        super().__init__()
        self._checker, self._scenario, self._number = checker, scenario, number

    def run(self) -> None:
        source = source_of(self._scenario)
        self._checker._done.emit(source, self._number)  # noqa: SLF001 (checker and task are one thing)
