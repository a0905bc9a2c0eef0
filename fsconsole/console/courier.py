"""What threads have to say is said in the window's thread, by an object that lives as the application does.

A thread must not emit the signals of an object that may go: Qt deletes an object with its parent, without
waiting for the GIL, and a thread that is inside the emission then reads freed memory. So a thread hands over
a call; whether anybody still wants it is asked where objects are deleted, in the window's thread.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal, Slot
from shiboken6 import isValid


class Courier(QObject):
    """Makes calls in the thread it was made in, in the order in which they were handed over."""

    _handed_over = Signal(object, object)

    def __init__(self, parent: QObject | None) -> None:
        super().__init__(parent)
        self._handed_over.connect(self._call, Qt.ConnectionType.QueuedConnection)

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Have it called soon; from any thread. Nothing happens once the application has gone."""
        try:
            self._handed_over.emit(function, args)
        except RuntimeError:
            if isValid(self):
                raise

    @Slot(object, object)
    def _call(self, function: Callable[..., object], args: tuple[object, ...]) -> None:
        function(*args)


def courier() -> Courier:
    """The application's own; for the window's thread, before a thread is begun."""
    app = QCoreApplication.instance()
    found: Courier | None = app.findChild(Courier) if app is not None else None
    return found or Courier(app)
