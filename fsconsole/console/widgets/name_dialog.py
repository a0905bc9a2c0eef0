"""A dialog for the name of a stored object."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QWidget

from fsconsole.console.widgets.late_input import hold_late_input


class NameDialog(QInputDialog):
    """One line for a name; one that is offered. Signals: textValueSelected(name) once it is agreed to."""

    def __init__(self, title: str, label: str, verb: str, offered: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setLabelText(label)
        self.setTextValue(offered)
        self.setOkButtonText(verb)

    def setVisible(self, visible: bool) -> None:
        if visible:
            hold_late_input(self)
        super().setVisible(visible)
