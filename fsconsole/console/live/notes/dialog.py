"""The dialog that writes a note, or changes one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from fsconsole.console.kit.forms import FieldLine, FormDialog, TypedField
from fsconsole.recording.notes import Note
from fsconsole.text.durations import in_words, seconds

Write = Callable[[float, str, float | None], object]
_TIME_PX = 120


class NoteDialog(FormDialog):
    """Text, instant, and the end of a span where it is about one."""

    def __init__(self, write: Write, time_s: float, window: QWidget, note: Note | None = None) -> None:
        """`write` takes time, text and end, and raises ValueError with what would be right."""
        super().__init__("Add note" if note is None else "Edit note", window)
        self._write = write
        self.text = _TextField("" if note is None else note.text, self)
        tip = "Simulated time since the start, such as 90 s, 10 min or 1.5 h"
        self.time = TypedField("Time", _instant, _TIME_PX, write=in_words, tip=tip)
        self.until = TypedField(
            "End", _end, _TIME_PX, write=_end_words, tip=f"{tip}; empty for an instant", placeholder="none"
        )
        self.time.fill(time_s if note is None else note.time_s)
        self.until.fill(None if note is None else note.until_s)
        rows: tuple[tuple[str, QWidget], ...] = (
            ("&Text", self.text),
            ("T&ime", FieldLine(("", self.time, ""))),
            ("&End", FieldLine(("", self.until, "of a span"))),
        )
        self.lay_out("Add" if note is None else "Change", *rows)
        self.text.textChanged.connect(self.clear_problem)
        for field in (self.time, self.until):
            field.changed.connect(self.clear_problem)

    def accept(self) -> None:
        for field in (self.time, self.until):
            if not field.is_right:
                self.refuse(field, field.fault.text())
                return
        try:
            self._write(self.time.read(), self.text.toPlainText().strip(), self.until.read())
        except ValueError as error:
            self.refuse(self.text, str(error))
            return
        super().accept()


class _TextField(QPlainTextEdit):
    """Several lines; Tab leaves it."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, parent)
        self.setAccessibleName("Text")
        self.setTabChangesFocus(True)
        self.setPlaceholderText("What happened, and why it matters")

    def sizeHint(self) -> QSize:
        return QSize(420, 110)


def _instant(text: str) -> float:
    found = seconds(text)
    if found < 0:
        msg = f"{text.strip()!r} lies before the start. Write a time from 0 on."
        raise ValueError(msg)
    return found


def _end(text: str) -> float | None:
    return _instant(text) if text.strip() else None


def _end_words(time_s: float | None) -> str:
    return "" if time_s is None else in_words(time_s)
