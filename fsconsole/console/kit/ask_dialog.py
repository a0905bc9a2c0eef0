"""A dialog that shows the effect of an action, takes a reason, and shows the result."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QPushButton,
    QWidget,
)
from shiboken6 import isValid

from fsconsole.console.arming import READ_ONLY, Arming
from fsconsole.console.connections import tie
from fsconsole.console.kit.forms import ReasonField
from fsconsole.console.style import icons
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.boxes import Gap, hbox, vbox
from fsconsole.console.widgets.danger_buttons import DangerButton, QuietDefault
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.growth import grow_to_fit
from fsconsole.console.widgets.labels import FactLabel, MutedLabel, PlainLabel, SectionLabel
from fsconsole.console.widgets.late_input import JUST_CHANGED, Dwell
from fsconsole.console.widgets.strip import Foot
from fsconsole.text import durations

_WIDTH = 500
_ICON = 28


class AskDialog(Dialog):
    """Base of all confirmations of actions on a target of any kind.

    Subclasses add rows, update the texts in `follow` and start the action in `ask`. The dialog closes when it
    is done; a refusal is shown and all entries stay.

    Attributes:
        dwell: what is asked about; what changes there by itself is not answered before it could be read.
    """

    def __init__(
        self, arming: Arming, title: str, verb: QPushButton, icon: str, parent: QWidget | None
    ) -> None:
        """Create the dialog; `verb` is the button of the action, `icon` is at the left, danger for a kill."""
        super().__init__(title, parent)
        self.arming = arming
        self.verb = verb
        self._icon = icon
        self._is_waiting = False
        self._is_hindered = False
        self._answer = ""
        self._is_complete = False
        self.dwell = Dwell(self)
        self._inked: list[tuple[QLabel, str]] = []
        self.heading = SectionLabel("", self, wraps=True)
        self.below = MutedLabel("", self, "base")
        self.form = QFormLayout()
        self.form.setLabelAlignment(Qt.AlignmentFlag.AlignRight)
        self.form.setHorizontalSpacing(12)
        self.form.setVerticalSpacing(6)
        self.reason = ReasonField(self)
        self.problem = PlainLabel("", self, wraps=True, font=tabular_font())
        self.problem.hide()
        self._inked.append((self.problem, "danger"))
        tie(theme(), "changed", self, "_ink")
        self._ink()
        self._logged = MutedLabel("", self)
        self.buttons = QDialogButtonBox(self)
        self.cancel = (
            QuietDefault("Cancel", self) if isinstance(verb, DangerButton) else QPushButton("Cancel", self)
        )
        self.buttons.addButton(self.cancel, QDialogButtonBox.ButtonRole.RejectRole)

    # -- for subclasses -------------------------------------------------------------------------------------

    def ask(self) -> bool:
        """Start the action, which calls `on_answer` with its result; return whether it could be started."""
        return False

    @property
    def is_there(self) -> bool:
        """Whether the dialog is still open: it may be closed before the target answers."""
        return isValid(self)

    def follow(self) -> str:
        """Bring the words up to date; why it cannot be done, or nothing."""
        return ""

    def remark(self) -> str:
        """Return a remark below the reason."""
        return ""

    def row(self, words: str, token: str = "") -> QLabel:
        """Return a row of the form: its title, and a label for its text."""
        fact = FactLabel(self)
        fact.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # A click on it does not move the focus.
        if token:
            self._inked.append((fact, token))
            self._ink()
        self.form.addRow(MutedLabel(words, self), fact)
        return fact

    def lay_out(self, *more: QWidget, cancels: bool) -> None:
        """Lay out the dialog; `more` is below the reason, with `cancels` Enter means Cancel."""
        self.form.addRow(MutedLabel("Reason", self), self.reason)
        for widget in (*more, self.problem, self._logged):
            self.form.addRow("", widget)
        role = QDialogButtonBox.ButtonRole
        self.buttons.addButton(self.verb, role.DestructiveRole if cancels else role.AcceptRole)
        self.verb.clicked.connect(self.do_it)
        self.buttons.rejected.connect(self.reject)
        self.verb.setAutoDefault(not cancels)
        self.verb.setDefault(not cancels)
        self.cancel.setAutoDefault(cancels)
        self.cancel.setDefault(cancels)
        side = vbox(self.heading, self.below, Gap(6), self.form, spacing=6)
        icon = (_Icon(self._icon, self), 0, Qt.AlignmentFlag.AlignTop)
        top = hbox(icon, (side, 1), margins=(24, 20, 24, 14), spacing=18)
        foot = Foot(self)
        hbox(self.buttons, on=foot, margins=(24, 12, 24, 12))
        vbox((top, 1), foot, on=self)
        for before, after in zip((self.reason, *more), (*more, self.verb), strict=True):
            self.setTabOrder(before, after)
        self.setTabOrder(self.verb, self.cancel)
        self.reason.setFocus()
        self._is_complete = True
        tie(self.arming, "ticked", self, "refresh")
        tie(self.arming, "changed", self, "refresh")
        self.dwell.over.connect(self.refresh)
        self.refresh()

    # -- what happens ---------------------------------------------------------------------------------------

    @Slot()
    def refresh(self) -> None:
        """Show the present state, once all rows exist."""
        if not self._is_complete:
            return
        problem = self.follow()
        if self._is_waiting:
            problem = ""  # The action has been sent: what hinders another one says nothing about it.
        elif not problem and not self.arming.is_armed:
            problem = READ_ONLY
        elif not problem and not self.dwell.is_read:
            problem = JUST_CHANGED
        if not self._is_waiting:
            self.verb.setEnabled(not problem)
        # What was done, and then what hinders another action.
        words = " ".join(filter(None, (self._answer, problem)))
        if words:
            self.show_problem(words)
        elif self._is_hindered:
            self.problem.hide()
        self._is_hindered = bool(words)
        left = durations.length_words(self.arming.armed_for_s)
        armed = f" Armed {left} ago." if self.arming.is_armed else ""
        remark = self.remark()
        logged = f"Logged as {self.arming.choices.who}, with this reason.{armed}"
        self._logged.setText(f"{logged} {remark}".rstrip())
        grow_to_fit(self)

    @Slot()
    def do_it(self) -> None:
        """Start the action once."""
        self.refresh()
        if self._is_waiting or not self.arming.is_armed or not self.dwell.is_read:
            return
        self._is_waiting, self._answer = True, ""
        self.verb.setEnabled(False)
        if not self.ask():
            self._is_waiting = False
            self.refresh()

    def on_answer(self, problem: str) -> None:
        """Close the dialog if the action was done; otherwise show why not."""
        if not isValid(self):  # The dialog was closed before the target responded.
            return
        self._is_waiting = False
        if not problem:
            self.accept()
            return
        self._answer = problem
        self.refresh()

    def show_problem(self, sentence: str) -> None:
        """Show why the action was not, or cannot be, done."""
        self.problem.setText(sentence)
        self.problem.setAccessibleName(sentence)
        self.problem.show()

    @Slot()
    def _ink(self) -> None:
        """Colour labels in the current theme."""
        for label, token in self._inked:
            shade = QPalette(label.palette())
            shade.setColor(QPalette.ColorRole.WindowText, colour(token))
            label.setPalette(shade)

    def sizeHint(self) -> QSize:
        return QSize(scaled(_WIDTH), super().sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("surface"))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.reason.setFocus()
        grow_to_fit(self)


class _Icon(QWidget):
    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = name
        self.setFixedSize(scaled(_ICON), scaled(_ICON))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            token = "danger" if self._name in ("kill", "requeue") else "text"
            icons.draw_icon(painter, self._name, token, self.rect(), _ICON)
