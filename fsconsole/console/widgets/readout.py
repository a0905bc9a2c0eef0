"""The readout: a small popover with the effect of an edit while it is being made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QWidget

from fsconsole.console.style import marks, paint
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel

_GAP = 8


@dataclass(frozen=True, slots=True)
class ReadoutLine:
    """One line: a label (with the chip of a curve token), what was, and what will be."""

    label: str
    old: str = ""
    new: str = ""
    colour_token: str = ""


class Readout(QFrame):
    """Frameless popover; it never takes the focus and never lies over what it is about."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.ToolTip)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(12, 8, 12, 8)
        self._layout.setHorizontalSpacing(12)
        self._layout.setVerticalSpacing(4)
        self._content: tuple[str, tuple[ReadoutLine, ...], str] | None = None

    def say(self, title: str, lines: Sequence[ReadoutLine], hint: str = "") -> None:
        """Show a title, lines and a hint on keys; lines and hint may be empty."""
        content = (title, tuple(lines), hint)
        if content == self._content:
            return
        self._content = content
        self._clear()
        if title:
            self._layout.addWidget(_strong(title), 0, 0, 1, 3)
        for row, line in enumerate(lines, start=1):
            self._add(line, row)
        if hint:
            self._layout.addWidget(MutedLabel(hint, self, "caption"), len(lines) + 1, 0, 1, 3)
        self.setAccessibleName(self.text())
        # New labels count in the size of an open popover only after they are shown too.
        for label in self.findChildren(QLabel, options=Qt.FindChildOption.FindDirectChildrenOnly):
            label.show()
        self.adjustSize()

    def text(self) -> str:
        """Return all lines as text for a screen reader."""
        if self._content is None:
            return ""
        title, lines, hint = self._content
        rows = (" ".join(part for part in (line.label, line.old, line.new) if part) for line in lines)
        return "\n".join(part for part in (title, *rows, hint) if part)

    def show_above(self, target: QRect) -> None:
        """Show it above a rect in global coordinates, or below where there is no room above."""
        self.adjustSize()
        screen = QGuiApplication.screenAt(target.center()) or self.screen()
        room = screen.availableGeometry()
        y = target.y() - self.height() - _GAP
        if y < room.y():
            y = target.bottom() + _GAP
        x = min(max(target.x(), room.x()), max(room.right() - self.width(), room.x()))
        self.move(QPoint(x, y))
        self.show()

    def _add(self, line: ReadoutLine, row: int) -> None:
        token = line.colour_token
        label = _ChipLabel(line.label, token) if token else MutedLabel(line.label, self)
        self._layout.addWidget(label, row, 0)
        if line.old:
            text = f"{line.old} \N{RIGHTWARDS ARROW}" if line.new else line.old
            self._layout.addWidget(_plain(text), row, 1, Qt.AlignmentFlag.AlignRight)
        if line.new:
            self._layout.addWidget(_strong(line.new), row, 2, Qt.AlignmentFlag.AlignRight)

    def _clear(self) -> None:
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()  # Otherwise the layout may show it as a window of its own.
                widget.setParent(None)
                widget.deleteLater()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("surface"))
            paint.frame(painter, self.rect(), "line2")


def _plain(text: str) -> QLabel:
    return PlainLabel(text, font=tabular_font())


def _strong(text: str) -> QLabel:
    return PlainLabel(text, font=tabular_font(semibold=True))


class _ChipLabel(PlainLabel):
    """Semibold name with its colour chip before it."""

    def __init__(self, text: str, token: str) -> None:
        super().__init__(text)
        self.setFont(tabular_font(semibold=True))
        self.setIndent(marks.CHIP_WIDTH + 6)
        self._token = token

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            y = (self.height() - marks.CHIP_HEIGHT) // 2
            painter.fillRect(0, y, marks.CHIP_WIDTH, marks.CHIP_HEIGHT, colour(self._token))
