"""The table of the What if dock: who asks for what, is entitled to what, gets what, and had what."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.console.design.tree_model import NODE_ROLE
from fsconsole.console.design.what_if.outlook import Outlook
from fsconsole.console.design.what_if.what_if import WhatIf
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import fonts, marks
from fsconsole.console.style.theme import colour
from fsconsole.shares.demand_words import demand_text
from fsconsole.text import numbers

_Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
_Role = Qt.ItemDataRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_DIGITS = numbers.PERCENT_OF_MACHINE_DIGITS
_SUM_DIGITS = 2
_POINT = 0.00005


class Column(IntEnum):
    """Columns from left to right."""

    GROUP = 0
    DEMAND = 1
    ENTITLED = 2
    WHAT_IF = 3
    MEASURED = 4
    DIFFERENCE = 5


TITLES = ("Group", "Demand", "Entitled", "What if", "Measured", "Diff.")
TIPS = {
    Column.DEMAND: "Most that the group can use of the machine; saturated for all it can get",
    Column.ENTITLED: "Part of the machine by shares alone, %",
    Column.WHAT_IF: "Part of the machine when what others leave is handed on, %",
    Column.MEASURED: "Part of the machine that it had, %",
    Column.DIFFERENCE: "Difference: measured less what if, in points",
}


class WhatIfModel(QAbstractTableModel):
    """Rows are the outlook's, and a last one with the sums."""

    def __init__(self, session: ConsoleSession, what_if: WhatIf, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._what_if = what_if
        self._outlook: Outlook | None = None
        self._rows: list[int] = []

    def show_outlook(self, outlook: Outlook | None) -> None:
        """Show another outlook; where it has the same nodes, editors stay open."""
        ids = [] if outlook is None else outlook.flat.ids[outlook.rows].tolist()
        before = self._ids()
        if ids == before and ids:
            self._outlook, self._rows = outlook, [] if outlook is None else outlook.rows.tolist()
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows), len(Column) - 1))
            return
        self.beginResetModel()
        self._outlook, self._rows = outlook, [] if outlook is None else outlook.rows.tolist()
        self.endResetModel()

    def _ids(self) -> list[int]:
        return [] if self._outlook is None else [int(self._outlook.flat.ids[row]) for row in self._rows]

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:
        """Groups and their sum."""
        return 0 if parent.isValid() or not self._rows else len(self._rows) + 1

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:
        """Always the same."""
        return 0 if parent.isValid() else len(Column)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Demands can be edited; the sum is only there to be read."""
        if not index.isValid() or index.row() >= len(self._rows):
            return Qt.ItemFlag.ItemIsEnabled
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == Column.DEMAND else flags

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Text, colours and alignment of a cell; NODE_ROLE gives the node's id."""
        outlook, column = self._outlook, Column(max(index.column(), 0))
        if outlook is None or not index.isValid():
            return None
        if role == _Role.TextAlignmentRole:
            return _RIGHT if column >= Column.ENTITLED else None
        if index.row() >= len(self._rows):
            return self._sum(outlook, column, role)
        row = self._rows[index.row()]
        if role == NODE_ROLE:
            return int(outlook.flat.ids[row])
        if column is Column.GROUP:
            return self._group(outlook, row, role)
        if column is Column.DEMAND:
            demand = outlook.demand(row)
            return demand_text(demand) if role in (_Role.DisplayRole, _Role.EditRole) else None
        return self._figure(outlook, row, column, role)

    def setData(self, index: _Index, value: Any, role: int = _Role.EditRole) -> bool:
        """Take a demand: a fraction, inf for saturated."""
        if role != _Role.EditRole or not index.isValid() or index.column() != Column.DEMAND:
            return False
        self._what_if.set_demand(int(self.data(index, NODE_ROLE)), float(value))
        return True

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        """Titles, and what they mean."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        if role == _Role.DisplayRole:
            return TITLES[section]
        if role == _Role.ToolTipRole:
            return TIPS.get(Column(section))
        return _RIGHT if role == _Role.TextAlignmentRole and section >= Column.ENTITLED else None

    # -- cells --------------------------------------------------------------------------------------------

    def _group(self, outlook: Outlook, row: int, role: int) -> Any:
        node = int(outlook.flat.ids[row])
        if role == _Role.DisplayRole:
            return outlook.tree.node(node).name
        if role == _Role.ToolTipRole:
            return outlook.tree.path(node)
        if role == _Role.DecorationRole:
            return marks.chip(self._session.curves.style(node).colour_token)
        return None

    def _figure(self, outlook: Outlook, row: int, column: Column, role: int) -> Any:
        value = _value(outlook, row, column)
        is_known = not np.isnan(value)
        if role == _Role.DisplayRole:
            return _text(value, column)
        if role == _Role.ToolTipRole and is_known:
            return f"{numbers.full(100 * value)} %"
        is_off = column is Column.DIFFERENCE and is_known and outlook.result.wants_more(row)
        if role == _Role.ForegroundRole and is_off and abs(value) > _POINT:
            return colour("warn")
        if role == _Role.FontRole and column is Column.WHAT_IF and outlook.result.wants_more(row):
            return fonts.tabular_font(semibold=True)
        return None

    def _sum(self, outlook: Outlook, column: Column, role: int) -> Any:
        if role == _Role.ForegroundRole:
            return colour("muted")
        if role == _Role.BackgroundRole:
            return colour("alt")
        if role != _Role.DisplayRole or column in (Column.DEMAND, Column.DIFFERENCE):
            return None
        if column is Column.GROUP:
            return "Total, %"
        values = np.array([_value(outlook, row, column) for row in self._rows])
        whole = float("nan") if np.all(np.isnan(values)) else float(np.nansum(values))
        return numbers.percent(whole, _SUM_DIGITS, unit=False)


def _value(outlook: Outlook, row: int, column: Column) -> float:
    if column is Column.DIFFERENCE:
        return outlook.difference(row)
    result = outlook.result
    columns = {
        Column.ENTITLED: result.entitled,
        Column.WHAT_IF: result.what_if,
        Column.MEASURED: outlook.measured,
    }
    return float(columns[column][row])


def _text(value: float, column: Column) -> str:
    """Reports have two digits; a difference cannot have more."""
    if column is Column.DIFFERENCE:
        return "" if abs(value) < _POINT else numbers.points(value)
    digits = 2 if column is Column.MEASURED else _DIGITS
    return numbers.percent(value, digits, unit=False)
