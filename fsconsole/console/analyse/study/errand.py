"""Something that is computed in a thread for a view, which shows the newest answer alone."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot

from fsconsole.console.background import Background, called

_log = logging.getLogger(__name__)


class Errand(Background):
    """One call. Signals: done(result), failed(sentence)."""

    done = Signal(object)
    failed = Signal(str)

    def __init__(self, call: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._call = call

    def work(self) -> None:
        """In the thread."""
        try:
            result = called(self._call)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told where the answer would stand
            # A file that is not what it should be is told in the view; the log keeps faults of the program.
            is_fault = not isinstance(error, OSError | ValueError)
            _log.warning("A background call failed: %s", error, exc_info=error if is_fault else None)
            self.tell(self.failed, str(error) or type(error).__name__)
        else:
            self.tell(self.done, result)


class Errands(QObject):
    """One errand at a time; a later one takes the place of an earlier one.

    Signals: done(result), failed(sentence) of the newest.
    """

    done = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._current: Errand | None = None

    @property
    def is_busy(self) -> bool:
        """Whether an answer is on its way."""
        return self._current is not None

    def send(self, call: Callable[[], object]) -> None:
        """Have something computed; what is under way counts no longer."""
        self.cancel()
        self._current = errand = Errand(call, self)
        errand.done.connect(self._on_done, Qt.ConnectionType.QueuedConnection)
        errand.failed.connect(self._on_failed, Qt.ConnectionType.QueuedConnection)
        errand.start()

    def cancel(self) -> None:
        """Nothing is told any more of what is under way."""
        current, self._current = self._current, None
        if current is not None:
            current.let_go()

    def _is_current(self) -> bool:
        """Whether it is the newest errand that is heard; that one has done its work."""
        if self._current is None or self.sender() is not self._current:
            return False
        self.cancel()
        return True

    @Slot(object)
    def _on_done(self, result: object) -> None:
        if self._is_current():
            self.done.emit(result)

    @Slot(str)
    def _on_failed(self, sentence: str) -> None:
        if self._is_current():
            self.failed.emit(sentence)
