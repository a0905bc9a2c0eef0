"""Chips: a state as an icon and a word on tinted ground."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.style import icons, paint
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.style.roles import Role
from fsconsole.console.style.sizes import scaled, tall
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text

CHIP_HEIGHT = 20
ChipState = Literal["neutral", "ok", "warn", "danger"]

_PADDING = 8
_GAP = 4


class Chip(QWidget):
    """A state, 20 px high: neutral, ok, warn or danger."""

    accessible_role = Role.StaticText

    def __init__(
        self, text: str = "", state: ChipState = "neutral", icon: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setFont(ui_font("table"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._text, self._state, self._icon = text, state, icon
        self._reserved: tuple[str, ...] = ()
        self.setAccessibleName(text)

    def reserve(self, *texts: str) -> None:
        """Have room for each of these words with an icon, so that nothing beside the chip moves with it."""
        self._reserved = texts
        self.updateGeometry()

    @property
    def text(self) -> str:
        """Word that is shown."""
        return self._text

    def show_state(self, text: str, state: ChipState = "neutral", icon: str = "") -> None:
        """Show a word with the colour and icon of a state."""
        if (text, state, icon) == (self._text, self._state, self._icon):
            return
        self._text, self._state, self._icon = text, state, icon
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        widths = [chip_width(metrics, text, icon=True) for text in self._reserved]
        return QSize(
            max([chip_width(metrics, self._text, icon=bool(self._icon)), *widths]), tall(CHIP_HEIGHT)
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            paint_chip(painter, self.rect(), self._text, self._state, self._icon)


def chip_width(metrics: QFontMetrics, text: str, *, icon: bool = False) -> int:
    """Return the width in px of a chip with this text."""
    return metrics.horizontalAdvance(text) + 2 * _PADDING + (scaled(icons.ROW_SIZE) + _GAP if icon else 0)


def paint_chip(
    painter: QPainter, rect: QRect, text: str, state: ChipState = "neutral", icon: str = ""
) -> None:
    """Draw a chip in the vertical middle of rect, for widgets and for table cells."""
    height = min(tall(CHIP_HEIGHT), rect.height())
    body = QRect(rect.x(), rect.y() + (rect.height() - height) // 2, rect.width(), height)
    ground, ink = ("track", "text") if state == "neutral" else (f"{state}bg", state)
    paint.box(painter, body, ground)
    inner = body.adjusted(_PADDING, 0, -_PADDING, 0)
    if icon:
        inner.setLeft(inner.left() + icons.draw_icon(painter, icon, ink, inner) + _GAP)
    painter.setPen(colour(ink))
    # A width in whole pixels is less than the letters take.
    words = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, inner.width() + 1)
    draw_text(painter, inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
