"""Answers of users, each bound to what was on screen when it was given, and void for anything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from PySide6.QtWidgets import QCheckBox, QWidget


@dataclass(frozen=True, slots=True)
class UnsavedWork:
    """Work that would be lost, and the question about it.

    Attributes:
        state: identity of the work as the question shows it; other work has another one.
        ask: asks; returns True if the work may go, since it is saved or given up.
    """

    state: object
    ask: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class TypedEntry:
    """A text that is half typed into a cell or a field of the document: unsaved work of its own.

    Attributes:
        place: the cell or field, as in "Shares of physics".
        text: what is typed.
        enter: enters it; returns False, and shows what is wrong, where it cannot be.
    """

    place: str
    text: str
    enter: Callable[[], bool] = field(compare=False)


def lost_words(typed: Iterable[TypedEntry], *, is_removed: bool = True) -> str:
    """Return sentences on what was half typed when its node was removed, or when another one was shown."""
    why = "was removed while you typed" if is_removed else "is no longer shown"
    return " ".join(f"'{one.text}' was not entered into {one.place}, which {why}." for one in typed)


def may_lose(losses: Callable[[], Iterable[UnsavedWork]]) -> bool:
    """Ask about all that would be lost; return False as soon as something must stay.

    What changes while a question is open is asked about again. No answer outlives the call: where the action
    fails that the user was asked for, the next one asks again.
    """
    agreed: list[object] = []
    while True:
        loss = next((one for one in losses() if one.state not in agreed), None)
        if loss is None:
            return True
        if not loss.ask():
            return False
        agreed.append(loss.state)


class ConsentBox(QCheckBox):
    """A tick that sets aside the dangers in sight; it goes as soon as they are others, or are gone."""

    def __init__(self, words: str, parent: QWidget | None = None) -> None:
        super().__init__(words, parent)
        self._dangers: object = None
        self.hide()

    def show_for(self, dangers: object) -> None:
        """Offer the tick for dangers, which are compared with ==; not without any."""
        if dangers != self._dangers:
            self._dangers = dangers
            self.setChecked(False)
        self.setVisible(bool(dangers))
