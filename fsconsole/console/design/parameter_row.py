"""One parameter in the dialog: its name, field, mark and reset, unit, meaning and effect."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QToolButton, QWidget

from fsconsole.console.kit.forms import ChoiceField, TextField, name_fault
from fsconsole.console.style.controls import set_look
from fsconsole.console.style.fonts import semibold
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.buttons import flat_button
from fsconsole.console.widgets.labels import InkLabel, MutedLabel, PlainLabel
from fsconsole.shares.scenario.parameters import Parameter, choices, default_of, written
from fsconsole.shares.scenario.ranges import is_time
from fsconsole.text.words import capitalised

COLUMNS = 5
_FIELD_WIDTH = 170
_NARROW_FIELD_WIDTH = 150


class ParameterRow:
    """The widgets of a parameter in a row of a grid; the rows below are for a fault and for a long remark."""

    def __init__(
        self, parameter: Parameter, meaning: str, grid: QGridLayout, on_typed: Callable[[], object]
    ) -> None:
        """`on_typed` is called when another value is entered."""
        self.parameter, self._grid, self._at = parameter, grid, grid.rowCount()
        self.default = written(parameter, default_of(parameter))
        options = [(word, word) for word in choices(parameter)]
        self.field: TextField | ChoiceField = (
            ChoiceField(parameter.label, options) if options else TextField(parameter.label)
        )
        such_as = "\nExample: 500 ms, 30 s, 2 min, 8 h or 1 d" if is_time(parameter.key) else ""
        self.field.setToolTip(f"{meaning}{such_as}")
        self.field.setAccessibleDescription(meaning)
        self.field.changed.connect(on_typed)
        self._label = PlainLabel(parameter.label, buddy=self.field)
        key = MutedLabel(parameter.key, None, "caption")
        key.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        caption = QWidget()
        vbox(self._label, key, on=caption)
        shown = self.default or "empty"
        self.reset: QToolButton = flat_button("Reset", f"Reset {parameter.label} to {shown}", self._on_reset)
        self._keep_width_of_reset(is_kept=True)
        # A symbol of the paper such as t2 keeps its case.
        words = meaning if meaning[1:2].isdigit() else capitalised(meaning)
        self._meaning, self._effect = f"{words}. Default: {shown} ({parameter.source}).", ""
        self._remark = MutedLabel(self._meaning, None, "caption", wraps=True)
        self._fault: InkLabel | None = None  # Created at the first error.
        self._parts = (caption, self.field, self.reset, MutedLabel(parameter.unit), self._remark)
        for column, part in enumerate(self._parts[:-1]):
            grid.addWidget(part, self._at, column, Qt.AlignmentFlag.AlignVCenter)
        self.place_remark(is_below=False)
        grid.setRowMinimumHeight(self._at + 2, 0)  # Its rows are taken, though they are still empty.
        self._words = f"{parameter.label} {parameter.key} {parameter.unit} {meaning}".casefold()
        self._is_shown = True

    @property
    def fault(self) -> str:
        """What is wrong with the value; empty where nothing is."""
        return self._fault.text() if self._fault is not None else ""

    @property
    def effect(self) -> str:
        """Effect of the value in a sentence; empty if unknown."""
        return self._effect

    @property
    def is_changed(self) -> bool:
        """Whether the field holds something other than the default value."""
        return self.field.read() != self.default

    def fill(self, text: str) -> None:
        """Show a value as text, from its beginning."""
        self.field.fill(text)
        if isinstance(self.field, TextField):
            self.field.setCursorPosition(0)

    def matches(self, words: str) -> bool:
        """Return True if all words occur in the texts on the parameter."""
        return all(word in self._words for word in words.casefold().split())

    def show_fault(self, fault: str) -> None:
        """Show what is wrong below the field."""
        if fault and self._fault is None:
            self._fault = InkLabel(self._grid.parentWidget(), "danger")
            self._grid.addWidget(self._fault, self._at + 1, 1, 1, COLUMNS - 1)
        if self._fault is not None:
            self._fault.say(name_fault(self.parameter.key, fault), "danger")
        set_look(self.field, "error" if fault else "")

    def show_state(self, effect: str) -> None:
        """Mark a value that differs from the default, and show its effect."""
        is_changed = self.is_changed
        self.reset.setVisible(is_changed and self._is_shown)
        font = self._label.font()
        if font.bold() is not is_changed:
            self._label.setFont(semibold(font) if is_changed else PlainLabel().font())
        if effect != self._effect:
            self._effect = effect
            self._remark.setText("\n".join(filter(None, (effect, self._meaning))))

    def place_remark(self, *, is_below: bool) -> None:
        """Put meaning and effect beside the unit, or below the field where that is too narrow."""
        self._grid.removeWidget(self._remark)
        self.field.setFixedWidth(_NARROW_FIELD_WIDTH if is_below else _FIELD_WIDTH)
        if is_below:
            self._grid.addWidget(self._remark, self._at + 2, 0, 1, COLUMNS)
        else:
            self._grid.addWidget(self._remark, self._at, COLUMNS - 1)

    def set_shown(self, is_shown: bool) -> None:
        """Show the row, or hide it."""
        self._is_shown = is_shown
        self._keep_width_of_reset(is_kept=is_shown)
        for part in self._parts:
            part.setVisible(is_shown and (part is not self.reset or self.is_changed))
        if self._fault is not None:
            self._fault.setVisible(is_shown and bool(self._fault.text()))

    def _keep_width_of_reset(self, *, is_kept: bool) -> None:
        """Leave room for a hidden button; of a hidden row none, or the row keeps its height."""
        policy = self.reset.sizePolicy()
        policy.setRetainSizeWhenHidden(is_kept)
        self.reset.setSizePolicy(policy)

    def _on_reset(self) -> None:
        self.fill(self.default)
        self.field.setFocus()
