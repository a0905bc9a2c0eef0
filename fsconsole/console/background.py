"""Work in a thread whose results come to the window's thread, or no longer once it is cancelled."""

from __future__ import annotations

from threading import Lock, Thread

from PySide6.QtCore import QObject, SignalInstance


class Background(QObject):
    """Base of a piece of work; `work` runs in the thread and says what it has found by `tell`.

    It belongs to a parent, so that it is never destroyed by the thread. The parent cancels it before it goes.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lock = Lock()
        self._is_cancelled = False
        self._thread = Thread(target=self.work, name=type(self).__name__, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """Have it end soon; nothing is told any more."""
        with self._lock:
            self._is_cancelled = True

    def is_cancelled(self) -> bool:
        """Whether the work should end."""
        return self._is_cancelled

    def tell(self, signal: SignalInstance, *values: object) -> None:
        """Emit a signal unless the work was cancelled; it reaches slots of the window's thread there."""
        with self._lock:
            if not self._is_cancelled:
                signal.emit(*values)

    def work(self) -> None:
        """What is to be done; called in the thread."""
        raise NotImplementedError
