"""Fair start times of a study, computed beside the window, for the tables that have them as columns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from fsconsole.app.study.reading import read_state
from fsconsole.app.study.state import StudyState
from fsconsole.console.kit.tasks import Task, Tasks, describe_error
from fsconsole.console.widgets.dock_states import LoadingStrip

if TYPE_CHECKING:
    from fsconsole.batch.study.folder import StudyFolder
    from fsconsole.batch.study.task import WorkExecutor


class FairStarts(QObject):
    """Computes what is missing; what was computed when it is cancelled stays.

    Signals: changed() when it begins or ends; computed(StudyState) with the new columns; failed(words).
    """

    changed = Signal()
    computed = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._tasks = Tasks(self)
        # The study remains usable, so the strip does not mute anything.
        self.strip = LoadingStrip(QWidget(parent), parent)

    @property
    def is_busy(self) -> bool:
        """Whether they are being computed."""
        return self._tasks.is_busy()

    def start(
        self, folder: StudyFolder, name: str, about: str, make_executor: Callable[[], WorkExecutor]
    ) -> None:
        """Compute them for all runs that are done; `make_executor` is called in a thread."""
        self.strip.start("Computing fair start times", self.cancel)
        call = partial(_compute, folder, name, about, make_executor)
        self._tasks.run_task(call, self._on_done, self._on_failed, self._on_progress, latest="fair starts")
        self.changed.emit()

    def cancel(self) -> None:
        """Stop soon; what is stored by then stays."""
        if self.is_busy:
            self._tasks.cancel()
            self.strip.finish()
            self.changed.emit()

    def _on_progress(self, done: int, count: int) -> None:
        self.strip.start(f"Computing fair start times: {done} of {count} cells", self.cancel)

    def _on_done(self, state: StudyState) -> None:
        self.strip.finish()
        self.changed.emit()
        self.computed.emit(state)

    def _on_failed(self, error: Exception) -> None:
        self.strip.finish()
        self.changed.emit()
        self.failed.emit(describe_error(error))


def _compute(
    folder: StudyFolder, name: str, about: str, make_executor: Callable[[], WorkExecutor], task: Task
) -> StudyState:
    """Compute fair start times; for a thread."""
    from fsconsole.batch.study.fair_starts import compute_fair_starts

    with make_executor() as executor:
        compute_fair_starts(folder, executor, task.report, task.is_cancelled)
    return read_state(folder, name, about)
