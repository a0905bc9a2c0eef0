"""Waiting for an answer of the machine's thread without holding up the window."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

_LOOK_MS = 15


class Asked(QObject):
    """One question at a time; a newer one replaces it.

    Signals, in the window's thread: came(answer), failed(reason in words).
    """

    came = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._future: Future[Any] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is to come."""
        return self._future is not None

    def ask(self, future: Future[Any]) -> None:
        """Wait for this answer."""
        self._future = future
        self._timer.start()

    def forget(self) -> None:
        """Wait no longer."""
        self._future = None
        self._timer.stop()

    @Slot()
    def _look(self) -> None:
        future = self._future
        if future is None or not future.done():
            return
        self.forget()
        error = None if future.cancelled() else future.exception()
        if error is not None:
            self.failed.emit(str(error.args[0] if error.args else error))
        elif not future.cancelled():
            self.came.emit(future.result())
