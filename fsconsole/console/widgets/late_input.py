"""Dialogs that open by themselves: keys and clicks that are on their way to something else do not answer.

A dialog opens by itself where no input of the user has just asked for it: a file was read, a cluster was
reached, a thread has failed. `by_itself` is around all that threads bring; what opens inside it is held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QDialog, QWidget

READ_S = 1.0  # So long something is in sight before an input can mean it.
JUST_CHANGED = "This has just changed. Read it first."
_LOOK_MS = 100
_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
_CLICKS = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)


class _Origin:
    """Where what happens now comes from."""

    is_by_itself = False


@contextmanager
def by_itself() -> Iterator[None]:
    """Take what happens inside as no answer to an input; until the user answers a dialog that opens."""
    before, _Origin.is_by_itself = _Origin.is_by_itself, True
    try:
        yield
    finally:
        _Origin.is_by_itself = before


def by_itself_for_now() -> None:
    """Take what happens until the event loop goes on as no answer to an input, which is too long ago."""
    if not _Origin.is_by_itself:
        _Origin.is_by_itself = True
        QTimer.singleShot(0, _take_input)


def _take_input() -> None:
    _Origin.is_by_itself = False


def hold_late_input(dialog: QDialog) -> None:
    """Keep from a dialog that opens by itself what is meant for something else; call it when it is shown."""
    if _Origin.is_by_itself and not dialog.isVisible():
        _Hold(dialog)


class _Hold(QObject):
    """Takes keys and clicks until the dialog could be read, and keys until typing has paused as long."""

    def __init__(self, dialog: QDialog) -> None:
        super().__init__(dialog)
        self._since_s = monotonic()
        self._typed_s = self._since_s
        self._parts = [dialog, *dialog.findChildren(QWidget)]
        for part in self._parts:
            part.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        kind, now_s = event.type(), monotonic()
        if now_s - self._typed_s >= READ_S:
            self._end()
            return False
        is_late = kind in _KEYS or (kind in _CLICKS and now_s - self._since_s < READ_S)
        if is_late:
            self._typed_s = now_s if kind in _KEYS else self._typed_s
            event.accept()  # Otherwise a shortcut would be carried out.
        return is_late

    def _end(self) -> None:
        """Let everything pass: whatever the user answers now, what follows is asked for."""
        for part in self._parts:
            part.removeEventFilter(self)
        self._parts.clear()
        self.deleteLater()
        _take_input()


class Dwell(QObject):
    """How long what an answer is about has been in sight since it changed there.

    A dialog that an input opened can be answered at once; what changes in it by itself takes `READ_S`.
    Signal: over(), when it could be read.
    """

    over = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._subject: object = None
        self._since_s: float | None = None
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def is_read(self) -> bool:
        """Whether an answer can mean what is in sight."""
        return self._since_s is None or monotonic() - self._since_s >= READ_S

    def show_for(self, subject: object) -> None:
        """Note what is in sight, which is compared with ==; one that is empty cannot be answered."""
        if not subject or subject == self._subject:
            return
        if self._subject is not None:
            self.restart()
        self._subject = subject

    def take(self, subject: object) -> None:
        """Note what is in sight since the user asked for it."""
        self._subject, self._since_s = subject, None

    def restart(self) -> None:
        """Note that something else is in sight from now on."""
        self._since_s = monotonic()
        self._timer.start(round(1000 * READ_S))

    @Slot()
    def _on_timeout(self) -> None:
        self.over.emit() if self.is_read else self._timer.start(_LOOK_MS)


def after_dialogs(owner: QObject, call: Callable[[], object]) -> None:
    """Call at once, or when the dialogs over the windows are closed: they are about what is there now.

    Nothing happens once `owner` is gone.
    """
    if QApplication.activeModalWidget() is not None:
        QTimer.singleShot(_LOOK_MS, owner, partial(after_dialogs, owner, call))
        return
    with by_itself():
        call()
