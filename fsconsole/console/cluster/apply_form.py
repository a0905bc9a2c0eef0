"""What the dialog of a change set is made of: a table, a reason, buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFormLayout,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from fsconsole.console.cluster.change_table import change_model
from fsconsole.console.kit.consent import ConsentBox
from fsconsole.console.kit.forms import ReasonField
from fsconsole.console.kit.tables import FlatTree
from fsconsole.console.style.fonts import fixed_font
from fsconsole.console.style.sizes import scaled
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.labels import InkLabel, MutedLabel, SectionLabel

_SIZE = QSize(1240, 520)
_MOST_LINES = 5  # More commands are scrolled.
_WIDTHS = {
    "change": 96, "on": 136, "before": 84, "after": 90, "fairshare": 166, "result": 230, "command": 620,
}  # fmt: skip


class ApplyForm(Dialog):
    """Heading, table of changes, message, reason and buttons, without any logic."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self.resize(_SIZE)
        self._make_widgets()
        self._make_buttons()
        self._build_ui()

    def _make_widgets(self) -> None:
        self.heading = SectionLabel("", self)
        self.below = MutedLabel("", self, "base", wraps=True)
        self.model = change_model()
        self.table = FlatTree(self.model, "Changes", self)
        header, place = self.table.header(), self.model.place
        for key, width in _WIDTHS.items():
            header.resizeSection(place(key), scaled(width))
        header.moveSection(header.visualIndex(place("result")), header.visualIndex(place("fairshare")))
        self.reason = ReasonField(self)
        self.logged = MutedLabel("", self)
        self.remark = InkLabel(self)
        self.queries = QPlainTextEdit(self)
        self.queries.setAccessibleName("Commands to check unknown results")
        self.queries.setReadOnly(True)
        self.queries.setFont(fixed_font())
        self.queries.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.queries.setTabChangesFocus(True)
        self.queries.hide()
        self.reached = InkLabel(self)
        self.reached.hide()
        self.obstacles = InkLabel(self)
        self.insist = ConsentBox("&Send them anyway", self)
        self.insist.setToolTip("Also run the commands that Slurm is expected to refuse")

    def _make_buttons(self) -> None:
        role = QDialogButtonBox.ButtonRole
        self.buttons = QDialogButtonBox(self)
        self.copy = self.buttons.addButton("&Copy commands", role.ActionRole)
        self.dry = self.buttons.addButton("Dry &run only", role.ActionRole)
        self.arm = self.buttons.addButton("Ar&m", role.ActionRole)
        self.back = self.buttons.addButton("Roll &back…", role.ActionRole)
        self.stop = self.buttons.addButton("&Stop", role.ActionRole)
        self.close_button = self.buttons.addButton("Close", role.RejectRole)
        self.apply = self.buttons.addButton("&Apply", role.DestructiveRole)
        for button in self.buttons.buttons():
            if isinstance(button, QPushButton):
                button.setAutoDefault(False)
        self.close_button.setDefault(True)

    def _build_ui(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.addRow(MutedLabel("Reason", self), self.reason)
        form.addRow("", self.logged)
        vbox(
            self.heading, self.below, self.queries, self.obstacles, self.insist, (self.table, 1), self.remark,
            self.reached, form, self.buttons, on=self, margins=(20, 16, 20, 14), spacing=6,
        )  # fmt: skip

    def show_queries(self, lines: Sequence[str]) -> None:
        """Show commands to check unknown results; nothing shows without any."""
        self.queries.setPlainText("\n".join(lines))
        shown = min(2 * len(lines), _MOST_LINES)  # A command takes two lines in a narrow dialog.
        frame = 2 * (self.queries.frameWidth() + round(self.queries.document().documentMargin()))
        self.queries.setFixedHeight(self.queries.fontMetrics().lineSpacing() * shown + frame)
        self.queries.setVisible(bool(lines))

    def sizeHint(self) -> QSize:
        return _SIZE
