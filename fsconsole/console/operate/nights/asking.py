"""Asks an operator what is needed before something is done."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from fsconsole.console.operate.nights.desk import Desk
from fsconsole.neardedicated.view import JobCard


class Asking:
    """Opens the dialogs over a window; `usual_s` is the length on the job card."""

    def __init__(self, desk: Desk, parent: QWidget, usual_s: Callable[[], float]) -> None:
        self._desk, self._parent, self._usual_s = desk, parent, usual_s

    def start(self) -> None:
        """Until when the window is to be open."""
        from fsconsole.console.operate.nights.dialogs import StartDialog

        if self._desk.night is not None:
            StartDialog(self._desk, self._desk.night, self._parent.window()).open()

    def stop(self) -> None:
        """What becomes of the running job."""
        from fsconsole.console.operate.nights.dialogs import StopDialog

        if self._desk.night is not None:
            StopDialog(self._desk, self._desk.night, self._parent.window()).open()

    def extend(self, by_s: float = 0.0) -> None:
        """By how much; the card's length where none is given."""
        from fsconsole.console.operate.nights.dialogs import ExtendDialog

        if (job := self._job) is not None:
            ExtendDialog(self._desk, job, by_s or self._usual_s(), self._parent.window()).open()

    def kill(self) -> None:
        """Whether to kill the running job."""
        from fsconsole.console.operate.nights.dialogs import KillDialog

        if (job := self._job) is not None:
            KillDialog(self._desk, job, self._parent.window()).open()

    def note(self) -> None:
        """What the next operator should know."""
        from fsconsole.console.operate.nights.dialogs import NoteDialog

        self._open(NoteDialog(self._desk, self._parent.window()))

    def choices(self) -> None:
        """Who acts, and where alerts go."""
        from fsconsole.console.operate.nights.choices_dialog import ChoicesDialog

        self._open(ChoicesDialog(self._desk.arming.choices, self._parent.window()))

    @property
    def _job(self) -> JobCard | None:
        """The job that an armed operator may act on."""
        night = self._desk.night
        job = night.job if night is not None and self._desk.is_armed else None
        return None if job is None or job.is_over else job

    @staticmethod
    def _open(dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
