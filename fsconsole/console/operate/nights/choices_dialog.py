"""Preferences of Operate: who acts, how long a console stays armed, where alerts go."""

from __future__ import annotations

import shlex

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QLineEdit,
    QSpinBox,
    QSystemTrayIcon,
    QWidget,
)

from fsconsole.console.kit.forms import FormDialog
from fsconsole.console.operator_preferences import OperatorPreferences
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.targets.login import login_name


class ChoicesDialog(FormDialog):
    """They act at once when they are kept."""

    def __init__(self, choices: OperatorPreferences, parent: QWidget | None = None) -> None:
        super().__init__("Operate preferences", parent)
        self._choices = choices
        self.who = QLineEdit(choices.who, self)
        self.who.setAccessibleName("Name in the audit log")
        self.who.setPlaceholderText(login_name())
        self.minutes = QSpinBox(self)
        self.minutes.setRange(1, 120)
        self.minutes.setSuffix(" min")
        self.minutes.setValue(choices.armed_minutes)
        self.minutes.setAccessibleName("Armed for")
        self.notifies = QCheckBox("Desktop notification", self)
        self.notifies.setChecked(choices.notifies)
        if not QSystemTrayIcon.isSystemTrayAvailable():
            self.notifies.setToolTip("This desktop takes no notifications just now")
        self.command = QLineEdit(shlex.join(choices.command), self)
        self.command.setAccessibleName("Program that an alert runs")
        self.command.setPlaceholderText("program and arguments, or nothing")
        self.command.textChanged.connect(self.forgive)
        self.lay_out(
            "Keep",
            ("Name in the audit log", self.who),
            ("Armed for", self.minutes),
            ("Alerts", self.notifies),
            ("An alert runs", self.command),
            ("", MutedLabel("No shell: the alert's words are its last argument.", self)),
        )

    @Slot()
    def accept(self) -> None:
        try:
            command = shlex.split(self.command.text())
        except ValueError as error:
            self.refuse(self.command, f"The command cannot be read: {str(error).lower()}.")
            return
        self._choices.who = self.who.text()
        self._choices.armed_minutes = self.minutes.value()
        self._choices.notifies = self.notifies.isChecked()
        self._choices.command = command
        super().accept()
