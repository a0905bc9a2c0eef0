"""Questions that are answered in a thread, a moment after the last change; the newest alone counts."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from fsconsole.console.analyse.forecast.question import Superseded
from fsconsole.console.background import Background, called
from fsconsole.shares.scenario.problems import ScenarioError

_log = logging.getLogger(__name__)
WAIT_MS = 200
Call = Callable[[Callable[[], bool]], object]
"""Gets a function that says whether the answer is no longer wanted."""


class Asking(QObject):
    """Asks one thing at a time.

    Signals: answered(result), failed(error), changed() when it is busy or no longer.
    """

    answered = Signal(object)
    failed = Signal(object)
    changed = Signal()

    def __init__(self, parent: QObject, wait_ms: int = WAIT_MS) -> None:
        super().__init__(parent)
        self._call: Call | None = None
        self._work: _Work | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(wait_ms)
        self._timer.timeout.connect(self._begin)

    @property
    def is_busy(self) -> bool:
        """Whether an answer is on its way, or will be."""
        return self._call is not None or self._work is not None

    def ask(self, call: Call) -> None:
        """Ask this in a moment; what was asked before counts no longer."""
        self._forget()
        self._call = call
        self._timer.start()
        self.changed.emit()

    @Slot()
    def cancel(self) -> None:
        """Nothing is wanted any more."""
        self._forget()
        self.changed.emit()

    def _forget(self) -> None:
        self._timer.stop()
        self._call = None
        work, self._work = self._work, None
        if work is not None:
            work.let_go()

    @Slot()
    def _begin(self) -> None:
        call, self._call = self._call, None
        if call is None:
            return
        self._work = work = _Work(call, self)
        work.done.connect(self._on_done, Qt.ConnectionType.QueuedConnection)
        work.failed.connect(self._on_failed, Qt.ConnectionType.QueuedConnection)
        work.start()

    def _is_newest(self) -> bool:
        """Whether it is the newest work that is heard; that one has ended."""
        if self._work is None or self.sender() is not self._work:
            return False
        self._forget()
        return True

    @Slot(object)
    def _on_done(self, result: object) -> None:
        if self._is_newest():
            self.answered.emit(result)
            self.changed.emit()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        if self._is_newest():
            self.failed.emit(error)
            self.changed.emit()


class _Work(Background):
    """One call. Signals: done(result), failed(error)."""

    done = Signal(object)
    failed = Signal(object)

    def __init__(self, call: Call, parent: QObject) -> None:
        super().__init__(parent)
        self._call = call

    def work(self) -> None:
        """In the thread."""
        try:
            result = called(partial(self._call, self.is_cancelled))
        except Superseded:
            return
        except (ValueError, OSError) as error:  # what is wrong with numbers and files, ScenarioError too
            self.tell(self.failed, error)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told where the answer would stand
            _log.warning("a forecast failed", exc_info=error)
            self.tell(self.failed, error)
        else:
            self.tell(self.done, result)


def in_words(error: Exception) -> str:
    """What went wrong, in a sentence; of many problems the first."""
    if isinstance(error, ScenarioError):
        first = error.problems[0]
        where = f"{error.name}, line {first.line}" if first.line else error.name
        more = f" ({len(error.problems) - 1} more)" if len(error.problems) > 1 else ""
        return f"{where}: {first.text}{more}" if where else f"{first.text}{more}"
    if isinstance(error, OSError):
        return f"{error.filename or 'The file'} cannot be read: {error.strerror or error}"
    return str(error) or type(error).__name__
