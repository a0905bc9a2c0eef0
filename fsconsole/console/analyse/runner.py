"""Runs experiments one after the other in a thread of its own; the window never waits."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from fsconsole.console.courier import courier
from fsconsole.experiments.experiment import Cancelled, Experiment, Result

CLOSE_WITHIN_S = 2.0
STEP = 0.01  # progress is told in whole percent, not sample by sample
_log = logging.getLogger(__name__)


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
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._courier = courier()

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
        """Take back what waits and ask what runs to stop."""
        while self._waiting:
            self.stopped.emit(self._waiting.popleft().name)
        self._stop.set()

    def close(self) -> None:
        """Stop, and wait a moment for the thread's end; it dies with the program anyway."""
        self._waiting.clear()
        self._stop.set()
        if self._thread is not None:
            self._thread.join(CLOSE_WITHIN_S)

    def _next(self) -> None:
        if self._current is not None or not self._waiting:
            return
        self._current = self._waiting.popleft()
        self._stop = threading.Event()
        self.started.emit(self._current.name)
        work = (self._current, self._stop)
        self._thread = threading.Thread(target=self._work, args=work, name="experiment", daemon=True)
        self._thread.start()

    def _work(self, experiment: Experiment, stop: threading.Event) -> None:
        """In the thread: measure, and tell what came of it."""
        told = 0.0

        def tell(fraction: float) -> None:
            nonlocal told
            if fraction - told >= STEP:
                told = fraction
                if not isValid(self):  # the window is gone, and this object with it
                    raise Cancelled
                self._courier.call(self._on_progress, experiment.name, fraction)

        outcome: object
        try:
            outcome = experiment.run(tell, stop.is_set)
        except Cancelled as cancelled:
            outcome = cancelled
        except Exception as error:  # noqa: BLE001 - whatever went wrong is shown beside the experiment
            _log.warning("%s failed", experiment.name, exc_info=error)
            outcome = error
        self._courier.call(self._on_ended, experiment.name, outcome)

    # -- in the window's thread again, where this may have gone meanwhile ------------------------------------

    def _on_progress(self, name: str, fraction: float) -> None:
        if isValid(self):
            self.progressed.emit(name, fraction)

    def _on_ended(self, name: str, outcome: object) -> None:
        if not isValid(self):
            return
        self._current = None
        if isinstance(outcome, Result):
            self.finished.emit(name, outcome)
        elif isinstance(outcome, Cancelled):
            self.stopped.emit(name)
        else:
            self.failed.emit(name, str(outcome) or type(outcome).__name__)
        self._next()
        if self._current is None:
            self.idle.emit()
