"""Preferences of Operate: who acts, how long a console stays armed, where alerts go."""

from __future__ import annotations

import shlex

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QSystemTrayIcon,
    QVBoxLayout,
    QWidget,
)

from fsconsole.console.operator_preferences import OperatorPreferences
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.first_field import focus_on
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.targets.login import login_name


class ChoicesDialog(QDialog):
    """They act at once when they are kept."""

    def __init__(self, choices: OperatorPreferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = choices
        self.setWindowTitle("Operate preferences")
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
        self._wrong = QLabel(self)
        self._wrong.hide()
        form = QFormLayout()
        form.addRow("Name in the audit log", self.who)
        form.addRow("Armed for", self.minutes)
        form.addRow("Alerts", self.notifies)
        form.addRow("An alert runs", self.command)
        form.addRow("", MutedLabel("No shell: the alert's words are its last argument.", self))
        form.addRow("", self._wrong)
        self.buttons = QDialogButtonBox(self)
        self.buttons.addButton("Keep", QDialogButtonBox.ButtonRole.AcceptRole).setDefault(True)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self.buttons)
        focus_on(self.who)

    @Slot()
    def accept(self) -> None:
        try:
            command = shlex.split(self.command.text())
        except ValueError as error:
            set_look(self.command, "error")
            self._wrong.setText(f"The command cannot be read: {str(error).lower()}.")
            self._wrong.show()
            focus_on(self.command)
            return
        self._choices.who = self.who.text()
        self._choices.armed_minutes = self.minutes.value()
        self._choices.notifies = self.notifies.isChecked()
        self._choices.command = command
        super().accept()
