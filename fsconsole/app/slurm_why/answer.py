"""An answer to a question about a cluster: sentences, a table, and what would change it. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from fsconsole.text.numbers import NARROW_SPACE
from fsconsole.text.visible_text import visible_line

MOST_SENTENCES = 3
_WIDTH = 100  # of lines: tickets do not break those of a table


class NoAnswer(LookupError):  # noqa: N818 (it is said to a person as it is)
    """Why the question cannot be answered, with what to ask instead."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said to one question.

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
        """Lines that can be pasted into a ticket."""
        parts = [fill(self.about, _WIDTH), fill(" ".join(self.sentences), _WIDTH)]
        if self.rows:
            parts.append("\n".join(_lines([self.columns, *self.rows])))
        parts += [fill(text, _WIDTH) for text in (f"What would change it: {self.change}", *self.remarks)]
        return ("\n\n".join(parts) + "\n").replace(NARROW_SPACE, ",")  # not every ticket has that space

    def as_json(self) -> dict[str, Any]:
        """Plain data; the table as a list of objects."""
        return {
            "about": self.about,
            "sentences": list(self.sentences),
            "table": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
            "change": self.change,
            "remarks": list(self.remarks),
        }


def _lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns of one width: the first one at the left, numbers at the right. Names cannot break a line."""
    clean = [[visible_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*clean, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in clean
    ]
