"""Rows to click: things to start with, and files that were open lately."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.style import icons, paint
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.style.icons import ROW_SIZE, WELCOME_SIZE
from fsconsole.console.style.plain_words import menu_words
from fsconsole.console.style.sizes import scaled, tall_lines
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.buttons import LinkButton
from fsconsole.figures.painted_text import draw_text
from fsconsole.text.visible_text import visible_line

_LEAST_PX = 180
_ALIGN = Qt.AlignmentFlag
_MIDDLE_LEFT = _ALIGN.AlignVCenter | _ALIGN.AlignLeft
_MIDDLE_RIGHT = _ALIGN.AlignVCenter | _ALIGN.AlignRight


class Row(LinkButton):
    """Icon, a title over a muted line, and muted words at the right."""

    def __init__(
        self,
        icon: str,
        title: str,
        more: str,
        parent: QWidget,
        *,
        right: str = "",
        large: bool = False,
        muted: bool = False,
    ) -> None:
        """`large` rows have the big icon in accent, others a rule below; `muted` for what is not there."""
        super().__init__(parent)
        self._icon, self._more, self._right = icon, visible_line(more), right
        self._is_large, self._is_muted = large, muted
        self._title = visible_line(title)
        self.setText(menu_words(title))
        self.setAccessibleName(self._title)
        self.setAccessibleDescription(f"{more} {right}".strip())
        self.setToolTip(more)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(scaled(240), tall_lines(48 if self._is_large else 44, 2))

    def minimumSizeHint(self) -> QSize:
        # Titles of starting points are never elided. Long file names are.
        hint = self.sizeHint()
        if not self._is_large:
            return QSize(scaled(_LEAST_PX), hint.height())
        title = QFontMetrics(ui_font(semibold=True)).horizontalAdvance(self._title)
        caption = QFontMetrics(ui_font("caption"))
        right = caption.horizontalAdvance(self._right) + 12 if self._right else 0
        words = max(title, caption.horizontalAdvance(self._more))
        return QSize(scaled(WELCOME_SIZE) + 32 + words + right + 4, hint.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            if self.underMouse() or self.isDown():
                painter.fillRect(self.rect(), colour("hover"))
            if self.hasFocus():
                paint.box(painter, self.rect(), "", "accent")
            if not self._is_large:
                paint.rule(painter, self.rect(), Qt.Edge.BottomEdge)
            self._paint_icon(painter)
            self._paint_words(painter)

    def _paint_icon(self, painter: QPainter) -> None:
        token, size = ("accent", WELCOME_SIZE) if self._is_large else ("muted", ROW_SIZE)
        icons.draw_icon(painter, self._icon, token, self.rect().adjusted(10, 0, 0, 0), size)

    def _paint_words(self, painter: QPainter) -> None:
        left = 22 + scaled(WELCOME_SIZE if self._is_large else ROW_SIZE)
        half = self.height() // 2
        room = self._paint_right(painter, QRect(left, 0, self.width() - left - 10, self.height()))
        upper = QRect(left, 4, room, half - 4)
        lower = QRect(left, half, room, half - 5)
        painter.setFont(ui_font(semibold=self._is_large))
        painter.setPen(colour("muted" if self._is_muted else "text"))
        _draw(painter, upper, self._title, Qt.TextElideMode.ElideMiddle)
        painter.setFont(ui_font("caption"))
        painter.setPen(colour("muted"))
        _draw(painter, lower, self._more, Qt.TextElideMode.ElideMiddle)

    def _paint_right(self, painter: QPainter, place: QRect) -> int:
        """Paint words at the right; return the width left for the title."""
        if not self._right:
            return place.width()
        painter.setFont(ui_font("caption"))
        painter.setPen(colour("muted"))
        draw_text(painter, place, _MIDDLE_RIGHT, self._right)
        return place.width() - painter.fontMetrics().horizontalAdvance(self._right) - 12


def _draw(painter: QPainter, place: QRect, text: str, elide: Qt.TextElideMode) -> None:
    draw_text(painter, place, _MIDDLE_LEFT, painter.fontMetrics().elidedText(text, elide, place.width()))
