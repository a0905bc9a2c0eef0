"""Strips with an icon, words that give way and controls at the right; notices are some; and feet below."""

from __future__ import annotations

from enum import IntEnum

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from fsconsole.console.style import icons, paint
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.style.roles import Role
from fsconsole.console.style.sizes import keep_height, scaled
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.elided import RichLine

HEIGHT, NOTICE_HEIGHT = 32, 28
_ICON = 16


class Strip(QWidget):
    """Words are rich text in `words`; controls are added to `line`."""

    height_px = HEIGHT

    def __init__(self, ground: str, icon: str, ink: str, parent: QWidget | None = None) -> None:
        """Create a strip from colour tokens of the ground, of icon and rule, and the icon's name."""
        super().__init__(parent)
        self._ground, self._icon, self._ink = ground, icon, ink
        self.line = QHBoxLayout(self)
        self.line.setSpacing(8)
        keep_height(self, self.height_px)
        self.setFont(ui_font())
        set_control_height(self, 24)
        self.words = RichLine(self)
        self._leave_room()
        self.line.addWidget(self.words, 1)

    def _leave_room(self) -> None:
        self.line.setContentsMargins(12 + scaled(_ICON) + 8, 0, 12, 0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # The text size changes, and the size of the icon with it.
        if event.type() is QEvent.Type.StyleChange:
            self._leave_room()

    def paint_ground(self, painter: QPainter, room: QRect) -> None:
        """Paint the ground and its rule, here or where the strip is continued."""
        painter.fillRect(room, colour(self._ground))
        paint.rule(painter, room, Qt.Edge.BottomEdge, self._ink if self._ink != "accent" else "line")

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self.paint_ground(painter, self.rect())
            icons.draw_icon(painter, self._icon, self._ink, self.rect().adjusted(12, 0, 0, 0))


class Importance(IntEnum):
    """Kinds of notices, the most important first."""

    FAULT = 1
    ALERT = 2
    QUESTION = 3
    RESULT = 4
    TASK = 5
    ARMED = 6
    INFORMATION = 7


class Notice(Strip):
    """A strip that a notice line shows, alone or as one of several. Signals: wanted_changed().

    The line shows and hides it; the notice states whether it has something to report.
    """

    accessible_role = Role.AlertMessage
    height_px = NOTICE_HEIGHT
    wanted_changed = Signal()

    def __init__(
        self, ground: str, icon: str, ink: str, importance: Importance, parent: QWidget | None = None
    ) -> None:
        super().__init__(ground, icon, ink, parent)
        self._importance = importance
        self._is_wanted = False
        self.hide()

    @property
    def is_wanted(self) -> bool:
        """Whether there is something to report."""
        return self._is_wanted

    @property
    def order(self) -> tuple[float, ...]:
        """Place among notices; the lowest is shown first."""
        return (self._importance,)

    def set_wanted(self, *, wanted: bool) -> None:
        """Ask for room in the line, or give it back."""
        if wanted is not self._is_wanted:
            self._is_wanted = wanted
            self.wanted_changed.emit()

    def put_away(self) -> None:
        """Give the room back: there is nothing to report."""
        self.set_wanted(wanted=False)


class Foot(QWidget):
    """A foot: a tinted ground under a rule from frame to frame."""

    def __init__(self, parent: QWidget, ground: str = "raised") -> None:
        """`ground` is the token of the ground; empty for that of the surroundings."""
        super().__init__(parent)
        self._ground = ground

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            if self._ground:
                painter.fillRect(self.rect(), colour(self._ground))
            paint.rule(painter, self.rect(), Qt.Edge.TopEdge)
