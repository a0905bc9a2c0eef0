"""The status bar: facts about what is shown at the left; message, saved state and target at the right."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.connections import once
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.roles import Role
from fsconsole.console.style.sizes import keep_height, tall
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import hbox
from fsconsole.figures.painted_text import draw_text
from fsconsole.text.visible_text import visible_line

HEIGHT = 25
_MESSAGE_MS = 12_000


class StatusLine(QWidget):
    """Four texts; each elides in the middle and has the whole of it in its tooltip."""

    accessible_role = Role.StatusBar

    def __init__(self) -> None:
        super().__init__()
        keep_height(self, HEIGHT)
        self.setFont(tabular_font("table"))
        self.facts = _Text(self, grows=True)
        self.message = _Text(self)
        self.saved = _Text(self)
        self.target = _Text(self)
        parts = ((self.facts, 1), self.message, self.saved, self.target)
        hbox(*parts, on=self, margins=(12, 0, 12, 0), spacing=20)
        self._timer = once(self, _MESSAGE_MS, self._forget)

    def say(self, message: str) -> None:
        """Show a message for some seconds."""
        self.message.say(message)
        self._timer.start()

    def _forget(self) -> None:
        self.message.say("")

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("raised"))
            paint.rule(painter, self.rect(), Qt.Edge.TopEdge)


class _Text(QWidget):
    """Muted text of one line."""

    accessible_role = Role.StaticText

    def __init__(self, parent: QWidget, *, grows: bool = False) -> None:
        super().__init__(parent)
        self.text = ""
        self.setFont(parent.font())
        policy = QSizePolicy.Policy.Ignored if grows else QSizePolicy.Policy.Preferred
        self.setSizePolicy(policy, QSizePolicy.Policy.Fixed)

    def say(self, text: str, details: str = "") -> None:
        """Show a text, in the tooltip with details below; nothing is done where both are the same."""
        text = visible_line(text)
        tip = "\n".join(filter(None, (text, details)))
        if text != self.text or tip != self.toolTip():
            self.text = text
            self.setToolTip(tip)
            self.setAccessibleName(text)
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(
            self.fontMetrics().horizontalAdvance(self.text) + 2 if self.text else 0, tall(HEIGHT) - 1
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 60), tall(HEIGHT) - 1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setPen(colour("muted"))
            shown = self.fontMetrics().elidedText(self.text, Qt.TextElideMode.ElideRight, self.width())
            draw_text(painter, self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
