"""Faults of the program itself: logged and reported once, without ending the console."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from collections import Counter
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

from platformdirs import user_state_path
from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, Slot, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from fsconsole.console.widgets.dialog import MessageBox
from fsconsole.console.widgets.late_input import by_itself
from fsconsole.resources import this_program
from fsconsole.shares.files import make_private_folder, open_private

_LOG_BYTES = 500_000
_WORDS_WIDTH = 480
_log = logging.getLogger("fsconsole")
_qt_log = logging.getLogger("qt")
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def log_path() -> Path:
    """Return the console's log."""
    return user_state_path("fsconsole") / "console.log"


class _PrivateLog(RotatingFileHandler):
    def _open(self) -> Any:
        return open_private(Path(self.baseFilename))

    def handleError(self, record: logging.LogRecord) -> None:
        """Leave out what cannot be written, as on a full disk, without a traceback on the terminal."""


def start_logging() -> None:
    """Keep warnings and worse, Qt's too, in a file of limited size, where one can be written."""
    handler: logging.Handler = logging.NullHandler()
    try:
        make_private_folder(log_path().parent)
        handler = _PrivateLog(log_path(), maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8")
    except OSError:
        pass
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(handler)
    qInstallMessageHandler(_take_qt_message)


class CrashReporter(QObject):
    """Handles uncaught errors of any thread, and shows each once.

    A repeated fault is only counted. Attributes: seen: number of occurrences, by the place of the fault.
    """

    _caught = Signal(str, str, str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._box: MessageBox | None = None
        self.seen: Counter[str] = Counter()
        self._caught.connect(self._show)

    def install(self) -> None:
        """Replace Python's own handling."""
        sys.excepthook = self.take
        threading.excepthook = self._take_from_thread

    def take(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Log a fault and show it; Ctrl-C ends the console."""
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        report = "".join(traceback.format_exception(kind, error, trace))
        _log.error("internal error\n%s", report)
        frames = traceback.extract_tb(trace)
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
        self._caught.emit(f"{kind.__name__} {place}", f"{kind.__name__}: {error}", report)

    def _take_from_thread(self, found: threading.ExceptHookArgs) -> None:
        if found.exc_value is not None:
            self.take(found.exc_type, found.exc_value, found.exc_traceback)

    @Slot(str, str, str)
    def _show(self, key: str, words: str, report: str) -> None:
        self.seen[key] += 1
        if self.seen[key] > 1 or self._box is not None:
            return
        text = "Internal error. The console still runs. Save your work under another name."
        box = MessageBox(self._window, text, _breakable(f"{words}\nA report was written to {log_path()}."))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowModality(Qt.WindowModality.NonModal)
        box.setDetailedText(f"{this_program()}\n{report}")
        copy = QPushButton("Copy report", box)
        box.addButton(copy, box.ButtonRole.ActionRole)
        copy.clicked.disconnect()
        copy.clicked.connect(self._copy)
        box.add("Close", box.ButtonRole.RejectRole)
        for label in box.findChildren(QLabel):
            label.setMinimumWidth(_WORDS_WIDTH)
        box.finished.connect(self._forget_box)
        self._box = box
        with by_itself():
            box.show()

    @Slot()
    def _copy(self) -> None:
        if self._box is not None:
            QGuiApplication.clipboard().setText(self._box.detailedText())

    @Slot()
    def _forget_box(self) -> None:
        self._box = None


def _breakable(words: str) -> str:
    """Let a line end behind any slash of a path."""
    return words.replace("/", "/\N{ZERO WIDTH SPACE}")


def _take_qt_message(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    _qt_log.log(_LEVELS.get(kind, logging.WARNING), "%s", text)
