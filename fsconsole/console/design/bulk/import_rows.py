"""The dialog that makes nodes of rows: which column holds what, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.tree.rearrange import Place
from fsconsole.app.tree.spreadsheet import (
    Columns,
    Line,
    Reading,
    Row,
    guess_columns,
    inserts_of_reading,
    read_rows,
)
from fsconsole.console.document import Document
from fsconsole.console.kit.forms import ChoiceField, DialogButtons, SwitchField, form_of
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.labels import InkLabel, MutedLabel
from fsconsole.shares.tree import TreeError

_TITLE_CHARACTERS = 30
_FIELDS = {
    "name": "&Name or path",
    "parent": "&Parent",
    "kind": "&Kind",
    "shares": "&Shares",
    "note": "N&ote",
}
_MOST_FAULTS = 4


class ImportRowsDialog(Dialog):
    """Puts rows into the tree as one change of the document."""

    def __init__(
        self,
        document: Document,
        lines: Sequence[Line],
        place: Place,
        select: Callable[[Sequence[int]], object],
        parent: QWidget | None = None,
    ) -> None:
        """`lines` are not empty; `select` gets the ids of what was put in."""
        super().__init__("Import rows", parent)
        self._document, self._lines, self._place, self._select = document, lines, place, select
        self._reading: Reading | None = None
        guessed = guess_columns(lines)
        self.headed = SwitchField("The first line contains titles")
        self.headed.fill(guessed.is_headed)
        self.fields = {key: ChoiceField(words.replace("&", ""), ()) for key, words in _FIELDS.items()}
        self.skip = SwitchField("Skip wrong rows")
        self.preview = Table(RowModel(_COLUMNS, key=lambda row: row.line), "Rows as nodes", self)
        self.report = InkLabel(self)
        self._fill_titles(guessed)
        self._build_ui()
        self._connect_signals()
        self._refresh()
        self.resize(760, 640)

    def _build_ui(self) -> None:
        rows = [(_FIELDS[key], hbox(field, 1)) for key, field in self.fields.items()]
        place = self._document.tree.path(self._place.parent) or self._document.tree.root.name
        self.buttons = DialogButtons("Import rows", self)
        form = form_of(("Into", MutedLabel(place)), ("", self.headed), *rows)
        parts = (form, (self.preview, 1), self.report, self.skip, self.buttons)
        vbox(*parts, on=self, margins=(16, 14, 16, 12), spacing=8)

    def _connect_signals(self) -> None:
        self.headed.changed.connect(self._on_headed)
        for field in self.fields.values():
            field.changed.connect(self._refresh)
        self.skip.changed.connect(self._refresh)

    def _fill_titles(self, columns: Columns) -> None:
        """Offer the columns by their titles, or by their letters with the first cell."""
        width = max(len(line.cells) for line in self._lines)
        titles = [
            (at, _title(at, self._lines[0].cell(at), is_headed=columns.is_headed)) for at in range(width)
        ]
        for key, field in self.fields.items():
            with QSignalBlocker(field):
                field.clear()
                for value, words in ([] if key == "name" else [(None, "None")]) + titles:
                    field.addItem(words, value)
                field.fill(getattr(columns, key))

    @property
    def columns(self) -> Columns:
        """Columns that are chosen for names, shares and others."""
        chosen = {key: field.read() for key, field in self.fields.items()}
        return Columns(**chosen, is_headed=self.headed.read())

    @Slot()
    def _on_headed(self) -> None:
        self._fill_titles(replace(self.columns, is_headed=self.headed.read()))
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """Show the rows as nodes; wrong ones keep all from being imported until they are left out."""
        reading = read_rows(self._lines, self.columns, self._document.tree, self._place)
        self._reading = reading
        self.preview.rows.set_rows(reading.rows)
        faults = reading.faults
        more = [f"and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
        self.report.say(
            "\n".join([reading.summary, *faults[:_MOST_FAULTS], *more]), "danger" if faults else "text"
        )
        self.skip.setVisible(bool(faults))
        has_good = any(not row.fault for row in reading.rows)
        self.buttons.verb.setEnabled(has_good and (not faults or self.skip.isChecked()))

    def accept(self) -> None:
        """Put the rows in."""
        if self._reading is None:
            return
        try:
            inserts = inserts_of_reading(self._reading, self._document.tree, self._place)
            self._document.edit("Import rows", inserts)
        except TreeError as error:
            self.report.say(str(error), "danger")
            return
        self._select([insert.nodes[0].id for insert in inserts])
        super().accept()


def _title(at: int, cell: str, *, is_headed: bool) -> str:
    letter = chr(ord("A") + at) if at < 26 else str(at + 1)
    shown = cell if len(cell) <= _TITLE_CHARACTERS else f"{cell[:_TITLE_CHARACTERS]}…"
    if is_headed and shown:
        return shown
    return f"Column {letter}, for example {shown}" if shown else f"Column {letter}"


_COLUMNS: tuple[Column[Row], ...] = (
    Column("Line", lambda row: str(row.line), width=50, is_number=True),
    Column("Node", lambda row: "/".join(row.path), width=240, is_name=True),
    Column("Kind", lambda row: str(row.kind or ""), width=70),
    Column("Shares", lambda row: "" if row.fault else str(row.shares), width=70, is_number=True),
    Column("Note", lambda row: row.note, width=120),
    Column("Problem", lambda row: row.fault, ink=lambda row: "danger" if row.fault else ""),
)
