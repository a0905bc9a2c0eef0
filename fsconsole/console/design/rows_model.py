"""A plain table of texts whose rows may be about nodes: problems and changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.console.look import icons
from fsconsole.console.look.theme import colour

_Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
_Role = Qt.ItemDataRole


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


class RowsModel(QAbstractTableModel):
    """Shows rows under titles; `right` are the columns that are right-aligned, `muted` those in muted ink."""

    def __init__(
        self,
        titles: Sequence[str],
        parent: QObject | None = None,
        *,
        right: Sequence[int] = (),
        muted: Sequence[int] = (),
    ) -> None:
        super().__init__(parent)
        self._titles = tuple(titles)
        self._right, self._muted = frozenset(right), frozenset(muted)
        self._rows: tuple[Row, ...] = ()
        self._by_role: Mapping[int, Any] = {
            _Role.DisplayRole: lambda row, column: row.cells[column],
            _Role.ToolTipRole: lambda row, column: row.cells[column],
            _Role.DecorationRole: self._icon,
            _Role.ForegroundRole: self._ink,
        }

    @property
    def titles(self) -> tuple[str, ...]:
        """Titles of the columns."""
        return self._titles

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows."""
        return self._rows

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Replace all rows."""
        if tuple(rows) != self._rows:
            self.beginResetModel()
            self._rows = tuple(rows)
            self.endResetModel()

    def _icon(self, row: Row, column: int) -> Any:
        return icons.icon(row.icon, row.token or "muted") if column == 0 and row.icon else None

    def _ink(self, row: Row, column: int) -> Any:
        if column == 0 and row.token:
            return colour(row.token)
        return colour("muted") if column in self._muted else None

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:
        """Rows at the top alone."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:
        """One for each title."""
        return 0 if parent.isValid() else len(self._titles)

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Text, icon, ink and alignment of a cell."""
        if not index.isValid():
            return None
        if role == _Role.TextAlignmentRole and index.column() in self._right:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        found = self._by_role.get(role)
        return found(self._rows[index.row()], index.column()) if found is not None else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        """The titles, aligned like their columns."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self._titles):
            return None
        if role == _Role.DisplayRole:
            return self._titles[section]
        if role == _Role.TextAlignmentRole and section in self._right:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None
