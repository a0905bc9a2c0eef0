"""A strip across the window: a sentence and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from fsconsole.console.style import icons, paint
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.style.roles import Role
from fsconsole.console.style.sizes import keep_height
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.labels import PlainLabel

HEIGHT = 40
_ICON = 16


class NoticeBar(QWidget):
    """A bar above the workspaces that is hidden without a notice."""

    accessible_role = Role.AlertMessage

    def __init__(
        self, ground: str, icon: str, ink: str, buttons: Sequence[tuple[str, Callable[[], object]]]
    ) -> None:
        """Create a bar from colour tokens of ground and icon, the icon's name, and buttons."""
        super().__init__()
        self._ground, self._icon, self._ink = ground, icon, ink
        keep_height(self, HEIGHT)
        self.setFont(ui_font())
        set_control_height(self, 24)
        self._sentence = PlainLabel("", self)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16 + _ICON + 8, 0, 16, 0)
        layout.setSpacing(8)
        layout.addWidget(self._sentence, 1)
        self._runs = dict(buttons)
        for word in self._runs:
            layout.addWidget(self._button(word))
        self.hide()

    @property
    def text(self) -> str:
        """Sentence that is shown."""
        return self._sentence.text()

    def say(self, sentence: str) -> None:
        """Show the bar with a sentence."""
        self._sentence.setText(sentence)
        self._sentence.setToolTip(sentence)
        self.setAccessibleName(sentence)
        self.show()

    def _button(self, word: str) -> QPushButton:
        made = QPushButton(word, self)
        made.setObjectName(word)
        made.clicked.connect(self._on_clicked)
        return made

    def _on_clicked(self) -> None:
        self._runs[self.sender().objectName()]()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour(self._ground))
        paint.rule(painter, self.rect(), Qt.Edge.BottomEdge)
        icons.draw_icon(painter, self._icon, self._ink, self.rect().adjusted(16, 0, 0, 0))
        painter.end()
