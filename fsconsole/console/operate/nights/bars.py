"""Notices of a night: armed, and the note of the last shift."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.console.armed_bar import ArmedBar
from fsconsole.console.kit.forms import ReasonField
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.widgets.strip import Importance, Notice


class NightArmedBar(ArmedBar):
    """Takes the reason of the next action, too."""

    def __init__(self, controller: NightController) -> None:
        super().__init__(
            "Kill, extend and queue moves go to {target} at once and are logged as {author}.",
            "Logged as {author}.",
            lambda: controller.machine,
        )
        self._controller = controller
        self.reason = ReasonField(self, "Reason of the next action, for the audit log")
        self.set_narrow(narrow=False)
        self.line.insertWidget(1, self.reason)
        self.setTabOrder(self.reason, self.keep)
        self.reason.textChanged.connect(self._on_reason_changed)
        controller.audited.connect(self._on_audited)
        self.watch(controller.arming)

    def set_narrow(self, *, narrow: bool) -> None:
        """Leave less room for the reason where the words need it."""
        self.reason.setFixedWidth(140 if narrow else 210)
        self.reason.setPlaceholderText("Next reason" if narrow else "Reason of the next action")

    @Slot(str)
    def _on_reason_changed(self, text: str) -> None:
        self._controller.reason = text.strip()

    @Slot()
    def _on_audited(self) -> None:
        """Clear the reason: it goes with one action."""
        if not self._controller.reason and self.reason.text().strip():
            self.reason.clear()


class NoteBar(Notice):
    """The note of the last shift; it comes back at opening and at arming. Signals: edit_wanted()."""

    edit_wanted = Signal()

    def __init__(self, controller: NightController, parent: QWidget | None = None) -> None:
        super().__init__("raised", "user", "accent", Importance.INFORMATION, parent)
        self._controller = controller
        self._closed = ("", "")
        self._when = MutedLabel("", self)
        self.edit = QPushButton("Edit note…", self)
        self.close_button = QPushButton("Close", self)
        self.close_button.setAccessibleName("Close the shift note")
        for widget in (self._when, self.edit, self.close_button):
            self.line.addWidget(widget)
        self.edit.clicked.connect(self.edit_wanted)
        self.close_button.clicked.connect(self.put_away)
        controller.changed.connect(self._refresh)
        controller.arming.changed.connect(self.show_again)
        self._refresh()

    @Slot()
    def show_again(self) -> None:
        """Show it again for the next operator, whoever closed it before."""
        if self._controller.is_armed:
            self._closed = ("", "")
        self._refresh()

    @Slot()
    def put_away(self) -> None:
        """Hide the note until the next one is left, or an operator arms."""
        note = self._controller.note
        if note is not None:
            self._closed = (self._controller.machine, note.text)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        note = self._controller.note
        is_seen = note is not None and (self._controller.machine, note.text) != self._closed
        self.set_wanted(wanted=is_seen)
        if note is None or not is_seen:
            return
        first = " ".join(note.text.split())
        self.words.setText(f"<b>Shift note</b>&nbsp;&nbsp; {escape(first)}")
        self.words.setToolTip(note.text)
        self._when.setText(f"{note.who}, {note.when}")
        self.setAccessibleName(f"Shift note of {note.who}: {note.text}")
