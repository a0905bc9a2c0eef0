"""A notice: a sentence and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from PySide6.QtWidgets import QPushButton

from fsconsole.console.widgets.strip import Importance, Notice


class NoticeBar(Notice):
    """A notice of one sentence with buttons."""

    def __init__(
        self,
        ground: str,
        icon: str,
        ink: str,
        buttons: Sequence[tuple[str, Callable[[], object]]],
        importance: Importance = Importance.INFORMATION,
    ) -> None:
        """Create a notice from colour tokens of ground and icon, the icon's name, and buttons."""
        super().__init__(ground, icon, ink, importance)
        self._sentence = ""
        self._runs = dict(buttons)
        for word in self._runs:
            self.line.addWidget(self._button(word))

    @property
    def text(self) -> str:
        """Sentence that is shown."""
        return self._sentence

    def say(self, sentence: str) -> None:
        """Show the notice with a sentence."""
        self._sentence = sentence
        self.words.setText(escape(sentence))
        self.words.setToolTip(sentence)
        self.setAccessibleName(sentence)
        self.set_wanted(wanted=True)

    def _button(self, word: str) -> QPushButton:
        made = QPushButton(word, self)
        made.setObjectName(word)
        made.clicked.connect(self._on_clicked)
        return made

    def _on_clicked(self) -> None:
        self._runs[self.sender().objectName()]()
