"""A table of the paper for a view: titles with units over two lines, numbers as people read them."""

from __future__ import annotations

from typing import Any

import polars as pl
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.batch.measures.table_form import Column, Table
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.text.numbers import UNKNOWN, fixed, full

_Role = Qt.ItemDataRole
_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
SortRole = int(_Role.UserRole) + 1
_LAST = float("inf")


class FrameModel(QAbstractTableModel):
    """Rows of a frame; fractions in percent."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table: Table | None = None
        self._rows: list[tuple[Any, ...]] = []

    @property
    def table(self) -> Table | None:
        """The table shown."""
        return self._table

    def show_table(self, table: Table | None) -> None:
        """Show another table, or none."""
        self.beginResetModel()
        self._table = table
        self._rows = table.frame.rows() if table is not None else []
        self.endResetModel()

    def titles(self) -> list[str]:
        """Headers in one line each, for a spreadsheet."""
        return [title_of(column, " ") for column in self._columns]

    @property
    def _columns(self) -> tuple[Column, ...]:
        return self._table.columns if self._table is not None else ()

    # -- Qt -----------------------------------------------------------------------------------------------

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        value, column = self._rows[index.row()][index.column()], self._columns[index.column()]
        match role:
            case _Role.DisplayRole:
                return shown(value, column)
            case _Role.TextAlignmentRole if not isinstance(value, str):
                return _RIGHT
            case _Role.ToolTipRole if isinstance(value, float):
                return full(_scaled(value, column))
        if role == CopyRole:
            return _copied(value, column)
        return (_LAST if value is None else value) if role == SortRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        column = self._columns[section]
        if role == _Role.DisplayRole:
            return title_of(column, "\n")
        if role == _Role.TextAlignmentRole and self._is_number(column):
            return _RIGHT
        return title_of(column, " ") if role == _Role.ToolTipRole else None

    def _is_number(self, column: Column) -> bool:
        return self._table is not None and self._table.frame.schema[column.name] != pl.String


def title_of(column: Column, between: str) -> str:
    """Group, title and unit of a column."""
    unit = {"fraction": "%", "node-h": "node-h"}.get(column.unit, column.unit)
    title = f"{column.title}, {unit}" if unit else column.title
    return f"{column.group}{between}{title}" if column.group else title


def shown(value: object, column: Column) -> str:
    """A cell as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return fixed(value)
    if isinstance(value, float):
        return fixed(_scaled(value, column), 1)
    return UNKNOWN if value is None else str(value)


def _scaled(value: float, column: Column) -> float:
    return 100 * value if column.unit == "fraction" else value


def _copied(value: object, column: Column) -> str:
    if isinstance(value, float):
        return full(_scaled(value, column))
    return "" if value is None else str(value)
