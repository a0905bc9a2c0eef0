"""The table of jobs: selection, place and order stay while the cluster is read again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from fsconsole.app.jobs.columns import Field, Ints
from fsconsole.console.kit.tables import Table
from fsconsole.console.operate.jobs.jobs_rows import COLUMN, FIELDS, JobRow, JobsModel
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.sizes import scaled
from fsconsole.slurm.job_labels import JobIndex

_HIDDEN_AT_FIRST = (Field.QOS, Field.SUBMITTED, Field.DEPENDS, Field.RESERVATION)
# Columns to hide, in this order, while the reason has less room than this.
_REASON_PX = 250
_GO = (
    *_HIDDEN_AT_FIRST, Field.START, Field.LIMIT, Field.NAME, Field.ACCOUNT, Field.ELAPSED, Field.FAIRSHARE,
    Field.NODES, Field.PARTITION, Field.LEFT, Field.CPUS,
)  # fmt: skip
_KEY = "cluster/jobs"
_Flag = QItemSelectionModel.SelectionFlag
# Width of the arrow in the first cell of an array's row, where a click shows or hides its tasks.
_ARROW_PX = 22


@dataclass(frozen=True, eq=False, slots=True)
class _Sight:
    """What was selected and seen before other jobs came, by their numbers."""

    selected: list[int] = field(default_factory=list)
    current: int = -1
    top: int = 0
    top_ids: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    sideways: int = 0


class JobsTable(Table[JobRow]):
    """Jobs in rows.

    Signals: chosen() when a person has selected other jobs; unseen_changed() with other selected jobs, or
    none, among those that are not shown.
    """

    chosen = Signal()
    unseen_changed = Signal()

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        if preferences.value(f"{_KEY}/hidden") is None:
            preferences.set_value(f"{_KEY}/hidden", list(map(str, _HIDDEN_AT_FIRST)))
        self.jobs = JobsModel()
        super().__init__(self.jobs, "Jobs", parent, preferences, _KEY)
        self.menu_of: Callable[[QPoint], None] = lambda _at: None
        self._is_restoring = False
        self._hidden: list[int] = []
        self._before = _Sight()
        self.setSelectionMode(self.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(self.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollMode(self.ScrollMode.ScrollPerPixel)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setSortIndicator(COLUMN[Field.JOB], Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    @property
    def selected_ids(self) -> list[int]:
        """Numbers of the selected rows, the current one first, then from the top, then those left out."""
        rows = self.selected_rows
        is_current = rows == self.currentIndex().row()
        return [*self.jobs.ids[np.concatenate([rows[is_current], rows[~is_current]])].tolist(), *self._hidden]

    @property
    def selected_jobs(self) -> list[int]:
        """Numbers of the selected jobs; of an array all that is left of it."""
        return self.jobs.jobs_of(self.selected_ids)

    @property
    def unseen_count(self) -> int:
        """How many selected jobs the filter leaves out."""
        return len(self._hidden)

    def select(self, keys: Iterable[int]) -> None:
        """Select jobs that are shown, and scroll to the first one."""
        job_ids = list(keys)
        for array in {self.jobs.array_of(one) for one in job_ids} - {0}:
            self.jobs.open_array(array, is_open=True)
        self._set_hidden([])
        self._restore(np.array(job_ids, np.int64), job_ids[0] if job_ids else -1)
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())
        self.chosen.emit()

    def select_label(self, label: str) -> bool:
        """Select the job or the array that a label means; whether it is shown now."""
        reading = self.jobs.reading
        if reading is None:
            return False
        if label.isdigit() and np.any(reading.arrays == int(label)):
            self._set_hidden([])
            self._restore(np.array([-int(label)], np.int64), -int(label))
            self.scrollTo(self.currentIndex())
            self.chosen.emit()
        else:
            self.select(job.job_id for job in JobIndex(reading.jobs).find(label))
        return bool(len(self.selected_rows))

    def open_array(self, array: int, *, is_open: bool) -> None:
        """Show the tasks of an array, or its row alone, which is selected then if one of them was."""
        inside = not is_open and any(self.jobs.array_of(one) == array for one in self.selected_ids)
        self.jobs.open_array(array, is_open=is_open)
        if inside:
            self._set_hidden([])
            self._restore(np.array([-array], np.int64), -array)
            self.chosen.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    # -- inside ---------------------------------------------------------------------------------------------

    def _set_hidden(self, job_ids: list[int]) -> None:
        if job_ids != self._hidden:
            self._hidden = job_ids
            self.unseen_changed.emit()

    def _make_room(self) -> None:
        """Hide the less needed columns where the reason would be cut."""
        if self.columns is None:
            return
        hidden = self.columns.hidden()
        px = {
            key: self.columnWidth(at) or scaled(self.jobs.columns[at].width)
            for key, at in COLUMN.items()
            if at not in hidden and key is not Field.REASON
        }
        gone = []
        for key in (one for one in _GO if one in px and COLUMN[Field.REASON] not in hidden):
            if sum(px.values()) + scaled(_REASON_PX) <= self.viewport().width():
                break
            gone.append(key)
            del px[key]
        self.squeeze(gone)

    @Slot()
    def _keep_selection(self) -> None:
        ids, row, top = self.jobs.ids, self.currentIndex().row(), self.verticalScrollBar().value()
        current = int(ids[row]) if 0 <= row < len(ids) else -1
        sideways = self.horizontalScrollBar().value()
        self._before = _Sight(self.selected_ids, current, top, ids[top : top + 50], sideways)
        self._is_restoring = True

    @Slot()
    def _restore_selection(self) -> None:
        """Select what was selected, even unseen, and show at the top what stood there."""
        before, reading = self._before, self.jobs.reading
        self._restore(np.array(before.selected, np.int64), before.current)
        known = {*reading.ids.tolist(), *(-reading.arrays).tolist()} if reading is not None else set()
        seen = set(self.jobs.ids[self.selected_rows].tolist())
        self._set_hidden([one for one in before.selected if one in known and one not in seen])
        if before.top:
            self.verticalScrollBar().setValue(self._new_top(before.top, before.top_ids))
        self.horizontalScrollBar().setValue(before.sideways)
        if len(before.selected) != len(self.selected_ids):
            self.chosen.emit()

    def _new_top(self, top: int, before: Ints) -> int:
        """Return the new place of the first of the former top jobs that is still shown."""
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
        with QSignalBlocker(model):  # Otherwise Qt computes the region of each of a thousand ranges.
            model.select(chosen, _Flag.ClearAndSelect)
        self.viewport().update()
        places = self.jobs.rows_of(np.array([current_id], np.int64))
        if len(places):
            model.setCurrentIndex(self.jobs.index(int(places[0]), 0), _Flag.NoUpdate)
        self._is_restoring = False

    @Slot()
    def _on_selection_changed(self) -> None:
        if not self._is_restoring:
            self._set_hidden([])  # The user has selected other rows.
            self.chosen.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        array = self._array_at(index.row()) if index.isValid() and index.column() == COLUMN[Field.JOB] else 0
        x = event.position().x() - self.visualRect(index).left()
        if array and x < _ARROW_PX and event.button() is Qt.MouseButton.LeftButton:
            self.open_array(array, is_open=not self.jobs.is_open(array))
        else:
            super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        array = self._array_at(self.indexAt(event.position().toPoint()).row())
        if array:
            self.open_array(array, is_open=not self.jobs.is_open(array))
        else:
            super().mouseDoubleClickEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show the tasks of an array with Right and hide them with Left, as in a tree."""
        row, key = self.currentIndex().row(), event.key()
        array = self._array_at(row)
        below = 0
        if 0 <= row < len(self.jobs.ids) and not array:
            below = self.jobs.array_of(int(self.jobs.ids[row]))
        if key == Qt.Key.Key_Right and array and not self.jobs.is_open(array):
            self.open_array(array, is_open=True)
        elif key == Qt.Key.Key_Left and (array or below) and self.jobs.is_open(array or below):
            self.open_array(array or below, is_open=False)
        else:
            super().keyPressEvent(event)

    def _array_at(self, row: int) -> int:
        """Return the array of a row; 0 for none."""
        ids = self.jobs.ids
        return max(-int(ids[row]), 0) if 0 <= row < len(ids) else 0

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_of(event.globalPos())
