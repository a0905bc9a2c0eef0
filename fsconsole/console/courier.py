"""What threads have to say is said in the window's thread, by an object that lives as the application does.

A thread must not emit the signals of an object that may go: Qt deletes an object with its parent, without
waiting for the GIL, and a thread that is inside the emission then reads freed memory. So a thread hands over
a call; whether anybody still wants it is asked where objects are deleted, in the window's thread.

Nor is a signal of this object emitted: objects share Qt's locks of connections, and the window's thread may
have such a lock and wait for the GIL.
"""

from __future__ import annotations

import atexit
from collections import deque
from collections.abc import Callable
from threading import Lock

from PySide6.QtCore import QCoreApplication, QMetaObject, QObject, Qt, Slot
from shiboken6 import isValid


class Courier(QObject):
    """Makes calls in the thread it was made in, in the order in which they were handed over."""

    def __init__(self, parent: QObject | None) -> None:
        super().__init__(parent)
        self._calls: deque[tuple[Callable[..., object], tuple[object, ...]]] = deque()
        self._posting = Lock()
        self._is_closed = False
        atexit.register(self.close)  # goes before Qt's own, which ends the application

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Have it called soon; from any thread. Nothing happens once the program ends."""
        with self._posting:
            if self._is_closed or not isValid(self):
                return
            self._calls.append((function, args))
            # A str at run time, whatever PySide's stubs say.
            QMetaObject.invokeMethod(self, "_make_next", Qt.ConnectionType.QueuedConnection)  # type: ignore[call-overload]

    def close(self) -> None:
        """The program ends, and its threads may go on for a moment: no more of what they say."""
        with self._posting:
            self._is_closed = True

    @Slot()
    def _make_next(self) -> None:
        """One each time it is asked, so that a dialog which is run in a call does not hold up the rest."""
        function, args = self._calls.popleft()
        function(*args)


def courier() -> Courier:
    """The application's own; for the window's thread, before a thread is begun."""
    app = QCoreApplication.instance()
    found: Courier | None = app.findChild(Courier) if app is not None else None
    return found or Courier(app)
