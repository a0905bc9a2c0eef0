"""Rows of a frame for a view, however many: what is in sight is asked for, columns are sorted whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QHeaderView, QTreeView, QWidget

from fsconsole.console.widgets.copying import CopyRole, copy_by_keys
from fsconsole.text.durations import duration
from fsconsole.text.numbers import UNKNOWN, fixed, full, signed

_Role = Qt.ItemDataRole
_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ASCENDING = Qt.SortOrder.AscendingOrder


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column: its name in the frame, its title with the unit, how a value is written, what it says.

    `sorted_by` names another column to sort by; `width` is in px.
    """

    name: str
    title: str
    words: Callable[[Any], str] = str
    about: str = ""
    is_number: bool = True
    sorted_by: str = ""
    width: int = 80
    tip_of: str = ""


class ColumnsModel(QAbstractTableModel):
    """Rows of a frame in an order, all or those chosen."""

    def __init__(self, columns: Sequence[ShownColumn], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._frame = pl.DataFrame()
        self._chosen: np.ndarray[Any, np.dtype[np.bool_]] | None = None
        self._rows = np.zeros(0, dtype=np.int64)
        self._sorted: tuple[int, Qt.SortOrder] = (-1, _ASCENDING)

    @property
    def frame(self) -> pl.DataFrame:
        """All rows, in their own order."""
        return self._frame

    def show_frame(
        self, frame: pl.DataFrame, chosen: np.ndarray[Any, np.dtype[np.bool_]] | None = None
    ) -> None:
        """Show other rows, or those `chosen` alone, bool [rows]."""
        self.beginResetModel()
        self._frame, self._chosen = frame, chosen
        self._rows = self._order()
        self.endResetModel()

    def choose(self, chosen: np.ndarray[Any, np.dtype[np.bool_]] | None) -> None:
        """Show these rows alone, or all."""
        self.show_frame(self._frame, chosen)

    def source_row(self, row: int) -> int:
        """Where a row that is shown stands in the frame."""
        return int(self._rows[row])

    def place_of(self, name: str, value: object) -> int:
        """The row that is shown in which a column has a value; -1 where there is none."""
        if name not in self._frame.columns:
            return -1
        found = (self._frame[name] == value).to_numpy()[self._rows]
        places = np.flatnonzero(found)
        return int(places[0]) if len(places) else -1

    def value(self, row: int, name: str) -> Any:
        """What stands in a column of a row that is shown."""
        return self._frame[name][int(self._rows[row])]

    def _order(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        column, order = self._sorted
        if 0 <= column < len(self.columns) and len(self._frame):
            one = self.columns[column]
            by = self._frame[one.sorted_by or one.name]
            rows = by.arg_sort(descending=order is not _ASCENDING, nulls_last=True).to_numpy()
        else:
            rows = np.arange(len(self._frame))
        rows = rows.astype(np.int64)
        return rows if self._chosen is None else rows[self._chosen[rows]]

    # -- Qt -----------------------------------------------------------------------------------------------

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        column = self.columns[index.column()]
        if role == _Role.TextAlignmentRole:
            return _RIGHT if column.is_number else None
        if role in (_Role.DisplayRole, CopyRole):
            value = self.value(index.row(), column.name)
            if role == CopyRole:
                return _copied(value)
            return UNKNOWN if value is None else column.words(value)
        if role == _Role.ToolTipRole and column.tip_of:
            return self.value(index.row(), column.tip_of) or None
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == _Role.DisplayRole:
            return column.title
        if role == _Role.TextAlignmentRole and column.is_number:
            return _RIGHT
        return column.about or None if role == _Role.ToolTipRole else None

    def sort(self, column: int, order: Qt.SortOrder = _ASCENDING) -> None:
        """Sort by a column; unknown values stand last."""
        self._sorted = (column, order)
        self.layoutAboutToBeChanged.emit()
        before = self._rows
        self._rows = self._order()
        kept = self.persistentIndexList()
        if kept:
            place = np.full(len(self._frame), -1, dtype=np.int64)
            place[self._rows] = np.arange(len(self._rows))
            for index in kept:
                now = int(place[before[index.row()]])
                self.changePersistentIndex(index, self.index(now, index.column()))
        self.layoutChanged.emit()


def set_up_view(view: QTreeView, model: ColumnsModel, name: str, sort: int = -1) -> None:
    """How tables of the study's pages look; sorted by a column, the largest first, or not at all."""
    view.setModel(model)
    view.setAccessibleName(name)
    view.setRootIsDecorated(False)
    view.setUniformRowHeights(True)
    view.setAllColumnsShowFocus(True)
    view.setFrameShape(QTreeView.Shape.NoFrame)
    view.setSelectionMode(QTreeView.SelectionMode.ExtendedSelection)
    view.setHorizontalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
    header = view.header()
    header.setStretchLastSection(False)
    header.setMinimumSectionSize(40)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    for place, column in enumerate(model.columns):
        header.resizeSection(place, column.width)
    header.setSortIndicator(sort, Qt.SortOrder.DescendingOrder)
    view.setSortingEnabled(True)
    copy_by_keys(view)


def table(parent: QWidget, model: ColumnsModel, name: str, sort: int = -1) -> QTreeView:
    """A view of a model."""
    view = QTreeView(parent)
    set_up_view(view, model, name, sort)
    return view


def number(digits: int = 0) -> Callable[[Any], str]:
    """A number with so many digits."""
    return lambda value: fixed(value, digits)


def difference(digits: int = 0) -> Callable[[Any], str]:
    """A difference with its sign."""
    return lambda value: signed(value, digits)


def signed_length(value: float) -> str:
    """By how much something moved, h:mm:ss with its sign."""
    return f"+{duration(value)}" if value > 0 else duration(value)


def _copied(value: object) -> str:
    if value is None:
        return ""
    return full(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
