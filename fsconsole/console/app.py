"""The console as a program."""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QMimeData, QObject, QSocketNotifier, QTimer, Slot
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication
from shiboken6 import createdByPython

from fsconsole.console.garbage import collect_here
from fsconsole.console.general_preferences import GeneralPreferences
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import install_look, use_utf8
from fsconsole.console.window import ConsoleWindow
from fsconsole.operating_system import ENDING_SIGNALS
from fsconsole.resources import resource

# For measuring the start: report the first painting of the window, then quit.
QUIT_WHEN_PAINTED = "FSCONSOLE_QUIT_AFTER_FIRST_PAINT"

# Qt's calls let go of the interpreter. While a thread computes, the window's thread waits that long to have
# it back, some hundred times for each edit that is painted. Such a thread does as much as at 1 ms.
SWITCH_S = 0.0002


def main(path: Path | None = None, prefix: tuple[str, ...] | None = None, *, on_linux: bool = False) -> int:
    """Open the console, with a file or a cluster, else with what was open last; its exit status.

    `prefix` is the argument list before each of Slurm's tools; empty where they are here. `on_linux` opens
    the tree on this machine's control groups.
    """
    use_utf8()
    app = QApplication(sys.argv[:1])
    app.setApplicationName("fsconsole")
    app.setDesktopFileName("fsconsole")
    app.setWindowIcon(QIcon(str(resource("fsconsole.svg"))))
    prepare_process(app)
    session = ConsoleSession()
    general = GeneralPreferences.read(session.preferences)
    style = install_look(app, general.theme)
    general.apply(app)
    window = ConsoleWindow(session)
    window.restore_state()
    ending = SignalHandler(session, window)
    start = Start(window, path, prefix, on_linux=on_linux)
    window.painted.connect(start.go_on)
    window.show()
    status = app.exec()
    let_go_of_clipboard()
    del style, ending
    return status


def prepare_process(app: QCoreApplication) -> None:
    """Collect garbage in the window's thread alone, and have other threads give way to it soon."""
    collect_here(app)
    sys.setswitchinterval(SWITCH_S)


def let_go_of_clipboard() -> None:
    """Leave picture or text on the clipboard without an object that Python has made.

    Qt deletes what is on it after the interpreter has ended, and would ask the interpreter about it.
    """
    clipboard = QGuiApplication.clipboard()
    # None if the clipboard is empty, although the stub excludes None.
    held: QMimeData | None = clipboard.mimeData()
    if held is None or not createdByPython(held):
        return
    picture, text = clipboard.image(), held.text()
    if picture.isNull():
        clipboard.setText(text)
    else:
        clipboard.setImage(picture)


class Start(QObject):
    """What waits until the window is painted: reading the file, copies to restore, the other workspaces."""

    def __init__(
        self,
        window: ConsoleWindow,
        path: Path | None,
        prefix: tuple[str, ...] | None = None,
        *,
        on_linux: bool = False,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._path, self._prefix, self._on_linux = path, prefix, on_linux

    @Slot()
    def go_on(self) -> None:
        """Open what was asked for, now that the window is painted."""
        if os.environ.get(QUIT_WHEN_PAINTED):
            print("painted", flush=True)  # noqa: T201
            QApplication.quit()
            return
        from fsconsole.console.crash import CrashReporter, start_logging

        start_logging()
        CrashReporter(self._window).install()
        if self._on_linux:
            self._window.linux.controller.open_next()
        self._window.start(self._path, self._prefix)
        self._window.command_server.open_if_allowed()
        QTimer.singleShot(300, self._window, self._window.stack.make_missing)


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
        for number in ENDING_SIGNALS:
            # Under nohup SIGHUP is ignored, and the console keeps that.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda *_: None)

    @Slot()
    def _end(self) -> None:
        number = self._here.recv(1)[0]
        self._session.ending.emit()
        self._session.close_target()
        children = sys.modules.get(_CHILDREN)
        if children is not None:
            children.end_all()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
