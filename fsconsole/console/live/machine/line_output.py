"""What a shell has answered: lines of fixed width that can be read and copied."""

from __future__ import annotations

import re
from textwrap import wrap

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from fsconsole.console.style.fonts import fixed_font
from fsconsole.console.style.theme import colour, theme

KEPT_LINES = 2000
MARGIN = 10
_PLAIN = -1  # State of a block. Higher values: length of a prompt. Lower values: number of a prose answer.
_SLACK = 4  # Qt scrolls if about this many pixels or fewer are left.
_LEAST = 30  # Columns below which text is unreadable.
_FIRST_COLUMN = re.compile(r" *(?:[^ ]+ )*[^ ]+ {2,}")
# A line of prose that the shell has wrapped. A row of a table has a gap between its columns.
_FILLED = re.compile(r"^((?!.*\S {2,}\S)\S.{65,})\n(?=\S)(?!.*\S {2,}\S)", re.MULTILINE)
_HELP = ("help", "?")


class LineOutput(QPlainTextEdit):
    """As high as its lines, so that the prompt follows them, until there is no more room.

    Signals: typed(QKeyEvent) where somebody types here.
    """

    typed = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._prose: dict[int, str] = {}
        self._columns = 0
        self.setReadOnly(True)
        self.setFont(fixed_font())
        self.setAccessibleName("Machine console, answers")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMaximumBlockCount(KEPT_LINES)
        self.setUndoRedoEnabled(False)
        self.document().setDocumentMargin(0)
        self.setViewportMargins(MARGIN, 0, 0, 0)
        self.blockCountChanged.connect(self._fit)
        self.horizontalScrollBar().rangeChanged.connect(self._fit)
        theme().changed.connect(self._colour_prompts)
        self._fit()

    def columns(self) -> int:
        """Return the number of characters that fit side by side beside a bar at the right, unscrolled."""
        room = self.width() - MARGIN - self.verticalScrollBar().sizeHint().width() - _SLACK
        return max(0, int(room / QFontMetricsF(self.font()).horizontalAdvance("0")))

    def add_command(self, prompt: str, line: str) -> None:
        """Add a line that was typed, its prompt in accent."""
        cursor = self._new_line()
        cursor.insertText(prompt, _accented())
        cursor.insertText(line, QTextCharFormat())
        cursor.block().setUserState(len(prompt))
        self._show_end()

    def add_answer(self, text: str, *, is_prose: bool = False) -> None:
        """Add an answer unchanged, or as prose in lines that fit any width.

        A very long one is cut to its end, which is all that would be kept.
        """
        kept = "\n".join(text.rstrip("\n").rsplit("\n", KEPT_LINES)[-KEPT_LINES:])
        cursor = self._new_line()
        if is_prose:
            self._insert_prose(cursor, self._keep_prose(kept))
        else:
            cursor.insertText(kept, QTextCharFormat())
        self._show_end()

    def _keep_prose(self, text: str) -> int:
        """Keep a text to be filled again; those whose lines must all be gone are forgotten."""
        number = min(self._prose, default=_PLAIN) - 1
        self._prose[number] = text
        for old in list(self._prose)[:-KEPT_LINES]:
            del self._prose[old]
        return number

    def _insert_prose(self, cursor: QTextCursor, number: int) -> None:
        """Put a kept text in place of what is selected, filled, and mark its blocks."""
        text = wrapped(self._prose[number], self.columns())
        cursor.insertText(text, QTextCharFormat())
        block = cursor.block()
        for _ in range(text.count("\n") + 1):
            block.setUserState(number)
            block = block.previous()

    def _reflow(self) -> None:
        """Fill all prose for the width there is now."""
        bar = self.verticalScrollBar()
        is_at_end = bar.value() == bar.maximum()
        block = self.document().begin()
        while block.isValid():
            number = block.userState()
            if number in self._prose:
                cursor = _run_of(block)
                self._insert_prose(cursor, number)
                block = cursor.block()
            block = block.next()
        self._fit()
        if is_at_end:
            bar.setValue(bar.maximum())

    def _new_line(self) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if not self.document().isEmpty():
            cursor.insertBlock()
            cursor.block().setUserState(_PLAIN)
        return cursor

    def _show_end(self) -> None:
        self._fit()
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self.horizontalScrollBar().setValue(0)

    @Slot()
    def _fit(self) -> None:
        """Limit the height to the content."""
        lines = 0 if self.document().isEmpty() else self.blockCount()
        bar = self.horizontalScrollBar()
        added = bar.sizeHint().height() if bar.maximum() > 0 else 0
        self.setMaximumHeight(lines * self.fontMetrics().lineSpacing() + added + _SLACK)

    @Slot()
    def _colour_prompts(self) -> None:
        """Colour prompts in the accent of the current theme."""
        block = self.document().begin()
        while block.isValid():
            if block.userState() > 0:
                cursor = QTextCursor(block)
                keep = QTextCursor.MoveMode.KeepAnchor
                cursor.movePosition(QTextCursor.MoveOperation.Right, keep, block.userState())
                cursor.setCharFormat(_accented())
            block = block.next()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        columns = self.columns()
        if columns != self._columns:
            self._columns = columns
            self._reflow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text().isprintable() and event.text():
            self.typed.emit(event)
        else:
            super().keyPressEvent(event)


def _run_of(first: QTextBlock) -> QTextCursor:
    """Return a cursor that selects the blocks from the first one on that have its state."""
    last = first
    while last.next().isValid() and last.next().userState() == first.userState():
        last = last.next()
    cursor = QTextCursor(first)
    cursor.setPosition(last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def put_ink(widget: QWidget, token: str) -> None:
    """Draw a widget's text in a token's colour, on no ground of its own."""
    palette = QPalette(widget.palette())
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text):
        palette.setColor(role, colour(token))
    palette.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
    widget.setPalette(palette)


def _accented() -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(colour("accent"))
    return made


def is_prose(line: str, status: int) -> bool:
    """Return True if the answer to a line is sentences, for a fault or help; all else is tables and data."""
    words = line.split()
    return bool(status) or words[:1] in ([word] for word in _HELP) or bool({"--help", "-h"} & set(words))


def wrapped(text: str, columns: int) -> str:
    """Return a text with lines of at most `columns` characters, keeping a first column separate."""
    width = max(columns, _LEAST)
    whole = _FILLED.sub(r"\1 ", text)
    return "\n".join(part for line in whole.split("\n") for part in _parts(line, width))


def _parts(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = len(line) - len(line.lstrip())
    column = _FIRST_COLUMN.match(line)
    start = column[0] if column else line[:indent]
    hanging = len(start) if len(start) <= width // 2 else indent + 2
    parts = wrap(
        line[len(start) :],
        width,
        initial_indent=start,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return parts or [line]
