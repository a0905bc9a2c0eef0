"""Runs experiments one after the other in a thread of its own; the window never waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import partial
from threading import Event

from PySide6.QtCore import QObject, Signal

from fsconsole.console.kit.tasks import Task, Tasks, describe_error
from fsconsole.experiments.experiment import Cancelled, Experiment, Result

CLOSE_WITHIN_S = 2.0


class ExperimentRunner(QObject):
    """A queue of experiments and the thread that works it off.

    Signals, all in the thread of the window: queued(name), started(name), progressed(name, fraction),
    finished(name, Result), failed(name, sentence), stopped(name) for one that was taken back before its end,
    and idle() when nothing is left.
    """

    queued = Signal(str)
    started = Signal(str)
    progressed = Signal(str, float)
    finished = Signal(str, object)
    failed = Signal(str, str)
    stopped = Signal(str)
    idle = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[Experiment] = deque()
        self._current: Experiment | None = None
        self._stop = Event()
        self._tasks = Tasks(self)
        self._task: Task | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an experiment runs or waits."""
        return self._current is not None

    def run(self, experiments: Iterable[Experiment]) -> None:
        """Queue experiments; one that runs or waits already is not queued again."""
        taken = {experiment.name for experiment in self._waiting}
        if self._current is not None:
            taken.add(self._current.name)
        for experiment in experiments:
            if experiment.name not in taken:
                self._waiting.append(experiment)
                self.queued.emit(experiment.name)
        self._next()

    def stop(self) -> None:
        """Cancel queued experiments and ask running ones to stop."""
        while self._waiting:
            self.stopped.emit(self._waiting.popleft().name)
        self._stop.set()

    def close(self) -> None:
        """Stop, and wait a moment for the thread's end; it dies with the program anyway."""
        self._waiting.clear()
        self._stop.set()
        if self._task is not None:
            self._task.wait(CLOSE_WITHIN_S)

    def _next(self) -> None:
        if self._current is not None or not self._waiting:
            return
        self._current = self._waiting.popleft()
        self._stop = Event()
        self.started.emit(self._current.name)
        name, call = self._current.name, partial(_run, self._current, self._stop)
        self._task = self._tasks.run_task(
            call,
            partial(self._on_ended, name),
            partial(self._on_failed, name),
            partial(self.progressed.emit, name),
        )

    def _on_ended(self, name: str, result: Result | None) -> None:
        self._current = None
        if result is None:
            self.stopped.emit(name)
        else:
            self.finished.emit(name, result)
        self._go_on()

    def _on_failed(self, name: str, error: Exception) -> None:
        self._current = None
        self.failed.emit(name, describe_error(error))
        self._go_on()

    def _go_on(self) -> None:
        self._next()
        if self._current is None:
            self.idle.emit()


def _run(experiment: Experiment, stop: Event, task: Task) -> Result | None:
    """Measure; None where it was stopped before its end."""
    try:
        return experiment.run(task.report_fraction, lambda: stop.is_set() or task.is_cancelled())
    except Cancelled:
        return None
