"""Asking for the title of a report of demands."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QWidget

from fsconsole.console.design.what_if.what_if import WhatIf

_NEW_TITLE = "What if"


class KeepDialog(QInputDialog):
    """A title for the demands shown; the title of the report they began with is offered."""

    def __init__(self, what_if: WhatIf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._what_if = what_if
        self._offered = what_if.source.title if what_if.source.report is not None else _NEW_TITLE
        self.setWindowTitle("Keep demands as report")
        self.setLabelText("Title of the report (one of the same title is replaced)")
        self.setTextValue(self._offered)
        self.setOkButtonText("Keep report")
        self.textValueSelected.connect(self._keep)

    def _keep(self, title: str) -> None:
        self._what_if.keep(title.strip() or self._offered)
