"""Tables of polars frames, declared by their columns: for the many rows of a trace.

Only what is in sight becomes text, and columns are sorted whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QTreeView, QWidget

from fsconsole.console.kit.tables import NO_INDEX, Column, ColumnsModel, FlatTree, Index
from fsconsole.text.numbers import UNKNOWN, full

FrameRow = dict[str, Any]
_ASCENDING = Qt.SortOrder.AscendingOrder
_LEAST_PX = 40


def frame_column(
    name: str,
    title: str,
    words: Callable[[Any], str] = str,
    about: str = "",
    *,
    width: int = 80,
    is_number: bool = True,
    tip_of: str = "",
) -> Column[FrameRow]:
    """Declare a column of a frame: its name there, its title with the unit, how a value is written.

    The tooltip of a cell is what the column `tip_of` has.
    """

    def text(row: FrameRow) -> str:
        value = row[name]
        return UNKNOWN if value is None else words(value)

    return Column(
        title, text, about, name, full=lambda row: _copied(row[name]), width=width, is_number=is_number,
        tip=lambda row: (row[tip_of] or None) if tip_of else None,
    )  # fmt: skip


class FrameModel(ColumnsModel[FrameRow]):
    """Rows of a frame in an order, all or those chosen."""

    def __init__(
        self,
        columns: Sequence[Column[FrameRow]],
        parent: QObject | None = None,
        *,
        sorted_by: Mapping[str, str] | None = None,
    ) -> None:
        """`sorted_by` names other columns of the frame that columns are sorted by."""
        super().__init__(columns, parent)
        self._sorted_by = dict(sorted_by or {})
        self._frame = pl.DataFrame()
        self._chosen: NDArray[np.bool_] | None = None
        self._rows = np.zeros(0, dtype=np.int64)
        self._sorted: tuple[int, Qt.SortOrder] = (-1, _ASCENDING)
        self._last: tuple[int, FrameRow] = (-1, {})

    @property
    def frame(self) -> pl.DataFrame:
        """All rows, in their own order."""
        return self._frame

    def show_frame(self, frame: pl.DataFrame, chosen: NDArray[np.bool_] | None = None) -> None:
        """Show other rows, or those `chosen` alone, bool [rows]."""
        self.beginResetModel()
        self._frame, self._chosen = frame, chosen
        self._set_order()
        self.endResetModel()

    def choose(self, chosen: NDArray[np.bool_] | None) -> None:
        """Show the chosen rows alone, bool [rows], or all for None."""
        self.show_frame(self._frame, chosen)

    def place_of(self, name: str, value: object) -> int:
        """Return the row that is shown in which a column has a value; -1 where there is none."""
        if name not in self._frame.columns:
            return -1
        found = (self._frame[name] == value).to_numpy()[self._rows]
        places = np.flatnonzero(found)
        return int(places[0]) if len(places) else -1

    def value(self, row: int, name: str) -> Any:
        """Return the value in a column of a displayed row."""
        return self._frame[name][int(self._rows[row])]

    def row_at(self, at: int) -> FrameRow | None:
        if not 0 <= at < len(self._rows):
            return None
        if at != self._last[0]:  # A view reads all cells of a row in sequence.
            self._last = (at, self._frame.row(int(self._rows[at]), named=True))
        return self._last[1]

    def _set_order(self) -> None:
        column, order = self._sorted
        if 0 <= column < len(self.columns) and len(self._frame):
            key = self.columns[column].key
            by = self._frame[self._sorted_by.get(key, key)]
            rows = by.arg_sort(descending=order is not _ASCENDING, nulls_last=True).to_numpy()
        else:
            rows = np.arange(len(self._frame))
        rows = rows.astype(np.int64)
        self._rows = rows if self._chosen is None else rows[self._chosen[rows]]
        self._last = (-1, {})

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def sort(self, column: int, order: Qt.SortOrder = _ASCENDING) -> None:
        # Unknown values come last.
        self._sorted = (column, order)
        self.layoutAboutToBeChanged.emit()
        before = self._rows
        self._set_order()
        kept = self.persistentIndexList()
        if kept:
            place = np.full(len(self._frame), -1, dtype=np.int64)
            place[self._rows] = np.arange(len(self._rows))
            for index in kept:
                now = int(place[before[index.row()]])
                self.changePersistentIndex(index, self.index(now, index.column()))
        self.layoutChanged.emit()


class FrameTable(FlatTree[FrameRow]):
    """Rows of a frame that are read, sorted, selected and copied.

    Signals: picked(row) when another row is the current one, by a person.
    """

    picked = Signal(int)

    def __init__(self, model: FrameModel, name: str, parent: QWidget, sorted_by: str = "") -> None:
        """`sorted_by` is the column that it is sorted by at first, the largest on top."""
        super().__init__(model, name, parent)
        self._model = model
        self._is_following = False
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setHorizontalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(_LEAST_PX)
        header.setSortIndicator(model.place(sorted_by) if sorted_by else -1, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        self.selectionModel().currentChanged.connect(self._on_current)

    def show_current(self, name: str, value: object) -> int:
        """Have the row with a value in a column as the current one, in sight; -1 where there is none."""
        place = self._model.place_of(name, value)
        if place >= 0 and place != self.currentIndex().row():
            index = self._model.index(place, 0)
            self._is_following = True
            self.setCurrentIndex(index)
            self._is_following = False
            self.scrollTo(index, QTreeView.ScrollHint.PositionAtCenter)
        return place

    @Slot(QModelIndex, QModelIndex)
    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and not self._is_following:
            self.picked.emit(current.row())


def _copied(value: object) -> str:
    if value is None:
        return ""
    return full(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
