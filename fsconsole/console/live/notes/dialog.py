"""The dialog that writes a note, or changes one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from fsconsole.app.runs.notes import wall_time, wall_words
from fsconsole.console.kit.forms import FieldLine, FormDialog, TypedField
from fsconsole.recording.notes import Note
from fsconsole.text.durations import in_words, typed_seconds

Write = Callable[[float, str, float | None], object]
_TIME_PX, _WALL_PX = 120, 190
_ROUND_S = 1.0  # Times may be typed to the second.


class NoteDialog(FormDialog):
    """Text and instant of a note, and the end of its span if it has one."""

    def __init__(
        self,
        write: Write,
        time_s: float,
        window: QWidget,
        note: Note | None = None,
        epoch_s: float | None = None,
        now_s: Callable[[], float] = lambda: float("inf"),
    ) -> None:
        """Ask for a note at an instant, or for another form of one.

        Args:
            write: takes time, text and end, and raises ValueError with what would be right.
            time_s: the instant that is proposed.
            window: the dialog stands over it.
            note: the one that is changed.
            epoch_s: seconds since 1970 at time 0; None where time is simulated.
            now_s: gives how far the run has come; a note is on an instant up to that.
        """
        super().__init__("Add note" if note is None else "Edit note", window)
        self._write, self._now_s = write, now_s
        self.text = _TextField("" if note is None else note.text, self)
        tip = "Simulated time since the start. Example: 90 s, 10 min or 1.5 h"
        read, words, wide = _instant, in_words, _TIME_PX
        if epoch_s is not None:
            tip = "Date and time. Example: 2026-11-20 09:36:10"
            read, words, wide = (
                partial(_wall_instant, epoch_s),
                partial(wall_words, epoch_s=epoch_s),
                _WALL_PX,
            )
        self.time = TypedField("Time", read, wide, write=words, tip=tip)
        self.until = TypedField(
            "End",
            lambda text: read(text) if text.strip() else None,
            wide,
            write=lambda time_s: "" if time_s is None else words(time_s),
            tip=f"{tip}. Empty: an instant",
            placeholder="none",
        )
        self.time.fill(time_s if note is None else note.time_s)
        self.until.fill(None if note is None else note.until_s)
        self._words = words
        self._before = (self.time.read(), self.until.read())
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
        if self.refuses_any(self.time, self.until):
            return
        now_s = self._now_s()
        times: tuple[tuple[TypedField[Any], float | None], ...] = (
            (self.time, self._before[0]),
            (self.until, self._before[1]),
        )
        for timed, before_s in times:
            time_s = timed.read()
            if time_s is not None and time_s > now_s + _ROUND_S and time_s != before_s:
                self.refuse(timed, f"The run has reached {self._words(now_s)}. Choose an earlier time.")
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
    found = typed_seconds(text)
    if found < 0:
        msg = f"'{text.strip()}' lies before the start. Write a time of 0 or more."
        raise ValueError(msg)
    return found


def _wall_instant(epoch_s: float, text: str) -> float:
    return wall_time(text, epoch_s)
