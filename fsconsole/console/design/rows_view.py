"""A plain table of texts whose rows may be about nodes, as problems and changes are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QHeaderView, QWidget

from fsconsole.console.kit.tables import Column, FlatTree, RowModel
from fsconsole.console.preferences import Preferences
from fsconsole.console.widgets.table_columns import TableColumns


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        cells: texts from left to right.
        nodes: ids of the nodes that it is about.
        line: line of the source, 0 for none.
        icon, token: icon of the first cell and the colour token of its text; empty for none.
    """

    cells: tuple[str, ...]
    nodes: tuple[int, ...] = ()
    line: int = 0
    icon: str = ""
    token: str = ""


def _column(at: int, title: str, width: int, *, is_number: bool, is_muted: bool) -> Column[Row]:
    def ink(row: Row) -> str:
        return row.token if not at and row.token else "muted" if is_muted else ""

    def icon(row: Row) -> tuple[str, str] | None:
        return (row.icon, row.token or "muted") if row.icon else None

    return Column(
        title, lambda row: row.cells[at], name=title, ink=ink, icon=None if at else icon, width=width,
        is_number=is_number,
    )  # fmt: skip


class RowsView(FlatTree[Row]):
    """Rows to choose from by click, arrows or Enter; Ctrl+C copies them as TSV.

    Signals: chosen(Row).
    """

    chosen = Signal(object)

    def __init__(
        self,
        name: str,
        titles: Sequence[str],
        widths: Sequence[int],
        preferences: Preferences,
        parent: QWidget | None = None,
        *,
        right: Sequence[int] = (),
        muted: Sequence[int] = (),
        wide: int = -1,
    ) -> None:
        """`right` are the columns of numbers, `muted` those in muted ink, `wide` takes the room left."""
        columns = [
            _column(at, title, widths[at], is_number=at in right, is_muted=at in muted)
            for at, title in enumerate(titles)
        ]
        rows = RowModel(columns)
        super().__init__(rows, name, parent)
        self.rows = rows
        self.setMinimumSize(0, 48)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(wide % len(widths), QHeaderView.ResizeMode.Stretch)
        key = name.lower().replace(" ", "_")
        self.columns = TableColumns(self, preferences, f"design/{key}", titles)
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)

    def current_row(self) -> Row | None:
        """The row with the keyboard's mark."""
        index = self.currentIndex()
        return self.rows.rows[index.row()] if index.isValid() else None

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(self.rows.rows[index.row()])
