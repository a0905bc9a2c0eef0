"""The strip above: what the groups are, what is not applied, and what can be done about it."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from fsconsole.console.actions import ActionTable
from fsconsole.console.linux.session import LinuxSession
from fsconsole.console.style.controls import set_look
from fsconsole.console.widgets.buttons import tool_button
from fsconsole.console.widgets.chips import Chip, ChipState
from fsconsole.console.widgets.strip import Strip
from fsconsole.text.durations import length_words
from fsconsole.text.words import count_words

_BUTTONS = ("linux.apply", "linux.assign", "linux.memory", "linux.release")


class LinuxHead(Strip):
    """Header of the groups in one row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("raised", "linux", "muted", parent)
        self.chip = Chip(parent=self)
        self.line.insertWidget(0, self.chip)
        self._linux: LinuxSession | None = None

    def wire(self, table: ActionTable) -> None:
        """Put the actions at the right."""
        for name in _BUTTONS:
            button = tool_button(table.qaction(name), self, words=True)
            set_look(button, "boxed")
            self.line.addWidget(button)

    def watch(self, linux: LinuxSession | None) -> None:
        """Show other groups. The signals of the former ones end with them."""
        if linux is not None and linux is not self._linux:
            for signal in (linux.changed, linux.staged, linux.arming.changed):
                signal.connect(self.refresh)
        self._linux = linux
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the present state."""
        linux = self._linux
        if linux is None:
            return
        word, tone = self._chip_words(linux)
        self.chip.show_state(word, tone)
        text = linux.state.problem or linux.state.fixed or "  ".join(self._facts(linux))
        self.words.setText(escape(text).replace("  ", "&nbsp;&nbsp; "))
        self.words.setToolTip("\n".join(linux.pending.notes) or text)

    @staticmethod
    def _chip_words(linux: LinuxSession) -> tuple[str, ChipState]:
        state = linux.state
        if state.problem or linux.pending.problem:
            return "Cannot be read", "danger"
        if not state.is_applied:
            return "No groups yet", "neutral"
        return ("Not all applied", "warn") if linux.count else ("In force", "ok")

    @staticmethod
    def _facts(linux: LinuxSession) -> list[str]:
        state = linux.state
        steps = [f"{count_words(linux.count, 'step')} not applied"] if linux.count else []
        if state.memory is None:
            weights = "Weights by shares"
        else:
            half_life = length_words(state.memory.half_life_s)
            weights = (
                f"Weights by usage, half-life {half_life}"
                if linux.arming.is_armed
                else f"Weights by usage, half-life {half_life}, held while the console is read-only"
            )
        return [state.title, *([weights] if state.is_applied else []), *steps]
