"""Which other dampening factor fairshare is compared with."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from fsconsole.console.analyse.forecast.entry import number, plain
from fsconsole.console.kit.forms import FaultLabel
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.slurm.damping import MOST_WHOLE

_NONE = "none"
_OFFERED = (_NONE, "0.5", "2", "5", "10")
_WIDTH_PX = 76


class CompareBox(QWidget):
    """None, one of those offered, or one that is typed. Signals: chosen(d), None for none."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QComboBox(self)
        self.fault = FaultLabel()
        self.box.setEditable(True)
        self.box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.box.addItems(_OFFERED)
        self.box.setFixedWidth(_WIDTH_PX)
        self.box.setAccessibleName("Compare with dampening factor d")
        self.box.setToolTip("Another dampening factor at the same mean usage: none, or a number such as 2")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(MutedLabel("Compare d =", self))
        layout.addWidget(self.box)
        self.box.editTextChanged.connect(self._on_typed)

    def show_damping(self, damping: float | None) -> None:
        """Show another one; nothing is told."""
        self.box.blockSignals(True)
        self.box.setEditText(_NONE if damping is None else plain(damping))
        self.box.blockSignals(False)
        self._say("")

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        try:
            damping = (
                None if text.strip() in ("", _NONE) else number(text, "d", 0, MOST_WHOLE, "2", above=True)
            )
        except ValueError as error:
            self._say(f"Compare: {error}, or none")
            return
        self._say("")
        self.chosen.emit(damping)

    def _say(self, fault: str) -> None:
        self.fault.say(fault)
        for widget in (self.box, *self.box.findChildren(QLineEdit)):
            set_look(widget, "error" if fault else "")
