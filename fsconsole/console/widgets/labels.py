"""Labels: titles of sections, facts, and secondary text."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFont, QPalette
from PySide6.QtWidgets import QLabel, QWidget

from fsconsole.console.style.fonts import TextSize, tabular_font, ui_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.text.visible_text import visible


class PlainLabel(QLabel):
    """Words as they are: a tag in a name is shown, and no control character acts on the line."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        font: QFont | None = None,
        wraps: bool = False,
        buddy: QWidget | None = None,
    ) -> None:
        """`buddy` is the field to which the underlined letter leads."""
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        if font is not None:
            self.setFont(font)
        if wraps:
            self.setWordWrap(True)
        if buddy is not None:
            self.setBuddy(buddy)
        if text:
            self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(visible(text))


class RichLabel(QLabel):
    """Words of the console with tags, such as bold ones; every name in them is escaped."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.RichText)

    def setText(self, text: str) -> None:
        super().setText(visible(text))


class SectionLabel(PlainLabel):
    """Title of a section or of a dialog."""

    def __init__(self, text: str = "", parent: QWidget | None = None, *, wraps: bool = False) -> None:
        super().__init__(text, parent, font=ui_font("section", semibold=True), wraps=wraps)


class FactLabel(PlainLabel):
    """Plain words that can be selected; they wrap."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent, font=tabular_font(), wraps=True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)


class MutedLabel(PlainLabel):
    """Caption, unit or remark: muted and by default small."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        size: TextSize = "table",
        *,
        wraps: bool = False,
    ) -> None:
        super().__init__(text, parent, font=tabular_font(size), wraps=wraps)
        self.setForegroundRole(QPalette.ColorRole.PlaceholderText)


class InkLabel(PlainLabel):
    """Words in a colour of the present theme, such as danger; they wrap."""

    def __init__(self, parent: QWidget | None = None, token: str = "text") -> None:
        super().__init__("", parent, font=tabular_font("base"), wraps=True)
        self._token = token
        theme().changed.connect(self._ink)
        self._ink()

    def say(self, words: str, token: str = "text") -> None:
        """Show words in a colour; nothing shows without any."""
        self._token = token
        self.setText(words)
        self.setAccessibleName(self.text())
        self.setVisible(bool(words))
        self._ink()

    @Slot()
    def _ink(self) -> None:
        shade = QPalette(self.palette())
        shade.setColor(QPalette.ColorRole.WindowText, colour(self._token))
        self.setPalette(shade)
