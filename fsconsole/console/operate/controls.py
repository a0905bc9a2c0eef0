"""Controls of Operate: buttons for killing and their neighbours, a field for a length of time."""

from __future__ import annotations

import re

from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QSpinBox, QWidget

from fsconsole.app.nights.times import read_length
from fsconsole.text import numbers
from fsconsole.text.durations import hours_minutes

_BEGUN = re.compile(r"[-\N{MINUS SIGN}]?\d{0,3}(:\d{0,2})?")
STEP_MIN = 5


class LengthSpin(QSpinBox):
    """Minutes, written `0:30 h`; arrows step by five."""

    def __init__(
        self, minutes: int, parent: QWidget | None = None, *, least: int = 5, most: int = 1440
    ) -> None:
        super().__init__(parent)
        self.setRange(least, most)
        self.setSingleStep(STEP_MIN)
        self.setSuffix(" h")
        self.setValue(minutes)
        self.setAccessibleName("Extend by, hours and minutes")

    @property
    def seconds(self) -> float:
        """Length that is chosen, s."""
        return 60.0 * self.value()

    def textFromValue(self, minutes: int) -> str:
        return hours_minutes(60.0 * minutes)

    def valueFromText(self, text: str) -> int:
        text = text.removesuffix(self.suffix())
        seconds = read_length(text)
        if seconds is not None:
            return round(seconds / 60)
        plain = text.replace(numbers.MINUS, "-").strip()
        return int(plain) if plain.lstrip("-").isdigit() else self.value()

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        typed = text.removesuffix(self.suffix())
        is_whole = read_length(typed) is not None or typed.isdigit()
        if is_whole and self.minimum() <= self.valueFromText(typed) <= self.maximum():
            return QValidator.State.Acceptable, text, at
        is_begun = _BEGUN.fullmatch(typed) is not None
        return (QValidator.State.Intermediate if is_begun else QValidator.State.Invalid), text, at
