"""Controls of Operate: buttons for killing and their neighbours, a field for a length of time."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QValidator
from PySide6.QtWidgets import QSpinBox, QWidget

from fsconsole.app.nights.times import read_length
from fsconsole.text.durations import hours_minutes, length_words
from fsconsole.text.numbers import MINUS
from fsconsole.text.words import shortened

STEP_MIN = 5
_EXAMPLE = "Write a length such as 0:30 or 45 min"


class LengthSpin(QSpinBox):
    """Whole minutes, written `0:30 h`; arrows step by five. Signal: edited() for each change of the text.

    A text that is not a length stays in sight, also without the focus: `problem` is its fault until then.
    """

    edited = Signal()

    def __init__(
        self, minutes: int, parent: QWidget | None = None, *, least: int = 5, most: int = 1440
    ) -> None:
        super().__init__(parent)
        self._kept: str | None = None
        self.setRange(least, most)
        self.setSingleStep(STEP_MIN)
        self.setValue(minutes)
        self.setAccessibleName("Extend by, hours and minutes")
        self.lineEdit().textChanged.connect(self.edited)
        self.valueChanged.connect(self.edited)  # The line edit sends nothing when the value sets its text.

    @property
    def seconds(self) -> float:
        """Length that was entered last, s; it is the one in sight while `problem` is empty."""
        return 60.0 * self.value()

    @property
    def problem(self) -> str:
        """Fault of the text, in a sentence; empty for a length within the range."""
        text = self.text()
        minutes = _minutes(text)
        if minutes is None:
            return (
                f"'{shortened(text)}' is not a length in whole minutes. {_EXAMPLE}."
                if text
                else f"{_EXAMPLE}."
            )
        if self.minimum() <= minutes <= self.maximum():
            return ""
        least, most = (_signed_words(60.0 * edge) for edge in (self.minimum(), self.maximum()))
        return f"'{shortened(text)}' is outside {least} to {most}. {_EXAMPLE}."

    def textFromValue(self, minutes: int) -> str:
        return f"{hours_minutes(60.0 * minutes)} h" if self._kept is None else self._kept

    def valueFromText(self, text: str) -> int:
        minutes = _minutes(text)
        return self.value() if minutes is None else minutes

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        minutes = _minutes(text)
        is_length = minutes is not None and self.minimum() <= minutes <= self.maximum()
        # Nothing is Invalid: Qt would drop that key, and what is left would be another length.
        return (QValidator.State.Acceptable if is_length else QValidator.State.Intermediate), text, at

    def stepBy(self, steps: int) -> None:
        super().stepBy(steps)
        self.edited.emit()  # Qt sends nothing when the value of before replaces another text.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_end = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        self._kept = self._wrong_text() if is_end else None
        super().keyPressEvent(event)
        self._kept = None

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._kept = self._wrong_text()
        super().focusOutEvent(event)
        self._kept = None

    def _wrong_text(self) -> str | None:
        """Return the text if it is not a length: Qt would write the value of before in its place."""
        return self.text() if self.problem else None


def _minutes(text: str) -> int | None:
    """Return the whole minutes of a length; None for other text."""
    seconds = read_length(text)
    return None if seconds is None or seconds % 60 else int(seconds // 60)


def _signed_words(length_s: float) -> str:
    return f"{MINUS if length_s < 0 else ''}{length_words(abs(length_s))}"
