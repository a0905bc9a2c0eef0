"""Ctrl+C in the terminal and other wishes of the system to end: a cluster is left in good order first."""

from __future__ import annotations

import os
import signal
import socket
import sys

from PySide6.QtCore import QObject, QSocketNotifier, Slot

from fsconsole.console.session import ConsoleSession

_CHILDREN = "fsconsole.targets.slurm.child"


class SignalHandler(QObject):
    """Hears signals in Qt's loop, which never looks at Python's handlers: they wake it through a socket.

    The program still dies of the signal, as ever: nothing is asked, and edits are restored at the next start.
    """

    def __init__(self, session: ConsoleSession, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._here, self._there = socket.socketpair()
        for end in (self._here, self._there):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._here.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._end)
        signal.set_wakeup_fd(self._there.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as by nohup
                signal.signal(number, lambda *_: None)

    @Slot()
    def _end(self) -> None:
        number = self._here.recv(1)[0]
        self._session.close_target()
        children = sys.modules.get(_CHILDREN)
        if children is not None:
            children.end_all()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
