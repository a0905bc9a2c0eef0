"""An answer to a question about a cluster: sentences, a table, and changes of the result. No Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from fsconsole.text.numbers import on_terminal
from fsconsole.text.visible_text import visible_line

_PROGRAMS = frozenset(("fsconsole", "scontrol", "sacctmgr", "scancel", "sprio", "squeue"))
_MOST_WORDS = 10
_VALUE = re.compile(r"[=0-9]")
_BLANK = "\ue000"  # It replaces a blank inside a command while lines are wrapped.
_WIDTH = 100  # Ticket systems do not wrap lines of this many characters.


class NoAnswer(LookupError):  # noqa: N818 (it is said to a person as it is)
    """The question cannot be answered; the message names one that can."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer to one question.

    Attributes:
        about: what it is about, and of when.
        sentences: at most three.
        columns, rows: one table; the first column is text.
        change: what would change it, in a sentence or two.
        remarks: what is hidden or old.
    """

    about: str
    sentences: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    change: str
    remarks: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return lines that can be pasted into a ticket."""
        parts = [_wrapped(self.about), _wrapped(" ".join(self.sentences))]
        if self.rows:
            parts.append("\n".join(_lines([self.columns, *self.rows])))
        parts += [_wrapped(text) for text in (f"A change that helps: {self.change}", *self.remarks)]
        return on_terminal("\n\n".join(parts) + "\n")

    def as_json(self) -> dict[str, Any]:
        """Return plain data; the table is a list of objects."""
        return {
            "about": self.about,
            "sentences": list(self.sentences),
            "table": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
            "change": self.change,
            "remarks": list(self.remarks),
        }


def _wrapped(text: str) -> str:
    """Return lines of a text; none ends within a command, which is to be pasted into a shell."""
    words = text.split(" ")
    joined: list[str] = []
    while words:
        count = _words_of_command(words)
        joined.append(_BLANK.join(words[:count]))
        del words[:count]
    lines = fill(" ".join(joined), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return lines.replace(_BLANK, " ")


def _words_of_command(words: Sequence[str]) -> int:
    """Return the number of first words that are a command: up to the last of its clause with a number
    or an = in it.
    """
    if words[0].strip("(`") not in _PROGRAMS:
        return 1
    count = 2
    for at, word in enumerate(words[1:_MOST_WORDS], 2):
        if _VALUE.search(word):
            count = at
        if word.endswith((",", ";", ".", ")")):
            break
    return min(count, len(words))


def _lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return columns of one width: the first one at the left, numbers at the right. Names cannot break a
    line.
    """
    clean = [[visible_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*clean, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in clean
    ]
