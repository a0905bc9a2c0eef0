"""Nodes x variants: CPU over a range, and the differences against the first."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import marks
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.experiments.comparing import LETTERS, ComparedNode
from fsconsole.text.numbers import fixed, full, points

_Role = Qt.ItemDataRole
_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MINUS = "\N{MINUS SIGN}"
SortRole = int(_Role.UserRole) + 1
NodeRole = int(_Role.UserRole) + 2


class DifferencesModel(QAbstractTableModel):
    """A row per node in the order of the tree; percent of the CPU, and points against A."""

    def __init__(self, session: ConsoleSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._rows: tuple[ComparedNode, ...] = ()
        self._variants = 0
        self._names: tuple[str, ...] = ()

    def show_rows(self, rows: tuple[ComparedNode, ...], names: tuple[str, ...]) -> None:
        """Show other rows; `names` are those of the variants."""
        self.beginResetModel()
        self._rows, self._names, self._variants = rows, names, len(names)
        self.endResetModel()

    def _value(self, row: ComparedNode, column: int) -> float:
        """Fraction of the CPU, or a difference of fractions."""
        if column <= self._variants:
            return row.cpu[column - 1]
        return row.differences()[column - self._variants - 1]

    def _text(self, row: ComparedNode, column: int) -> str:
        value = self._value(row, column)
        return fixed(100 * value, 1) if column <= self._variants else points(value, 1)

    def _of_name(self, row: ComparedNode, place: int, role: int) -> Any:
        depth, name = max(0, row.path.count("/") - 1), row.path.rpartition("/")[2]
        match role:
            case _Role.DisplayRole:
                return "  " * depth + name
            case _Role.AccessibleTextRole | _Role.ToolTipRole:
                return row.path
            case _Role.DecorationRole:
                return marks.chip(self._session.curves.style(row.node).colour_token)
        return {CopyRole: row.path, SortRole: place}.get(role)

    def _of_value(self, row: ComparedNode, column: int, role: int) -> Any:
        if role == _Role.DisplayRole:
            return self._text(row, column)
        if role == _Role.TextAlignmentRole:
            return _RIGHT
        if role == SortRole:
            return self._value(row, column)
        return full(100 * self._value(row, column)) if role == CopyRole else None

    # -- Qt -----------------------------------------------------------------------------------------------

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else max(1, 2 * self._variants)

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == NodeRole:
            return row.node
        if index.column() == 0:
            return self._of_name(row, index.row(), role)
        return self._of_value(row, index.column(), role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == _Role.TextAlignmentRole and section:
            return _RIGHT
        if role not in (_Role.DisplayRole, _Role.ToolTipRole):
            return None
        if section == 0:
            return "Node" if role == _Role.DisplayRole else "In the order of the tree"
        return self._header(section, is_tip=role == _Role.ToolTipRole)

    def _header(self, section: int, *, is_tip: bool) -> str:
        if section <= self._variants:
            letter, name = LETTERS[section - 1], self._names[section - 1]
            return f"CPU with variant {letter}, {name}, in %" if is_tip else letter
        letter, first = LETTERS[section - self._variants], self._names[0]
        if not is_tip:
            return f"{letter} {_MINUS} A"
        return f"CPU with variant {letter} less that with variant A, {first}, in points"
