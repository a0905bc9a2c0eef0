"""What studies and searches have in common: files that are opened and run, with results in a folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from fsconsole.console.analyse.study.runner import in_words
from fsconsole.console.analyse.study.workers import workers_of
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.tasks import Task, Tasks
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import DockBody
from fsconsole.shares.scenario.problems import Problem, ScenarioError

if TYPE_CHECKING:
    from fsconsole.batch.study.task import WorkExecutor

_Work = TypeVar("_Work")
_CLOSE_WITHIN_S = 3.0


class WorkController(QObject, Generic[_Work]):
    """Reads a file or folder in a thread; subclasses show it, run it, and have its name.

    Signals: opened() with a file; changed() when the possible actions have changed.
    """

    opened = Signal()
    changed = Signal()

    def __init__(
        self,
        session: ConsoleSession,
        parent: QWidget,
        page: QWidget,
        read: Callable[[Path], _Work],
        make_executor: Callable[[], Any] | None,
    ) -> None:
        """`read` is called in a thread."""
        super().__init__(parent)
        self._session, self._widget, self._read = session, parent, read
        self._make_executor = make_executor or self.chosen_executor
        self.questions = Questions(parent)
        self.body = DockBody(page, parent)
        self._tasks = Tasks(self)
        self._work: _Work | None = None
        self._run_task: Task | None = None
        self._runs_at_once = False

    @property
    def is_open(self) -> bool:
        """Whether one is open, or will be in a moment."""
        return self._work is not None or self._tasks.is_busy("reading")

    @property
    def is_running(self) -> bool:
        """Whether anything is being computed."""
        return self._run_task is not None

    @property
    def can_run(self) -> bool:
        """Whether a run can begin."""
        return self._work is not None and not self.is_running

    @property
    def name(self) -> str:
        """Name of what is open."""
        raise NotImplementedError

    def open(self, path: Path, *, run: bool = False) -> None:
        """Open a file or folder as soon as it is read, and `run` what is left of it."""
        if self.is_running:
            self._session.message.emit(f"{self.name} is running. Stop it before you open {path.name}")
            return
        self._runs_at_once = run
        failed = partial(self._on_unreadable, path)
        self._tasks.run(partial(self._read, path), self._on_read, failed, latest="reading")
        self.body.clear_error()
        self._on_reading(path)
        self.opened.emit()
        self.changed.emit()

    def close(self) -> None:
        """Show none any more; one that is running stays."""
        if not self.is_running:
            self._tasks.cancel("reading")
            self._show(None)

    def run(self) -> None:
        """Compute what is not done yet."""
        raise NotImplementedError

    def chosen_executor(self) -> WorkExecutor:
        """Return the chosen executor; called in the thread of a run."""
        return workers_of(self._session.preferences).executor()

    def end(self) -> None:
        """Stop all calculations, because the window closes."""
        task = self._run_task
        self._tasks.cancel()
        if task is not None:
            task.wait(_CLOSE_WITHIN_S)  # Wait until its processes have ended.

    # -- for subclasses -------------------------------------------------------------------------------------

    def _on_reading(self, path: Path) -> None:
        """Show that a file is being read."""

    def _show(self, work: _Work | None) -> None:
        raise NotImplementedError

    def _show_state(self) -> None:
        """Show how far it is."""
        raise NotImplementedError

    def _on_read(self, work: _Work) -> None:
        self._show(work)
        self._session.message.emit(f"{self.name} opened")
        if self._runs_at_once and self.can_run:
            self.run()

    def _on_unreadable(self, path: Path, error: Exception) -> None:
        self._show_state()
        self.changed.emit()
        problems = error.problems if isinstance(error, ScenarioError) else [Problem(in_words(error))]
        self.questions.show_problems(path.name, problems, f"Cannot open {path.name}")
