"""The factors of two increments beside each other, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QFont

from fsconsole.console.kit.tables import Column, RowModel
from fsconsole.console.style import fonts
from fsconsole.machine.insight import FactorRow
from fsconsole.targets.base import Explained


class FactorModel(RowModel[FactorRow]):
    """Factor, one column for each side, and a note."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(_columns(()), parent, key=lambda row: row.label)

    def show_explanation(self, found: Explained | None) -> None:
        """Show the factors of an explanation; None for none."""
        names = () if found is None else found.compared
        if ("Factor", *names, "Note") != self.titles:
            self.set_columns(_columns(names))
        self.set_rows([] if found is None else found.factors)


def _columns(names: Sequence[str]) -> list[Column[FactorRow]]:
    def value(side: int, name: str) -> Column[FactorRow]:
        def tip(row: FactorRow) -> str | None:
            return _tip(row, row.fulls[side])

        return Column(
            name, lambda row: row.texts[side], full=lambda row: row.fulls[side], tip=tip, ink=_ink,
            font=_font, is_number=True,
        )  # fmt: skip

    return [
        Column("Factor", lambda row: row.label, tip=_tip, ink=_ink, font=_font),
        *(value(side, name) for side, name in enumerate(names)),
        Column("Note", lambda row: row.note, tip=_tip, ink=_ink, font=_font),
    ]


def _tip(row: FactorRow, full: str = "") -> str | None:
    return "\n".join(part for part in (full, row.note, row.source) if part) or None


def _ink(row: FactorRow) -> str:
    return "" if row.is_factor or row.is_result else "muted"


def _font(row: FactorRow) -> QFont | None:
    return fonts.tabular_font(semibold=True) if row.is_result else None
