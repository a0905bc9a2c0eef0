"""The dialog that edits several nodes together, with what each would get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.tree.share_entry import shares_words
from fsconsole.app.tree.together import Changes, edits_of
from fsconsole.console.design.columns import Column as TreeColumn
from fsconsole.console.design.columns import title_of
from fsconsole.console.document import Document
from fsconsole.console.kit.forms import ChoiceField, FormDialog, TextField, TypedField
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.widgets.boxes import INHERIT, hbox
from fsconsole.shares.edits import MAX_SHARES, Edit
from fsconsole.shares.tree import Kind
from fsconsole.text import numbers
from fsconsole.text.words import count_words


@dataclass(frozen=True, slots=True)
class _Row:
    node: int
    path: str
    shares: str
    new_shares: str
    part: float
    new_part: float
    rest: str


@dataclass(frozen=True, slots=True)
class _Amount:
    """A number of shares or a factor; with `is_part` a fraction, written in percent."""

    number: float
    is_part: bool = False


class EditNodesDialog(FormDialog):
    """Sets shares, kind, flag and note of nodes as one change of the document."""

    def __init__(
        self,
        document: Document,
        nodes: Sequence[int],
        parent: QWidget | None = None,
        *,
        of_cluster: bool = False,
    ) -> None:
        super().__init__(f"Edit {count_words(len(nodes), 'node')}", parent)
        place = {node.id: at for at, node in enumerate(document.tree.walk())}
        self._document, self._nodes = document, tuple(sorted(nodes, key=place.__getitem__))
        self.shares = ChoiceField(
            "Shares",
            [
                ("keep", "Keep"),
                ("set", "Set to"),
                ("scale", "Multiply by"),
                ("equal", "Make equal in each group"),
            ],
        )
        self.amount = TypedField("Shares or factor", _amount, 90, write=lambda value: f"{value.number:g}")
        kinds = [(kind, f"Set to {kind}") for kind in Kind]
        self.kind = ChoiceField("Kind", [(None, "Keep"), *kinds])
        self.system = ChoiceField("System group", [(None, "Keep"), (True, "Yes"), (False, "No")])
        self.note = ChoiceField("Note", [("keep", "Keep"), ("replace", "Replace by"), ("append", "Append")])
        self.text = TextField("Text of the note")
        model = RowModel(_COLUMNS, key=lambda row: row.node)
        model.set_title(model.place(_PART), title_of(TreeColumn.PART_OF_MACHINE, of_cluster=of_cluster))
        self.preview = Table(model, "Nodes after the change", self)
        self.preview.setMinimumSize(640, 220)
        self.amount.fill(_Amount(2.0))
        self.lay_out(
            f"Edit {count_words(len(nodes), 'node')}",
            ("&Shares", hbox(self.shares, self.amount, 1, spacing=INHERIT)),
            ("&Kind", hbox(self.kind, 1)),
            ("S&ystem group", hbox(self.system, 1)),
            ("&Note", hbox(self.note, (self.text, 1), spacing=INHERIT)),
            below=(self.preview,),
            margins=(16, 14, 16, 12),
        )
        for field in (self.shares, self.amount, self.kind, self.system, self.note, self.text):
            field.changed.connect(self._refresh)
        self._refresh()

    def _edits(self) -> list[Edit]:
        """Return the chosen changes as edits; ValueError if they are not possible."""
        has_amount = self.shares.read() in ("set", "scale")
        if has_amount and not self.amount.is_right:
            raise ValueError(self.amount.fault.text())
        amount = self.amount.read() if has_amount else _Amount(1.0)
        changes = Changes(
            self.shares.read(),
            amount.number,
            amount.number if amount.is_part else None,
            self.kind.read(),
            self.system.read(),
            self.note.read(),
            self.text.read(),
        )
        document = self._document
        return edits_of(document.tree, self._nodes, changes, takes_parents=document.takes_parents_shares)

    @Slot()
    def _refresh(self) -> None:
        """Show the new values of the nodes; a fault is shown and disables the button."""
        has_amount = self.shares.read() in ("set", "scale")
        self.amount.setEnabled(has_amount)
        self.text.setEnabled(self.note.read() != "keep")
        self.clear_problem()
        try:
            edits = self._edits()
            self._show(edits)
        except ValueError as error:
            self._show(())
            self.show_problem(str(error))
            self.buttons.verb.setEnabled(False)
            return
        self.buttons.verb.setEnabled(bool(edits))

    def _show(self, edits: Sequence[Edit]) -> None:
        document, takes = self._document, self._document.takes_parents_shares
        before, after = document.tree, document.tree
        flat, new_flat = document.flat, document.flat
        if edits:
            after, new_flat = document.preview(edits)
        parts, new_parts = flat.machine_share(), new_flat.machine_share()
        rows = []
        for node_id in self._nodes:
            old, new = before.node(node_id), after.node(node_id)
            flag = ", system group" if new.system else ""
            rows.append(
                _Row(
                    node_id,
                    before.path(node_id),
                    _grouped(shares_words(old, takes_parents=takes)),
                    _grouped(shares_words(new, takes_parents=takes)),
                    float(parts[flat.row_of[node_id]]),
                    float(new_parts[new_flat.row_of[node_id]]),
                    f"{new.kind}{flag}{'. ' if new.note else ''}{new.note}",
                )
            )
        self.preview.rows.set_rows(tuple(rows))

    def _verb(self) -> str:
        """Return the name of the change for the list of changes and Undo; "Edit" for several kinds."""
        done = [
            words
            for words, field, kept in (
                ("Set shares", self.shares, "keep"),
                ("Set kind", self.kind, None),
                ("Set system group", self.system, None),
                ("Set note", self.note, "keep"),
            )
            if field.read() != kept
        ]
        return done[0] if len(done) == 1 else "Edit"

    def accept(self) -> None:
        """Make the change and close."""
        try:
            self._document.edit(self._verb(), self._edits())
        except ValueError as error:
            self.show_problem(str(error))
            return
        super().accept()


def _changed(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _percent(part: float) -> str:
    return numbers.percent(part, numbers.PERCENT_OF_MACHINE_DIGITS)


_PART = "part"
_COLUMNS: tuple[Column[_Row], ...] = (
    Column("Node", lambda row: row.path, width=220, is_name=True),
    Column("Shares", lambda row: _changed(row.shares, row.new_shares), width=110, is_number=True),
    Column("Share of machine", lambda row: _changed(_percent(row.part), _percent(row.new_part)), name=_PART,
           width=170, is_number=True),
    Column("Kind and note", lambda row: row.rest),
)  # fmt: skip


def _grouped(shares: str) -> str:
    """Format shares as the window writes numbers; `parent` stays."""
    return numbers.thousands(int(shares)) if shares.isdecimal() else shares


def _amount(text: str) -> _Amount:
    plain = numbers.ungrouped(text.strip()).replace(",", ".")
    is_part = plain.endswith("%")
    try:
        value = float(plain.removesuffix("%")) / (100 if is_part else 1)
    except ValueError:
        value = -1.0
    if value > MAX_SHARES:
        msg = f"'{text}' is too large. Write at most {numbers.thousands(MAX_SHARES)} shares."
        raise ValueError(msg)
    if not value >= 0:
        msg = (
            f"'{text}' is neither shares nor a factor. Write a number of 0 or more, or a percentage. "
            "Example: 2, 0.5 or 50 %."
        )
        raise ValueError(msg)
    return _Amount(value, is_part)
