"""The factors of two increments beside each other, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.console.look import fonts
from fsconsole.console.look.theme import colour
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.machine.insight import Explanation, Factor, FactorLine, Side, factor_lines
from fsconsole.text import numbers

_Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
_Role = Qt.ItemDataRole
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True, slots=True)
class FactorRow:
    """A line: its name, the values of both sides as text and in full, a remark, and whose it is."""

    label: str
    texts: tuple[str, ...]
    fulls: tuple[str, ...]
    note: str = ""
    source: str = ""
    is_factor: bool = False
    is_result: bool = False


def factor_rows(found: Explanation) -> list[FactorRow]:
    """Components, factors (marked by a multiplication sign), the increment, nice value and priority."""
    sides = found.sides
    rows = [_row(line, sides) for line in factor_lines(sides)]
    increments = [side.increment for side in sides]
    rows.append(_plain("= increment", increments, numbers.si, "priority points a tick", is_result=True))
    rows.append(_plain("nice value", [side.nice for side in sides], str))
    halves = [side.priority_half_life_s for side in sides]
    rows.append(_plain("priority half-life", halves, lambda value: f"{numbers.fixed(value, 2)} s"))
    priorities = [side.priority for side in sides]
    note = "of the process that runs next; the lowest priority runs"
    rows.append(_plain("priority now", priorities, numbers.si, note))
    return rows


def _row(line: FactorLine, sides: Sequence[Side]) -> FactorRow:
    beside = zip(sides, line.own, strict=True)
    return FactorRow(
        f"× {line.label}" if line.multiplies else line.label,
        tuple(_text(item) for item in line.own),
        tuple("" if item is None else numbers.full(item.value) for item in line.own),
        "; ".join(f"{side.name} {item.note}" for side, item in beside if item is not None and item.note),
        line.source,
        line.multiplies,
    )


def _text(factor: Factor | None) -> str:
    if factor is None:
        return ""
    if factor.is_part:
        return numbers.percent(factor.value, numbers.PERCENT_OF_MACHINE_DIGITS)
    return numbers.si(factor.value)


def _plain(
    label: str, values: list[Any], write: Any, note: str = "", *, is_result: bool = False
) -> FactorRow:
    texts = tuple(numbers.UNKNOWN if value is None else str(write(value)) for value in values)
    fulls = tuple("" if value is None else numbers.full(value) for value in values)
    return FactorRow(label, texts, fulls, note, is_result=is_result)


class FactorModel(QAbstractTableModel):
    """Factor, one column for each side, and a note."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: list[FactorRow] = []
        self._names: tuple[str, ...] = ()

    def show_explanation(self, found: Explanation | None) -> None:
        """Show another explanation."""
        rows = [] if found is None else factor_rows(found)
        names = () if found is None else tuple(side.name for side in found.sides)
        if names == self._names and len(rows) == len(self._rows) and rows:
            self._rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, self.columnCount() - 1))
            return
        self.beginResetModel()
        self._rows, self._names = rows, names
        self.endResetModel()

    @property
    def rows(self) -> list[FactorRow]:
        """The lines shown."""
        return list(self._rows)

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:
        """Lines."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:
        """Name, sides, note."""
        return 0 if parent.isValid() else 2 + len(self._names)

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """What a cell shows."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, side = self._rows[index.row()], index.column() - 1
        is_value = 0 <= side < len(self._names)
        if role == _Role.DisplayRole:
            return row.label if side < 0 else row.texts[side] if is_value else row.note
        if role == CopyRole and is_value:
            return row.fulls[side]
        if role == _Role.ToolTipRole:
            told = (row.fulls[side] if is_value else "", row.note, row.source)
            return "\n".join(part for part in told if part) or None
        if role == _Role.ForegroundRole:
            return None if row.is_factor or row.is_result else colour("muted")
        if role == _Role.FontRole and row.is_result:
            return fonts.tabular_font(semibold=True)
        return _RIGHT if role == _Role.TextAlignmentRole and is_value else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        """Factor, the users' names, note."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == _Role.DisplayRole:
            return ("Factor", *self._names, "Note")[section]
        is_value = 0 < section <= len(self._names)
        return _RIGHT if role == _Role.TextAlignmentRole and is_value else None
