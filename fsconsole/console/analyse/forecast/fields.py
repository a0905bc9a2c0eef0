"""Fields that say below themselves what is wrong with what is typed, and keep it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from fsconsole.console.style.controls import set_look
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.labels import MutedLabel

_NO_LIMIT_PX = 10_000
T = TypeVar("T")


class FaultLabel(QLabel):
    """One line of what is wrong, in the colour of danger; away while nothing is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(tabular_font("caption"))
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        theme().changed.connect(self._ink)
        self._ink()
        self.hide()

    def say(self, sentence: str) -> None:
        """What is wrong; empty for nothing."""
        self.setText(sentence)
        self.setVisible(bool(sentence))

    @Slot()
    def _ink(self) -> None:
        palette = self.palette()
        palette.setColor(self.foregroundRole(), colour("danger"))
        self.setPalette(palette)


class TypedField(QLineEdit, Generic[T]):
    """A line whose text means a value. Signals: changed() when another text was typed, right or wrong."""

    changed = Signal()

    def __init__(self, name: str, parse: Callable[[str], T], width: int = 72) -> None:
        """`parse` raises ValueError with a sentence that says what would be right."""
        super().__init__()
        self._parse = parse
        self.fault = FaultLabel()
        self.setAccessibleName(name)
        self.setFixedWidth(width)
        self.textEdited.connect(self._on_typed)

    @property
    def is_right(self) -> bool:
        """Whether the text means a value."""
        return not self.fault.text()

    @property
    def value(self) -> T:
        """What the text means; ValueError where it is wrong."""
        return self._parse(self.text())

    def show_text(self, text: str) -> None:
        """Put a text there that is right; nothing is told."""
        self.setText(text)
        self._check()

    @Slot()
    def _on_typed(self) -> None:
        self._check()
        self.changed.emit()

    def _check(self) -> None:
        try:
            self._parse(self.text())
        except ValueError as error:
            self.fault.say(str(error))
        else:
            self.fault.say("")
        set_look(self, "" if self.is_right else "error")


class FieldLine(QWidget):
    """Fields side by side, each between its label and its unit; what is wrong stands below."""

    def __init__(self, *parts: tuple[str, QWidget, str | QWidget]) -> None:
        """`parts` are label, field and unit, of which label and unit may be empty."""
        super().__init__()
        line = QHBoxLayout()
        line.setSpacing(6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(line)
        has_wide = False
        for number, (label, field, unit) in enumerate(parts):
            if number and not has_wide:
                line.addStretch(1)
            if label:
                line.addWidget(_label(label, field, self))
            is_wide = bool(field.sizePolicy().expandingDirections()) and field.maximumWidth() >= _NO_LIMIT_PX
            has_wide = has_wide or is_wide
            line.addWidget(field, int(is_wide))
            if unit:
                line.addWidget(MutedLabel(unit, self) if isinstance(unit, str) else unit)
            if (fault := getattr(field, "fault", None)) is not None:
                layout.addWidget(fault)
        if len(parts) == 1 and not has_wide:
            line.addStretch(1)


def _label(text: str, field: QWidget, parent: QWidget) -> QLabel:
    made = QLabel(text, parent)
    made.setFont(tabular_font())
    made.setBuddy(field)
    return made
