"""Choosing a cluster: Slurm's tools here, or behind a command such as ssh; and how it answers."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCompleter,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QWidget,
)

from fsconsole.app.cluster.connection_check import Verdict, advice, findings
from fsconsole.console.cluster.connection_attempt import ConnectionAttempt, MakeTarget
from fsconsole.console.cluster.recent_clusters import prefix_of
from fsconsole.console.style import icons
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.fonts import fixed_font
from fsconsole.console.style.sizes import scaled, tall
from fsconsole.console.widgets.boxes import STRETCH, Gap, vbox
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.labels import FactLabel, InkLabel, MutedLabel, PlainLabel, SectionLabel
from fsconsole.targets.slurm.base import ClusterTarget
from fsconsole.targets.slurm.location import Location

_WIDTH = 620
_LINES = 5
_ROOM_PX = 150  # Five findings, one of them of three lines and one of two.
_EXAMPLES = (
    "Examples: ssh login1, sudo -u slurm, docker exec slurmctld. "
    "They run without a shell. ssh asks only with Log in…."
)
_READ_ONLY = "The console changes nothing there until you arm it and apply."


class ConnectDialog(Dialog):
    """Tries a way to a cluster, and hands its target on once the tree is read.

    Attributes:
        attempt: the one that goes on or came to nothing; None before and afterwards.

    Signals: reached(target).
    """

    reached = Signal(object)

    def __init__(
        self, make: MakeTarget, prefixes: Sequence[tuple[str, ...]] = (), parent: QWidget | None = None
    ) -> None:
        """`prefixes` are those used lately, the newest first."""
        super().__init__("Connect to Slurm", parent)
        self._make = make
        self.attempt: ConnectionAttempt | None = None
        self._opens = False
        self.here = QRadioButton("On this &machine", self)
        self.through = QRadioButton("Through a &command prefix", self)
        for choice in (self.here, self.through):  # A click beside the words would do nothing.
            choice.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.command = QLineEdit(self)
        self.command.setAccessibleName("Through a command prefix")
        self.command.setPlaceholderText("ssh login1")
        self.command.setFont(fixed_font())
        self.arguments = MutedLabel("", self, wraps=True)
        self._wrong = InkLabel(self)
        self._lines = _Lines(self)
        self._make_buttons()
        self._build_ui()
        self._offer(prefixes)
        self.here.toggled.connect(self._on_choice)
        self.command.textEdited.connect(self._on_text)
        self.choose(prefixes[0] if prefixes else ())

    def choose(self, prefix: tuple[str, ...]) -> None:
        """Put a way into the fields."""
        (self.through if prefix else self.here).setChecked(True)
        self.command.setText(shlex.join(prefix))
        self._on_choice()

    def connect_now(self, prefix: tuple[str, ...]) -> None:
        """Choose a way and open what is there as soon as it is read."""
        self.choose(prefix)
        self._begin(opens=True)

    @property
    def sentence(self) -> str:
        """What is wrong, or how it went."""
        return self._wrong.text()

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Queries and their results."""
        return self._lines.shown

    # -- making ---------------------------------------------------------------------------------------------

    def _make_buttons(self) -> None:
        role = QDialogButtonBox.ButtonRole
        self.buttons = QDialogButtonBox(self)
        self.test = self.buttons.addButton("&Test", role.ActionRole)
        self.log_in = self.buttons.addButton("&Log in…", role.ActionRole)
        self.anyway = self.buttons.addButton("Open &without the tree", role.ActionRole)
        self.cancel = self.buttons.addButton("Cancel", role.RejectRole)
        self.open_button = self.buttons.addButton("&Connect", role.AcceptRole)
        for button in self.buttons.buttons():  # Focus must not make another button the default.
            if isinstance(button, QPushButton):
                button.setAutoDefault(button is self.open_button)
        self.open_button.setDefault(True)
        self.test.clicked.connect(lambda: self._begin(opens=False))
        self.log_in.clicked.connect(self._on_log_in)
        self.anyway.clicked.connect(self._hand_on)
        self.cancel.clicked.connect(self.reject)
        self.open_button.clicked.connect(lambda: self._begin(opens=True))
        self.anyway.hide()
        self.log_in.hide()

    def _build_ui(self) -> None:
        vbox(
            SectionLabel("Where are Slurm's tools?", self), Gap(4), self.here, self.through,
            vbox(self.command, self.arguments, margins=(26, 0, 0, 0), spacing=4), Gap(8), self._lines,
            self._wrong, STRETCH, MutedLabel(_READ_ONLY, self), Gap(8), self.buttons,
            on=self, margins=(24, 20, 24, 16), spacing=6,
        )  # fmt: skip

    def _offer(self, prefixes: Sequence[tuple[str, ...]]) -> None:
        """Complete recently used connections while the user types."""
        completer = QCompleter([shlex.join(prefix) for prefix in prefixes if prefix], self.command)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.command.setCompleter(completer)
        completer.activated.connect(self._on_text)

    # -- what a person does ---------------------------------------------------------------------------------

    @Slot()
    def _on_choice(self) -> None:
        self.command.setEnabled(self.through.isChecked())
        if self.through.isChecked():
            self.command.setFocus()
        self._on_text()

    @Slot()
    def _on_text(self) -> None:
        """Discard the findings, which are of the former connection, and show the new command."""
        self._leave()
        self._show_sentence("")
        self._lines.show_findings([])
        prefix = self._prefix()
        if prefix is not None:
            words = "    ".join(prefix)
            self.arguments.setText(f"Arguments:  {words}" if prefix else _EXAMPLES)
        can = prefix is not None and (bool(prefix) or self.here.isChecked())
        self.test.setEnabled(can)
        self.open_button.setEnabled(can)

    def _prefix(self) -> tuple[str, ...] | None:
        """Return the argument list; None, with a message, if it cannot be read."""
        set_look(self.command, "")
        if self.here.isChecked():
            return ()
        try:
            return prefix_of(self.command.text())
        except ValueError as error:
            set_look(self.command, "error")
            self._show_sentence(str(error), "danger")
            return None

    def _begin(self, *, opens: bool) -> None:
        prefix = self._prefix()
        if prefix is None or not (prefix or self.here.isChecked()):
            return
        self._opens = opens
        is_other = self.attempt is None or self.attempt.place.prefix != prefix
        if is_other or (self.attempt is not None and self.attempt.verdict is Verdict.FAILED):
            self._leave()
            self.attempt = ConnectionAttempt(Location(prefix), self._make, self)
            self.attempt.changed.connect(self._follow)
            self.attempt.start()
        self._follow()

    # -- what comes of it -----------------------------------------------------------------------------------

    @Slot()
    def _follow(self) -> None:
        attempt = self.attempt
        if attempt is None:
            return
        self._lines.show_findings(
            [(one.what, one.icon, one.token, one.text) for one in findings(attempt.state, time.time())]
        )
        reading = attempt.verdict is Verdict.READING
        self.test.setEnabled(not reading)
        self.open_button.setEnabled(not (reading and self._opens))
        self.open_button.setText("Connecting…" if reading and self._opens else "&Connect")
        self.anyway.setVisible(attempt.verdict is Verdict.WITHOUT_TREE)
        self.log_in.setVisible(attempt.can_log_in)
        self.log_in.setEnabled(not attempt.is_logging_in)
        self._show_sentence(*_outcome(attempt))
        if attempt.verdict is Verdict.READY and self._opens:
            self._hand_on()

    @Slot()
    def _on_log_in(self) -> None:
        if self.attempt is not None:
            self._opens = True
            self.attempt.log_in()

    @Slot()
    def _hand_on(self) -> None:
        attempt, self.attempt = self.attempt, None
        target: ClusterTarget | None = attempt.take() if attempt is not None else None
        if attempt is not None:
            attempt.leave()
        if target is not None:
            self.accept()
            self.reached.emit(target)

    def _show_sentence(self, sentence: str, token: str = "text") -> None:
        self._wrong.say(sentence, token)
        self._make_room()

    def _make_room(self) -> None:
        """Keep room for all lines of the texts; most fit into the room kept from the first."""
        layout = self.layout()
        if layout is not None:
            self.setMinimumHeight(max(layout.totalHeightForWidth(self.width()), 0))

    def _leave(self) -> None:
        self.anyway.hide()
        self.log_in.hide()
        self.open_button.setText("&Connect")
        if self.attempt is not None:
            self.attempt.leave()
            self.attempt = None

    def done(self, result: int) -> None:
        """End all running tasks with the dialog."""
        self._leave()
        super().done(result)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def sizeHint(self) -> QSize:
        # Reserve room for the results of the check, so that nothing moves.
        return QSize(_WIDTH, max(430, super().sizeHint().height()))


class _Lines(QWidget):
    """Lines of icon, query and result."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.shown: list[tuple[str, str]] = []
        self.setMinimumHeight(tall(_ROOM_PX))
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(2, 1)
        self._rows = [self._row(number) for number in range(_LINES)]

    def show_findings(self, rows: Sequence[tuple[str, str, str, str]]) -> None:
        """Show rows of name, icon, colour token and text."""
        self.shown = [(what, text) for what, _, _, text in rows]
        for number, labels in enumerate(self._rows):
            what, icon, token, text = rows[number] if number < len(rows) else ("", "", "", "")
            pixmap = icons.pixmap(icon, token, 16, self.devicePixelRatioF()) if icon else None
            labels[0].setPixmap(pixmap) if pixmap is not None else labels[0].clear()
            labels[1].setText(what)
            labels[2].setText(text)
            labels[2].setToolTip(text)

    def _row(self, number: int) -> tuple[QLabel, QLabel, QLabel]:
        icon, what, text = PlainLabel("", self), MutedLabel("", self, "base"), FactLabel(self)
        icon.setFixedSize(scaled(icons.ROW_SIZE), tall(20))
        for at, label in enumerate((icon, what, text)):
            align = Qt.AlignmentFlag.AlignTop if at < 2 else Qt.AlignmentFlag(0)
            self._grid.addWidget(label, number, at, align)
        text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        return icon, what, text


def _outcome(attempt: ConnectionAttempt) -> tuple[str, str]:
    """Return the state of the attempt in a sentence, and its colour token."""
    state = attempt.state
    match attempt.verdict:
        case Verdict.READY:
            return f"{state.name if state is not None else ''} is ready to open.", "text"
        case Verdict.WITHOUT_TREE:
            return (
                "You can view jobs, but not edit shares: the associations cannot be read.",
                "danger",
            )
        case Verdict.FAILED:
            if state is not None and state.fault is not None and attempt.fault:
                return attempt.fault, "danger"
            if state is not None and state.fault is not None:
                ask = " Log in… lets ssh ask you in a window." if state.fault.can_ask else ""
                return f"No login.{ask}", "danger"
            if attempt.fault or state is None:
                return attempt.fault, "danger"
            return f"No answer. {advice(attempt.place.prefix)}", "danger"
    return "", "text"
