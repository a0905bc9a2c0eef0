"""The table of jobs: selection, place and order stay while the cluster is read again and again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from fsconsole.console.operate.jobs.job_columns import Bools, Field, Ints, JobColumns
from fsconsole.console.operate.jobs.jobs_model import COLUMN, FIELDS, JobsModel
from fsconsole.console.preferences import Preferences
from fsconsole.console.widgets.copying import copy_by_keys
from fsconsole.console.widgets.elided import NamesDelegate
from fsconsole.console.widgets.table_columns import TableColumns

_ROW = 24
_WIDTHS = {
    Field.JOB: 72,
    Field.STATE: 116,
    Field.USER: 76,
    Field.ACCOUNT: 78,
    Field.NAME: 102,
    Field.PARTITION: 80,
    Field.QOS: 64,
    Field.NODES: 80,
    Field.CPUS: 48,
    Field.ELAPSED: 70,
    Field.LEFT: 72,
    Field.LIMIT: 78,
    Field.PRIORITY: 66,
    Field.FAIRSHARE: 72,
    Field.SUBMITTED: 80,
    Field.START: 68,
    Field.REASON: 90,
}
_NAMES = (Field.USER, Field.ACCOUNT, Field.NAME, Field.PARTITION, Field.QOS, Field.NODES)
_HIDDEN_AT_FIRST = (Field.QOS, Field.SUBMITTED)
_GO_WHERE_NARROW = (*_HIDDEN_AT_FIRST, Field.PRIORITY, Field.LIMIT, Field.START, Field.ACCOUNT)
_KEY = "cluster/jobs"
_Flag = QItemSelectionModel.SelectionFlag


class JobsTable(QTableView):
    """Jobs in rows.

    Signals: chosen() when a person has selected other jobs; unseen_changed() with other selected jobs, or
    none, among those that are not shown.
    """

    chosen = Signal()
    unseen_changed = Signal()

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.jobs = JobsModel(self)
        self.menu_of: Callable[[QPoint], None] = lambda _at: None
        self._is_restoring = False
        self._hidden: list[int] = []
        self.setModel(self.jobs)
        self._set_up()
        names = [field.value for field in FIELDS]
        if preferences.value(f"{_KEY}/hidden") is None:
            preferences.set_value(f"{_KEY}/hidden", [field.value for field in _HIDDEN_AT_FIRST])
        self.columns = TableColumns(self, preferences, _KEY, names)
        self.set_narrow(narrow=False)
        copy_by_keys(self)
        self.setItemDelegate(NamesDelegate([COLUMN[field] for field in _NAMES], self))
        self.selectionModel().selectionChanged.connect(self._tell)

    @property
    def selected_rows(self) -> Ints:
        """Rows that are selected, from the top, int64; `selectedRows` of Qt takes a second for thousands."""
        ranges = self.selectionModel().selection()
        runs = [np.arange(one.top(), one.bottom() + 1) for one in map(ranges.at, range(ranges.size()))]
        rows = np.unique(np.concatenate(runs)) if runs else np.zeros(0, np.int64)
        return rows[rows < self.jobs.rowCount()]

    @property
    def selected_ids(self) -> list[int]:
        """Numbers of the selected jobs, the current one first, then from the top, then those left out."""
        rows = [int(row) for row in self.selected_rows]
        current = self.currentIndex().row()
        if current in rows:
            rows.remove(current)
            rows.insert(0, current)
        ids = self.jobs.ids
        return [*(int(ids[row]) for row in rows), *self._hidden]

    @property
    def unseen_count(self) -> int:
        """How many selected jobs the filter leaves out."""
        return len(self._hidden)

    def select(self, job_ids: list[int]) -> None:
        """Select jobs, those that are shown; the first one comes into sight."""
        self._set_hidden([])
        self._restore(np.array(job_ids, np.int64), job_ids[0] if job_ids else -1)
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())
        self.chosen.emit()

    def show_jobs(self, columns: JobColumns | None, shown: Bools | None) -> None:
        """Show these, or those chosen; what was selected stays so, even unseen, what was at the top stays."""
        ids = self.jobs.ids
        selected = np.array(self.selected_ids, np.int64)
        current = self.currentIndex().row()
        current_id = int(ids[current]) if 0 <= current < len(ids) else -1
        bar = self.verticalScrollBar()
        top, sideways = bar.value(), self.horizontalScrollBar().value()
        top_ids = ids[top : top + 50]
        self._is_restoring = True
        self.jobs.show(columns, shown)
        self._is_restoring = False
        if np.array_equal(ids, self.jobs.ids):
            return
        self._restore(selected, current_id)
        known = set(columns.ids.tolist()) if columns is not None else set()
        seen = set(self.jobs.ids[self.selected_rows].tolist())
        self._set_hidden([one for one in selected.tolist() if one in known and one not in seen])
        if top:
            bar.setValue(self._new_top(top, top_ids))
        self.horizontalScrollBar().setValue(sideways)
        if len(selected) != len(self.selected_ids):
            self.chosen.emit()

    def set_narrow(self, *, narrow: bool) -> None:
        """Columns that a narrow window has no room for hide, whatever was chosen."""
        self.columns.squeeze(COLUMN[field] for field in (_GO_WHERE_NARROW if narrow else ()))

    # -- inside ---------------------------------------------------------------------------------------------

    def _set_hidden(self, job_ids: list[int]) -> None:
        if job_ids != self._hidden:
            self._hidden = job_ids
            self.unseen_changed.emit()

    def _new_top(self, top: int, before: Ints) -> int:
        """Where the first of the jobs that stood at the top and are still shown stands now."""
        ids = self.jobs.ids
        places = {int(one): row for row, one in enumerate(ids)}
        return next((places[int(one)] for one in before if int(one) in places), min(top, len(ids)))

    def _restore(self, job_ids: Ints, current_id: int) -> None:
        rows = self.jobs.rows_of(job_ids)
        last = len(FIELDS) - 1
        chosen = QItemSelection()
        if len(rows):
            for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
                chosen.select(self.jobs.index(int(run[0]), 0), self.jobs.index(int(run[-1]), last))
        self._is_restoring = True
        model = self.selectionModel()
        model.blockSignals(True)  # Qt would compute the region of each of a thousand ranges
        model.select(chosen, _Flag.ClearAndSelect)
        model.blockSignals(False)
        self.viewport().update()
        places = self.jobs.rows_of(np.array([current_id], np.int64))
        if len(places):
            model.setCurrentIndex(self.jobs.index(int(places[0]), 0), _Flag.NoUpdate)
        self._is_restoring = False

    @Slot()
    def _tell(self) -> None:
        if not self._is_restoring:
            self._set_hidden([])  # a person has selected others
            self.chosen.emit()

    def _set_up(self) -> None:
        self.setAccessibleName("Jobs")
        self.setFrameShape(self.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        rows = self.verticalHeader()
        rows.hide()
        rows.setDefaultSectionSize(_ROW)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for field, width in _WIDTHS.items():
            header.resizeSection(COLUMN[field], width)
        header.setSortIndicator(COLUMN[Field.JOB], Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_of(event.globalPos())
