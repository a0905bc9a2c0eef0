"""Alerts beyond the window: a notification of the desktop, a program that is run."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, QProcess, QTimer, Slot
from PySide6.QtWidgets import QSystemTrayIcon, QWidget
from shiboken6 import isValid

from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.style.icons import icon
from fsconsole.neardedicated.view import Alert

_SHOWN_MS = 15_000
_LONGEST_MS = 30_000


class Notifier(QObject):
    """Raises each alert once, as it comes, in the ways that were chosen.

    A program is started by an argument list, never by a shell, with the alert's words as its last argument;
    what it prints is not kept, and what has not ended after 30 s is killed. One runs for an alert at a time.
    """

    def __init__(self, controller: NightController, parent: QWidget) -> None:
        super().__init__(parent)
        self._controller = controller
        self.longest_ms = _LONGEST_MS
        self._raised: set[str] = set()
        self._programs: dict[str, QProcess] = {}
        self._tray: QSystemTrayIcon | None = None
        controller.changed.connect(self._refresh)
        if (app := QCoreApplication.instance()) is not None:
            app.aboutToQuit.connect(self._end_all)
        controller.session.target_changed.connect(self._raised.clear)

    @property
    def running(self) -> int:
        """Programs that have not ended yet."""
        return len(self._programs)

    @Slot()
    def _refresh(self) -> None:
        night = self._controller.night
        if night is None:
            return
        for alert in night.alerts:
            if alert.key not in self._raised and not alert.acknowledged_by:
                self.raise_alert(alert)
        self._raised &= {alert.key for alert in night.alerts}  # one that comes again is told again
        self._raised |= {alert.key for alert in night.alerts}

    def raise_alert(self, alert: Alert) -> None:
        """Tell of one."""
        choices = self._controller.arming.choices
        if choices.notifies:
            self._notify(alert)
        if choices.command:
            self._run(choices.command, alert)

    def _notify(self, alert: Alert) -> None:
        if not QSystemTrayIcon.isSystemTrayAvailable():
            self._controller.session.message.emit("This desktop takes no notifications.")
            return
        if self._tray is None:
            self._tray = QSystemTrayIcon(icon("warning"), self)
        self._tray.show()
        kinds = QSystemTrayIcon.MessageIcon
        kind = kinds.Critical if alert.level == "danger" else kinds.Warning
        self._tray.showMessage(self._controller.machine, alert.text, kind, _SHOWN_MS)

    def _run(self, command: tuple[str, ...], alert: Alert) -> None:
        if alert.key in self._programs:
            return  # it is being told already
        program = QProcess(self)
        program.setProgram(command[0])
        program.setArguments([*command[1:], alert.text])
        program.setStandardInputFile(QProcess.nullDevice())
        program.setStandardOutputFile(QProcess.nullDevice())
        program.setStandardErrorFile(QProcess.nullDevice())
        self._programs[alert.key] = program
        limit = QTimer(program)
        limit.setSingleShot(True)
        limit.timeout.connect(lambda: self._kill(program))
        program.finished.connect(lambda: self._forget(alert.key))
        program.errorOccurred.connect(lambda error: self._on_error(error, alert.key, command[0]))
        program.start()
        limit.start(self.longest_ms)

    def _kill(self, program: QProcess) -> None:
        name = program.program()
        program.kill()
        self._controller.session.message.emit(
            f"The program for alerts was killed after {self.longest_ms / 1000:g} s: {name}"
        )

    @Slot()
    def _end_all(self) -> None:
        """The console goes; nothing of it stays behind."""
        for program in self._programs.values():
            program.kill()
            program.waitForFinished(1000)

    def _on_error(self, error: QProcess.ProcessError, key: str, name: str) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._controller.session.message.emit(f"The program for alerts could not be started: {name}")
            self._forget(key)

    def _forget(self, key: str) -> None:
        program = self._programs.pop(key, None)
        if program is not None and isValid(program):  # one that its window took along ends as it goes
            program.deleteLater()
