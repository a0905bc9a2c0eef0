"""The red button of what cannot be undone, and the quiet one beside it that Enter presses."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.console.style import icons, paint
from fsconsole.console.style.controls import control_height
from fsconsole.console.style.fonts import semibold
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text

_GAP = 6
_PADDING = 12


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
        return QSize(words + scaled(icons.ROW_SIZE) + _GAP + 2 * _PADDING, control_height(self) + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            ground, border, ink = self._tokens()
            is_strong = self.hasFocus() and not self._filled
            paint.box(painter, self.rect(), ground, border, border_width=2 if is_strong else 1)
            if self.hasFocus() and self._filled:
                paint.box(painter, self.rect().adjusted(3, 3, -3, -3), "", ink, radius=2)
            hint = self.sizeHint().width()
            left = max((self.width() - hint) // 2, 0) + _PADDING
            left += icons.draw_icon(painter, self.drawing, ink, self.rect().adjusted(left, 0, 0, 0)) + _GAP
            painter.setPen(colour(ink))
            words = QRect(left, 0, self.width(), self.height())
            align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            draw_text(painter, words, align, self.text().replace("&", ""))

    def _tokens(self) -> tuple[str, str, str]:
        """Return the tokens of ground, border and ink."""
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
        with QPainter(self) as painter:
            ground = "sel" if self.isDown() else "hover" if self.underMouse() else "surface"
            paint.box(painter, self.rect(), ground, "accent", border_width=2)
            if self.hasFocus():
                paint.box(painter, self.rect().adjusted(4, 4, -4, -4), "", "accent", radius=2)
            painter.setFont(semibold(self.font()))
            painter.setPen(colour("text"))
            draw_text(painter, self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
