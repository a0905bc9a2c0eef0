"""The study's table for a view: chips of policies, best values in semibold, heat by column."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QColor

from fsconsole.app.study.rows import MEASURED, StudyRow, study_rows
from fsconsole.console.style import marks
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.figures.study_numbers import Spread, StudyNumbers, without_common_beginning
from fsconsole.text.numbers import fixed, full

_Role = Qt.ItemDataRole
_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
SortRole = int(_Role.UserRole) + 1
RowRole = int(_Role.UserRole) + 2
FilterRole = int(_Role.UserRole) + 3
POLICY, WORKLOAD, FIRST = range(3)
NAMES = ("policy", "workload", *(column.name for column in MEASURED))
_HOTTEST = 0.34
_LONG = "no expected usage", "no expected"  # and what it becomes where there is little room
_LAST = float("inf")  # what is unknown stands behind all that is known


class StudyTableModel(QAbstractTableModel):
    """A row for each policy on each workload that is done."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[StudyRow, ...] = ()
        self._numbers: StudyNumbers | None = None
        self._workload = ""
        self._is_heated = False
        self._is_brief = False
        theme().changed.connect(self._repaint)

    def show_numbers(self, numbers: StudyNumbers | None, workload: str = "") -> None:
        """Show a study's results on a workload, or on all; rows that are there already stay."""
        before = [(row.workload, row.policy) for row in self.rows]
        found = study_rows(numbers) if numbers is not None else ()
        wanted = tuple(row for row in found if not workload or row.workload == workload)
        self._numbers, self._workload = numbers, workload
        if [(row.workload, row.policy) for row in wanted] == before:
            self.rows = wanted
            self._repaint()
            return
        self.beginResetModel()
        self.rows = wanted
        self.endResetModel()

    def set_heated(self, is_heated: bool) -> None:
        """Tint each value by how near it is to the worst of its column."""
        self._is_heated = is_heated
        self._repaint()

    def set_brief(self, is_brief: bool) -> None:
        """Leave out of long names of policies what goes without saying; tooltips have them whole."""
        if is_brief != self._is_brief:
            self._is_brief = is_brief
            self._repaint()

    def place_of(self, workload: str, policy: str) -> int:
        """The row of a policy on a workload; -1 where there is none."""
        keys = [(row.workload, row.policy) for row in self.rows]
        return keys.index((workload, policy)) if (workload, policy) in keys else -1

    def _repaint(self) -> None:
        if self.rows:
            last = self.index(len(self.rows) - 1, len(NAMES) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def _of_policy(self, row: StudyRow, role: int) -> Any:
        match role:
            case _Role.DisplayRole:
                return row.policy.replace(*_LONG) if self._is_brief else row.policy
            case _Role.DecorationRole if self._numbers is not None:
                return marks.curve_sample(self._numbers.styles[row.policy])
            case _Role.ToolTipRole:
                return f"{row.policy}: means over {row.seeds} seeds" if row.seeds > 1 else row.policy
        full_name = {SortRole: row.policy, CopyRole: row.policy, FilterRole: f"{row.policy} {row.workload}"}
        return full_name.get(role)

    def _of_workload(self, workload: str, role: int) -> Any:
        if self._numbers is None:
            return None
        place = self._numbers.workloads.index(workload)
        if role == _Role.DisplayRole:
            return without_common_beginning(self._numbers.workloads)[place]
        full_name = {_Role.ToolTipRole: workload, CopyRole: workload}
        return place if role == SortRole else full_name.get(role)

    def _of_value(self, row: StudyRow, place: int, role: int) -> Any:
        column, value = MEASURED[place], row.values[place]
        match role:
            case _Role.DisplayRole:
                return fixed(value.mean * column.scale, column.digits)
            case _Role.TextAlignmentRole:
                return _RIGHT
            case _Role.FontRole if place in row.best:
                return tabular_font(semibold=True)
            case _Role.BackgroundRole if self._is_heated:
                return _heat(row.heat[place])
            case _Role.ToolTipRole:
                return _tip(value, column.scale, is_best=place in row.best)
            case _Role.AccessibleTextRole:
                best = ", best" if place in row.best else ""
                return f"{fixed(value.mean * column.scale, column.digits)}{best}"
        if role == CopyRole:
            return full(value.mean * column.scale) if value.is_known else ""
        return (value.mean if value.is_known else _LAST) if role == SortRole else None

    # -- Qt -----------------------------------------------------------------------------------------------

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(NAMES)

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == RowRole:
            return row
        if index.column() == POLICY:
            return self._of_policy(row, role)
        if index.column() == WORKLOAD:
            return self._of_workload(row.workload, role)
        return self._of_value(row, index.column() - FIRST, role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(NAMES):
            return None
        if role == _Role.TextAlignmentRole and section >= FIRST:
            return _RIGHT
        if section < FIRST:
            return ("Policy", "Workload")[section] if role == _Role.DisplayRole else None
        column = MEASURED[section - FIRST]
        return {_Role.DisplayRole: column.title, _Role.ToolTipRole: column.about}.get(_Role(role))


def _heat(part: float | None) -> QBrush | None:
    if part is None:
        return None
    tint = QColor(colour("c2"))
    tint.setAlphaF(_HOTTEST * part)
    return QBrush(tint)


def _tip(value: Spread, scale: float, *, is_best: bool) -> str | None:
    if not value.is_known:
        return None
    words = [full(value.mean * scale)]
    if value.seeds > 1:
        words.append(f"{full(value.low * scale)} to {full(value.high * scale)} over {value.seeds} seeds")
    if is_best:
        words.append("best of the policies on this workload")
    return ", ".join(words)
