"""Plain words in labels that Qt makes itself, such as tooltips and message boxes, in menus and titles.

Qt takes a text for HTML as soon as it holds a tag, and opens the pictures in it in the thread of the window.
A picture that is a FIFO stops the console for good, and anybody can give a job such a name. So labels of Qt
show tags as they are, and those of the console are a `PlainLabel` or, with names escaped, a `RichLabel`.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QLabel

from fsconsole.text.visible_text import visible, visible_line

_Event = QEvent.Type
_LONG_WORD = re.compile(r"\S{60}(?=\S)")
_Z = "\N{ZERO WIDTH SPACE}"


class PlainWords(QObject):
    """Has labels of Qt show every tag and every control character in their texts."""

    def make_plain(self, label: QLabel) -> None:
        """Show the texts of a label as they are, unless it is rich by the console's own choice."""
        if label.textFormat() is Qt.TextFormat.AutoText:
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.installEventFilter(self)  # The text of a tooltip is set later, and again for the next one.
            _show_controls(label)

    def eventFilter(self, label: QObject, event: QEvent) -> bool:
        if event.type() in (_Event.Show, _Event.Paint) and isinstance(label, QLabel):
            _show_controls(label)
        return False


def menu_words(name: str) -> str:
    """Return a name as a menu, a tab or a button takes it, so that its & is shown and no letter is a key."""
    return visible_line(name).replace("&", "&&")


def title_words(name: str) -> str:
    """Return a name as the title of a window takes it, where [*] stands for the mark of unsaved changes."""
    return visible_line(name).replace("[*]", "[*][*]")


def _show_controls(label: QLabel) -> None:
    """Escape control characters, and let a line end in a word that is wider than the screen."""
    text = shown = visible(label.text())
    if label.isWindow() and label.width() > label.screen().availableGeometry().width():
        shown = _LONG_WORD.sub(lambda word: word[0] + _Z, text)
    if shown != label.text():
        label.setText(shown)
        if label.isWindow():
            label.setWordWrap(label.wordWrap() or shown != text)
            label.resize(label.sizeHint())
