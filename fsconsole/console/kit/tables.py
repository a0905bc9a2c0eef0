"""Tables declared by their columns: one model of rows, and views for all of them.

A table is a tuple of `Column`s over whatever its rows are, a `RowModel` of them and a `Table`:

    COLUMNS = (
        Column("User", lambda job: job.user, width=90, is_name=True),
        Column("CPUs", lambda job: str(job.cpus), order=lambda job: job.cpus, is_number=True, width=60),
    )
    model = RowModel(COLUMNS, key=lambda job: job.id)
    table = Table(model, "Jobs", parent, preferences, "operate/jobs")
    model.set_rows(jobs)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    Qt,
    Slot,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QTreeView, QWidget

from fsconsole.console.kit.table_model import (
    NO_INDEX,
    ArrangedModel,
    Bar,
    Column,
    ColumnsModel,
    Index,
    Row,
    RowModel,
)
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.header_titles import WrappingHeader
from fsconsole.console.style.sizes import row_px, scaled
from fsconsole.console.widgets.copying import copy_by_keys, copy_rows, selected_cells, table_rows
from fsconsole.console.widgets.elided import NamesDelegate
from fsconsole.console.widgets.share_bar import ShareBarDelegate
from fsconsole.console.widgets.table_columns import TableColumns

Ints = NDArray[np.int64]
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_LEAST_ROW_PX = 16

__all__ = [
    "NO_INDEX", "ArrangedModel", "Bar", "Column", "ColumnsModel", "FlatTree", "Index", "RowModel", "Table",
]  # fmt: skip


class Table(QTableView, Generic[Row]):
    """Rows of a model to read, select and copy, with columns that the user chooses and orders."""

    def __init__(
        self,
        model: RowModel[Row],
        name: str,
        parent: QWidget | None = None,
        preferences: Preferences | None = None,
        key: str = "",
        *,
        sorts: bool = False,
        sorted_by: str = "",
    ) -> None:
        """`name` is for screen readers; with `preferences` columns are chosen, and remembered under `key`.

        Where it `sorts`, a click on a header does; `sorted_by` is the column that it is sorted by at first,
        the largest on top.
        """
        super().__init__(parent)
        self.rows = model
        self._kept: list[Hashable] = []
        self._filtered_out: list[Hashable] = []  # Selected rows that the filter hides.
        model.modelAboutToBeReset.connect(self._keep_selection)
        _set_up(self, model, name)
        self.setFrameShape(self.Shape.NoFrame)
        # Connected after the view's own slot, which clears the selection.
        model.modelReset.connect(self._restore_selection)
        self.selectionModel().selectionChanged.connect(self._forget_filtered_out)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        # Otherwise the header reads each cell of 100,000 selected rows for a highlight that it does not
        # draw.
        self.horizontalHeader().setSelectionModel(QItemSelectionModel(model, self))
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(_LEAST_ROW_PX)
        self.verticalHeader().setDefaultSectionSize(row_px())
        if sorts or sorted_by:
            first = model.place(sorted_by) if sorted_by else -1
            self.horizontalHeader().setSortIndicator(first, Qt.SortOrder.DescendingOrder)
            self.setSortingEnabled(True)
        self.columns = _chosen_columns(self, model, preferences, key)

    @property
    def selected_rows(self) -> Ints:
        """Rows that are selected, from the top, int64 [selected].

        Qt's `selectedRows` takes a second for thousands.
        """
        runs = [np.array(rows) for _, rows, _ in selected_cells(self)]
        if len(runs) == 1:
            rows = runs[0]
        else:
            rows = np.unique(np.concatenate(runs)) if runs else np.zeros(0, np.int64)
        return rows[rows < self.rows.rowCount()]

    def selected(self) -> list[Row]:
        """Return the selected rows, in the order shown."""
        rows = self.rows.rows
        return [rows[at] for at in self.selected_rows.tolist()]

    def select(self, keys: Iterable[Any]) -> None:
        """Select the rows with these keys, as far as they are shown."""
        flags, rows = QItemSelectionModel.SelectionFlag, self.rows.places_of(keys)
        chosen, last = QItemSelection(), len(self.rows.columns) - 1
        ordered = np.unique(np.array(rows, np.int64))
        for run in np.split(ordered, np.flatnonzero(np.diff(ordered) > 1) + 1) if rows else ():
            chosen.select(self.rows.index(int(run[0]), 0), self.rows.index(int(run[-1]), last))
        self.selectionModel().select(chosen, flags.ClearAndSelect)
        if rows:
            self.selectionModel().setCurrentIndex(self.rows.index(rows[-1], 0), flags.NoUpdate)

    @Slot()
    def _keep_selection(self) -> None:
        self._kept = [*map(self.rows.key, self.selected()), *self._filtered_out]

    @Slot()
    def _restore_selection(self) -> None:
        if not self._kept:
            return
        self.select(self._kept)
        if len(self.rows.given) == len(self.rows.rows):  # The filter does not hide rows.
            self._filtered_out = []
            return
        known, shown = set(map(self.rows.key, self.rows.given)), set(map(self.rows.key, self.selected()))
        self._filtered_out = [key for key in self._kept if key in known and key not in shown]

    @Slot()
    def _forget_filtered_out(self) -> None:
        self._filtered_out = []

    def squeeze(self, keys: Iterable[str]) -> None:
        """Hide columns for want of room, whatever was chosen; none of them: as chosen."""
        if self.columns is not None:
            self.columns.squeeze(map(self.rows.place, keys))

    def set_widths(self, widths: Mapping[str, int]) -> None:
        """Set widths of columns by name; the other columns keep those of their declaration."""
        for at, column in enumerate(self.rows.columns):
            if width := widths.get(column.key, column.width):
                self.horizontalHeader().resizeSection(at, scaled(width))

    def changeEvent(self, event: QEvent) -> None:
        # The user may have chosen another row height.
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.verticalHeader().setDefaultSectionSize(row_px())
            self.updateGeometry()


class FlatTree(QTreeView, Generic[Row]):
    """Rows of a model in a view where the first cell may span the others."""

    def __init__(
        self,
        model: ColumnsModel[Row],
        name: str,
        parent: QWidget | None,
        preferences: Preferences | None = None,
        key: str = "",
    ) -> None:
        """Create the view; arguments are as for a `Table`."""
        super().__init__(parent)
        self._columns = model
        _set_up(self, model, name)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.columns = _chosen_columns(self, model, preferences, key)
        self._names_px = 0
        self.header().sectionCountChanged.connect(self._fit_names)

    def fit_names(self, least_px: int) -> None:
        """Give the first column the width that others leave, but never less than so much at 100 %."""
        self._names_px = least_px
        self._fit_names()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_names()

    @Slot()
    def _fit_names(self) -> None:
        header = self.header()
        if self._names_px and header.count():
            rest = self.viewport().width() - (header.length() - header.sectionSize(0))
            header.resizeSection(0, max(scaled(self._names_px), rest))

    def selected(self) -> list[Row]:
        """Return the selected rows, in the order shown."""
        places = sorted({row for _, rows, _ in selected_cells(self) for row in rows})
        return [row for row in map(self._columns.row_at, places) if row is not None]

    def copy_all(self, titles: Sequence[str]) -> None:
        """Put the columns that show on the clipboard, as lines of tab-parted values; a title a column."""
        copy_rows(table_rows(self, titles))


def _chosen_columns(
    view: QTableView | QTreeView, model: ColumnsModel[Any], preferences: Preferences | None, key: str
) -> TableColumns | None:
    names = [column.key for column in model.columns]
    return TableColumns(view, preferences, key, names) if preferences is not None else None


def _set_up(view: QTableView | QTreeView, model: ColumnsModel[Any], name: str) -> None:
    """Give a view its model, and what follows from the columns: widths, bars, cut names."""
    header = WrappingHeader(view)
    if isinstance(view, QTreeView):
        view.setHeader(header)
    else:
        view.setHorizontalHeader(header)
    view.setModel(model)
    if model.parent() is None:
        model.setParent(view)
    view.setAccessibleName(name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    header.setHighlightSections(False)
    header.setDefaultAlignment(LEFT)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    header.setStretchLastSection(True)
    if names := [at for at, column in enumerate(model.columns) if column.is_name]:
        view.setItemDelegate(NamesDelegate(names, view))
    for at, column in enumerate(model.columns):
        if column.width:
            header.resizeSection(at, scaled(column.width))
        if column.bar is not None:
            delegate = ShareBarDelegate(view, column.bar.width, column.bar.widest)
            view.setItemDelegateForColumn(at, delegate)
        if column.stretches:
            header.setStretchLastSection(False)
            header.setSectionResizeMode(at, QHeaderView.ResizeMode.Stretch)
    copy_by_keys(view)
