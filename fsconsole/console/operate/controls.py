"""Controls of Operate: buttons that kill and what stands beside them, a field for a length of time."""

from __future__ import annotations

import re

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QValidator
from PySide6.QtWidgets import QPushButton, QSpinBox, QWidget

from fsconsole.app.nights.times import read_length
from fsconsole.console.style import icons, paint
from fsconsole.console.style.controls import control_height
from fsconsole.console.style.fonts import semibold
from fsconsole.console.style.theme import colour
from fsconsole.text import numbers
from fsconsole.text.durations import hours_minutes

_ICON = 16
_GAP = 6
_PADDING = 12
_BEGUN = re.compile(r"[-\N{MINUS SIGN}]?\d{0,3}(:\d{0,2})?")
STEP_MIN = 5


class DangerButton(QPushButton):
    """Danger ink on its surroundings, or `filled` the other way round; never a dialog's default."""

    def __init__(
        self, words: str, parent: QWidget | None = None, *, filled: bool = False, icon: str = "kill"
    ) -> None:
        super().__init__(words, parent)
        self.drawing = icon
        self._filled = filled
        self.setFont(semibold(self.font()))
        self.setAutoDefault(False)
        self.setDefault(False)

    def sizeHint(self) -> QSize:
        words = self.fontMetrics().horizontalAdvance(self.text().replace("&", ""))
        return QSize(words + _ICON + _GAP + 2 * _PADDING, control_height(self) + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground, border, ink = self._tokens()
        is_strong = self.hasFocus() and not self._filled
        paint.box(painter, self.rect(), ground, border, border_width=2 if is_strong else 1)
        if self.hasFocus() and self._filled:
            paint.box(painter, self.rect().adjusted(3, 3, -3, -3), "", ink, radius=2)
        hint = self.sizeHint().width()
        left = max((self.width() - hint) // 2, 0) + _PADDING
        drawn = icons.pixmap(self.drawing, ink, _ICON, self.devicePixelRatioF())
        painter.drawPixmap(QPoint(left, (self.height() - _ICON) // 2), drawn)
        painter.setPen(colour(ink))
        words = QRect(left + _ICON + _GAP, 0, self.width(), self.height())
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(words, align, self.text().replace("&", ""))
        painter.end()

    def _tokens(self) -> tuple[str, str, str]:
        """Ground, border and ink."""
        if not self.isEnabled():
            return "raised", "line", "line2"
        if self._filled:
            return "danger", "danger", "surface"
        return ("dangerbg" if self.underMouse() or self.isDown() else ""), "danger", "danger"


class QuietDefault(QPushButton):
    """What Enter does beside a filled danger button: outlined, so that only one of them is filled."""

    def sizeHint(self) -> QSize:
        words = self.fontMetrics().horizontalAdvance(self.text()) + 2
        return QSize(words + 3 * _PADDING, control_height(self) + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground = "sel" if self.isDown() else "hover" if self.underMouse() else "surface"
        paint.box(painter, self.rect(), ground, "accent", border_width=2)
        if self.hasFocus():
            paint.box(painter, self.rect().adjusted(4, 4, -4, -4), "", "accent", radius=2)
        painter.setFont(semibold(self.font()))
        painter.setPen(colour("text"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()


class LengthSpin(QSpinBox):
    """Minutes, written `0:30`; arrows step by five."""

    def __init__(
        self, minutes: int, parent: QWidget | None = None, *, least: int = 5, most: int = 1440
    ) -> None:
        super().__init__(parent)
        self.setRange(least, most)
        self.setSingleStep(STEP_MIN)
        self.setValue(minutes)
        self.setAccessibleName("Extend by, hours and minutes")

    @property
    def seconds(self) -> float:
        """The length."""
        return 60.0 * self.value()

    def textFromValue(self, minutes: int) -> str:
        return hours_minutes(60.0 * minutes)

    def valueFromText(self, text: str) -> int:
        seconds = read_length(text)
        if seconds is not None:
            return round(seconds / 60)
        plain = text.replace(numbers.MINUS, "-").strip()
        return int(plain) if plain.lstrip("-").isdigit() else self.value()

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        is_whole = read_length(text) is not None or text.isdigit()
        if is_whole and self.minimum() <= self.valueFromText(text) <= self.maximum():
            return QValidator.State.Acceptable, text, at
        is_begun = _BEGUN.fullmatch(text) is not None
        return (QValidator.State.Intermediate if is_begun else QValidator.State.Invalid), text, at
