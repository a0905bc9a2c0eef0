"""Checks the open document a moment after each change, off the GUI thread."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from fsconsole.app.tree.source import Source, source_of
from fsconsole.console.connections import once
from fsconsole.console.document import Document
from fsconsole.console.kit.tasks import Task, Tasks
from fsconsole.console.session import ConsoleSession
from fsconsole.shares.foreign import takes_parents_shares
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.scenario.spec import Scenario

CHECK_AFTER_MS = 250
_NODES_PER_MS = 50  # Large trees are copied first, which takes time, so the check waits longer.


class Checker(QObject):
    """Keeps text and problems of the open document.

    Signals: checked(Source) after each check; source is kept in `source`.
    """

    checked = Signal(object)

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(session)
        self._session = session
        self._document: Document | None = None
        self._is_active = False
        self._is_stale = True
        self.source = Source()
        self._tasks = Tasks(self)
        self._timer = once(self, 0, self._check)
        session.document_changed.connect(self._start)
        session.edited.connect(self.check_soon)
        session.settings_changed.connect(self.check_soon)
        self._start()

    def set_active(self, is_active: bool) -> None:
        """Check only while visible; catch up then."""
        self._is_active = is_active
        if is_active and self._is_stale:
            self.check_soon()

    def check_soon(self) -> None:
        """Check again when nothing has changed for a moment."""
        document = self._session.document
        self._tasks.cancel()
        self._is_stale = True
        if document is not None and self._is_active:
            self._timer.start(CHECK_AFTER_MS + len(document.tree) // _NODES_PER_MS)

    def _start(self) -> None:
        self._tasks.cancel()
        self._timer.stop()
        if self._document is not None:
            self._document.saved.disconnect(self.check_soon)
        self._document = self._session.document
        if self._document is not None:
            self._document.saved.connect(self.check_soon)  # The file may have another name then.
        self.source = Source()
        self.checked.emit(self.source)
        self.check_soon()

    def _check(self) -> None:
        document = self._session.document
        if document is not None and self._is_active:
            self._is_stale = False
            scenario = replace(document.scenario, tree=document.tree.copy())
            examined = partial(_examined, scenario=scenario, takes_parents=not document.is_of_file)
            self._tasks.run_task(examined, self._take)

    def _take(self, source: Source) -> None:
        document = self._session.document
        if document is not None:
            found = source.problems
            # Line numbers refer to the file that was opened.
            if document.origin is not None and document.path is None:
                found = tuple(map(document.origin.placed, found))
            self.source = replace(source, problems=(*_of_file(document), *found))
            self.checked.emit(self.source)


def _examined(task: Task, scenario: Scenario, *, takes_parents: bool) -> Source:
    """Write and check a scenario, and add what the doctor finds beside; nothing may change until then.

    With `takes_parents` nodes may have the share of the account above, as on Slurm itself. A task that is
    cancelled ends early: in a large tree it would slow down the next edit.
    """
    from fsconsole.app.doctor.problems import problems_of_scenario

    source = source_of(scenario)
    if takes_parents:
        tree = scenario.tree
        lacking = (one for one in source.problems if one.node is None or one.node not in tree
                   or not takes_parents_shares(tree.node(one.node)))  # fmt: skip
        source = replace(source, problems=tuple(lacking))
    if task.is_cancelled():
        return source
    found = problems_of_scenario(scenario, source.problems)
    lined = tuple(replace(one, line=source.line_of(one.node)) for one in found)
    return replace(source, problems=(*source.problems, *lined))


def _of_file(document: Document) -> tuple[Problem, ...]:
    """Return the findings of reading the file, as long as the document is unchanged."""
    return document.problems if not document.is_modified else ()
