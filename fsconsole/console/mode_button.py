"""Armed or read-only, at the right of the tool bar."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from fsconsole.console.arming import Arming
from fsconsole.console.style import icons, paint
from fsconsole.console.style.controls import control_height
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour
from fsconsole.figures.painted_text import draw_text
from fsconsole.text import durations

_WIDEST = "Armed 00 min"


class ModeButton(QAbstractButton):
    """A lock with a word; `warn` with the time left while armed."""

    def __init__(self, arming: Arming, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._arming = arming
        self.setFont(tabular_font("base", semibold=True))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._action = action
        self.clicked.connect(action.trigger)
        arming.changed.connect(self._follow)
        arming.ticked.connect(self._follow)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        armed = self._arming.is_armed
        left_s = self._arming.left_s
        # The strip below counts the seconds.
        left = durations.length_words(left_s if left_s < 60 else left_s - left_s % 60)
        self.setText(f"Armed {left}" if armed else "Read-only")
        self.setAccessibleName(self.text())
        self.setToolTip(self._action.toolTip())
        self.update()

    def sizeHint(self) -> QSize:
        # Width of the longest text, so that nothing moves during the countdown.
        width = max(self.fontMetrics().horizontalAdvance(words) for words in (_WIDEST, "Read-only"))
        return QSize(width + scaled(16) + 28, control_height(self))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            armed = self._arming.is_armed
            ground, ink = (
                ("warnbg", "warn") if armed else ("hover" if self.underMouse() else "surface", "text")
            )
            border = "accent" if self.hasFocus() else "warn" if armed else "edge"
            paint.box(painter, self.rect(), ground, border, border_width=2 if self.hasFocus() else 1)
            icons.draw_icon(painter, "armed" if armed else "locked", ink, self.rect().adjusted(10, 0, 0, 0))
            painter.setPen(colour(ink))
            align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            draw_text(painter, self.rect().adjusted(17 + scaled(16), 0, -8, 0), align, self.text())
