"""An offscreen console for pictures of it, without settings, display or user."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEvent,
    QEventLoop,
    QIODevice,
    QMessageLogContext,
    QPoint,
    QRect,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QImage, QImageWriter, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from fsconsole.console.app import prepare_process
from fsconsole.console.files.questions import Answer, Questions
from fsconsole.console.preferences import Preferences
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import install_look, use_utf8
from fsconsole.console.style.theme import ThemeMode, colour, theme
from fsconsole.console.widgets.readout import Readout
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.files import write_atomic

_LOOK_MS = 20
_SETTLE_MS = 300
_OF_NO_WINDOW = "This plugin does not support"
_SMALLEST_PNG = 0  # In Qt, quality 0 is the strongest compression of a PNG.


class _Unasked(Questions):
    """No person is there to answer: what was not kept goes, and nothing waits."""

    def __init__(self) -> None:
        """Make it before its window, which asks it from the start."""

    def stand_over(self, window: QWidget) -> None:
        """Show lists of problems over a window, since these do not wait for an answer."""
        self._window = window

    def _ask(
        self, text: str, more: str, *, save: str = "", discard: str = "", typed: Sequence[str] = ()
    ) -> Answer:
        return "discard"


class Stage:
    """A window that is never shown; use it as a context.

    RuntimeError where something that was waited for does not come.
    """

    def __init__(self, width: int, height: int, mode: ThemeMode = "light") -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fsconsole-")
        self._app = application()
        prepare_process(self._app)
        self._style = install_look(self._app, mode)
        self.session = ConsoleSession(Preferences(Path(self._folder.name)))
        questions = _Unasked()
        self.window = ConsoleWindow(self.session, questions)
        questions.stand_over(self.window)
        self.window.resize(width, height)

    def __enter__(self) -> Stage:
        self.window.show()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.window.close()
        self.window.deleteLater()
        self.settle()
        self._folder.cleanup()

    def open_example(self, name: str) -> None:
        """Open an example and wait until its machine exists."""
        before = self.session.document
        self.window.files.open_example(name)
        self.wait_for(lambda: self.session.document is not before and self.session.snapshot is not None)

    def advance_to(self, time_s: float) -> None:
        """Run the machine to a time and leave it paused there; RuntimeError where nothing is open."""
        document, snapshot = self.session.document, self.session.snapshot
        if document is None or snapshot is None:
            raise RuntimeError("nothing is open")
        tick = document.scenario.machine.ticks(time_s)
        self.session.step(tick - snapshot.tick)
        self.wait_for(lambda: (now := self.session.snapshot) is not None and now.tick == tick)

    def press_escape(self) -> None:
        """Press and release Escape, which cancels a drag."""
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            target = self._app.focusWidget() or self.window
            self._app.sendEvent(target, QKeyEvent(kind, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier))

    def set_theme(self, mode: ThemeMode) -> None:
        """Switch to the light or dark theme."""
        theme().set_mode(mode)

    def wait_for(self, condition: Callable[[], bool], timeout_s: float = 120.0) -> None:
        """Let the window live until a condition holds; RuntimeError after `timeout_s`."""
        end = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError("the console did not respond in time")
            self.settle(_LOOK_MS)

    def settle(self, milliseconds: int = _SETTLE_MS) -> None:
        """Let the window live for a moment: threads, timers, paints."""
        loop = QEventLoop()
        QTimer.singleShot(milliseconds, loop.quit)
        loop.exec()

    def keep_picture(self, path: Path) -> Path:
        """Write what the window shows, readouts and dialogs too, as PNG; OSError where that cannot be."""
        self.settle()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, _png(self._picture()))
        return path

    def frame(self) -> NDArray[np.uint8]:
        """Return the window as pixels, uint8 of shape (height, width, 4): R, G, B, A."""
        image = self._picture().toImage().convertToFormat(QImage.Format.Format_RGBA8888)
        return np.array(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)

    def _picture(self) -> QPixmap:
        picture = self.window.grab()
        with QPainter(picture) as painter:
            corner = self.window.mapToGlobal(QPoint(0, 0))
            for popover in self._app.topLevelWidgets():
                if isinstance(popover, Readout) and popover.isVisible():
                    painter.drawPixmap(popover.pos() - corner, popover.grab())
                elif isinstance(popover, QDialog) and popover.isVisible():
                    _paint_dialog(painter, popover, self.window.rect())
        return picture


def application() -> QApplication:
    """Return the application, made off screen unless there is one."""
    found = QApplication.instance()
    if isinstance(found, QApplication):
        return found
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    qInstallMessageHandler(_pass_on)
    use_utf8()
    return QApplication([sys.argv[0]])


def _pass_on(_kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    """Pass Qt's messages to stderr, except those on what an offscreen window cannot do."""
    if not text.startswith(_OF_NO_WINDOW):
        print(text, file=sys.stderr)  # noqa: T201


def _paint_dialog(painter: QPainter, dialog: QDialog, room: QRect) -> None:
    """Paint a dialog in the middle of the window, with the edge that a desktop would give it."""
    place = QRect(QPoint(0, 0), dialog.size())
    place.moveCenter(room.center())
    painter.drawPixmap(place.topLeft(), dialog.grab())
    painter.setPen(colour("edge"))
    painter.drawRect(place.adjusted(-1, -1, 0, 0))


def _png(picture: QPixmap) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(b"png"))
    writer.setQuality(_SMALLEST_PNG)
    if not writer.write(picture.toImage()):
        raise OSError(f"cannot draw the screenshot: {writer.errorString()}")
    return bytes(data.data())
