"""Where runs of a study are computed: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from fsconsole.console.preferences import Preferences
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.first_field import focus_on
from fsconsole.console.widgets.labels import MutedLabel

if TYPE_CHECKING:
    from fsconsole.batch.study.task import Executor

_KEY = "study/workers"
_MOST = 1024
_HINT = "A number of processes of this machine, or the address of a Dask scheduler (tcp://host:8786)."


@dataclass(frozen=True, slots=True)
class Workers:
    """So many processes of this machine (None: one for each core), or the scheduler at an address."""

    count: int | None = None
    address: str = ""

    @classmethod
    def read(cls, text: str) -> Workers:
        """What a person has typed; ValueError that says what would be right."""
        text = text.strip()
        if not text:
            return cls()
        if re.fullmatch(r"\d{1,6}", text):
            if not 1 <= int(text) <= _MOST:
                msg = f"{text} processes: write a number from 1 to {_MOST}."
                raise ValueError(msg)
            return cls(int(text))
        if re.fullmatch(r"(tcp|tls|ucx|ws|wss)://[^\s/]+", text):
            return cls(None, text)
        msg = f"{text!r} is neither a number of processes nor an address such as tcp://host:8786."
        raise ValueError(msg)

    def __str__(self) -> str:
        return self.address or ("" if self.count is None else str(self.count))

    def executor(self) -> Executor:
        """What works runs out there; StudyError where a cluster cannot be reached. Called in a thread."""
        if self.address:
            from fsconsole.batch.study.cluster import ClusterExecutor

            return ClusterExecutor(self.address)
        from fsconsole.batch.study.executors import LocalExecutor

        return LocalExecutor(self.count)


def workers_of(preferences: Preferences) -> Workers:
    """What was chosen; this machine where it makes no sense any more."""
    try:
        return Workers.read(str(preferences.value(_KEY, "")))
    except ValueError:
        return Workers()


class WorkersDialog(QDialog):
    """Asks where runs are computed from now on."""

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self.setWindowTitle("Study workers")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.where = QLineEdit(str(workers_of(preferences)), self)
        self.where.setAccessibleName("Workers")
        self.where.setPlaceholderText("one process for each core")
        self.trouble = QLabel(self)
        self.trouble.setWordWrap(True)
        self.trouble.hide()
        hint = MutedLabel(_HINT, self)
        hint.setWordWrap(True)
        form = QFormLayout()
        form.addRow("&Workers", self.where)
        form.addRow("", hint)
        form.addRow("", self.trouble)
        buttons = QDialogButtonBox(self)
        buttons.addButton("Keep", QDialogButtonBox.ButtonRole.AcceptRole).setDefault(True)
        buttons.addButton("Cancel", QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(buttons)
        self.resize(440, self.sizeHint().height())
        focus_on(self.where)

    @Slot()
    def accept(self) -> None:
        """Keep it; what cannot be keeps the dialog open."""
        try:
            workers = Workers.read(self.where.text())
        except ValueError as error:
            set_look(self.where, "error")
            palette = self.trouble.palette()
            palette.setColor(self.trouble.foregroundRole(), colour("danger"))
            self.trouble.setPalette(palette)
            self.trouble.setText(str(error))
            self.trouble.show()
            focus_on(self.where)
            return
        self._preferences.set_value(_KEY, str(workers))
        super().accept()
