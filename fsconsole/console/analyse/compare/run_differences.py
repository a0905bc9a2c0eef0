"""How two recorded runs differ: in sentences, and by the largest difference of each quantity and node."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from fsconsole.app.runs.diff import RunsDiff, largest_first
from fsconsole.app.runs.diff_words import (
    HEADERS,
    brief_value,
    rows,
    sentences,
    title_words,
    value_words,
    weight_words,
)
from fsconsole.app.runs.samples_diff import Difference
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.copying import copy_text
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.recording.run_format import WITHOUT_SYSTEM
from fsconsole.text.durations import clock

_MOST_SENTENCES = 8
_HINT = "Compare two recorded runs to see how they differ."


class RunDifferences(QWidget):
    """Sentences over a table, which a click on a header sorts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._diff: RunsDiff | None = None
        self.words = MutedLabel(_HINT, self, wraps=True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setContentsMargins(12, 2, 12, 4)
        self.model = RowModel(self._columns(), self, key=lambda one: (one.quantity, one.path))
        self.table = Table(self.model, "Largest differences", self, sorts=True)
        vbox(self.words, (self.table, 1), on=self, spacing=4)

    def show_diff(self, diff: RunsDiff | None) -> None:
        """Show other differences; the greatest part of its quantity's range comes first."""
        self._diff = diff
        lines = [_HINT] if diff is None else list(sentences(diff))
        more = len(lines) - _MOST_SENTENCES
        if more > 1:
            lines[_MOST_SENTENCES:] = [f"And {more} more. Copy differences to get all of them."]
        self.words.setText("\n".join(lines))
        self.model.set_rows(() if diff is None else tuple(largest_first(diff.samples)))

    def copy_all(self) -> None:
        """Put sentences and the whole table on the clipboard, as `fsconsole run diff` has them."""
        if self._diff is not None:
            titles = [title.replace("\n", " ") for title in HEADERS]
            table = [titles, *rows(self._diff.samples)]
            lines = [*sentences(self._diff), *("\t".join(cells) for cells in table)]
            copy_text("\n".join(lines))

    def _columns(self) -> tuple[Column[Difference], ...]:
        def weight(one: Difference) -> float:
            return 0.0 if self._diff is None else self._diff.samples.weight(one)

        def weight_text(one: Difference) -> str:
            return "" if self._diff is None else weight_words(self._diff.samples, one)

        def value_column(title: str, value: Callable[[Difference], float], width: int) -> Column[Difference]:
            return Column(
                title, lambda one: brief_value(one.quantity, value(one)), width=width, order=value,
                full=lambda one: value_words(one.quantity, value(one)), is_number=True,
            )  # fmt: skip

        return (
            Column("Node", lambda one: one.path.rpartition("/")[2], width=56, is_name=True,
                   full=lambda one: one.path),
            Column("Quantity", lambda one: title_words(one.quantity.removesuffix(WITHOUT_SYSTEM)), width=130,
                   is_name=True, full=lambda one: title_words(one.quantity)),
            value_column("Difference", lambda one: one.amount, 84),
            Column("Time", lambda one: clock(one.time_s), "Time of the largest difference", width=76,
                   order=lambda one: one.time_s, is_number=True),
            value_column("A", lambda one: one.a, 76),
            value_column("B", lambda one: one.b, 76),
            Column("Share of the range", weight_text, (
                "Share of the range of the "
                "quantity in both runs"
            ), width=92,
                   order=weight, is_number=True),
        )  # fmt: skip
