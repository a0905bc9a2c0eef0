"""Planned jobs as a table that is edited in its cells, with buttons that add and remove."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from PySide6.QtCore import (
    QAbstractItemModel,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStyleOptionViewItem,
    QWidget,
)

from fsconsole.app.forecast.jobs import MOST_JOBS, Job, JobColumn, next_job
from fsconsole.console.kit.cell_delegate import CheckedDelegate
from fsconsole.console.kit.forms import FaultLabel, name_fault
from fsconsole.console.kit.tables import Column, Index, RowModel, Table
from fsconsole.console.style.sizes import row_px
from fsconsole.console.widgets.boxes import STRETCH, hbox, vbox
from fsconsole.console.widgets.copying import selected_cells

_NUMBER_PX = 30
_ROWS_SHOWN = 4
_Row = tuple[int, Job]  # Jobs are numbered from 1.


class JobsModel(RowModel[_Row]):
    """Jobs by row: their number, then the columns given. Signals: changed() when a job was, or how many."""

    changed = Signal()

    def __init__(self, columns: Sequence[JobColumn], length_s: float, parent: QObject | None = None) -> None:
        """Create the model; `length_s` is the initial length of an added job."""
        number: Column[_Row] = Column(
            "#", lambda row: str(row[0]), "Number of the job", tip=lambda _row: None, is_number=True
        )
        super().__init__((number, *map(_column, columns)), parent, key=lambda row: row[0])
        self.wide = next((place for place, column in enumerate(columns, 1) if column.is_wide), None)
        self._length_s = length_s
        self.edited.connect(self.changed)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs, in the order of the rows."""
        return tuple(job for _, job in self.rows)

    def show_jobs(self, jobs: Iterable[Job]) -> None:
        """Show other jobs, without a signal."""
        self.set_rows(tuple(enumerate(jobs, 1)))

    def add_job(self) -> int:
        """Add a job after the last one; its row, -1 where there are too many."""
        jobs = self.jobs
        if len(jobs) >= MOST_JOBS:
            return -1
        self.show_jobs((*jobs, next_job(jobs, self._length_s)))
        self.changed.emit()
        return len(jobs)

    def remove_jobs(self, rows: Iterable[int]) -> None:
        """Remove the jobs in some rows."""
        removed = set(rows)
        self.show_jobs(job for row, job in enumerate(self.jobs) if row not in removed)
        self.changed.emit()


def _column(column: JobColumn) -> Column[_Row]:
    return Column(
        column.title, lambda row: column.words(row[1]), column.about, tip=lambda row: row[1].requests or None,
        is_number=not column.is_wide,
        edit=lambda row, text: (row[0], column.typed(row[1], text)),
    )  # fmt: skip


class JobsTable(QWidget):
    """The table over its buttons; Ins adds a job, Del removes those selected."""

    def __init__(self, model: JobsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.view = _View(model, "Planned jobs", self)
        self.fault = FaultLabel(self)
        self.add, self.remove = QPushButton("Add job", self), QPushButton("Remove", self)
        self._set_up()
        self._build_ui()
        for key, act in ((Qt.Key.Key_Insert, self.add_job), (Qt.Key.Key_Delete, self.remove_jobs)):
            shortcut = QShortcut(QKeySequence(key), self.view)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(act)
        self.add.clicked.connect(self.add_job)
        self.remove.clicked.connect(self.remove_jobs)
        self.view.selectionModel().selectionChanged.connect(self._on_selection_changed)
        model.modelReset.connect(self._on_selection_changed)
        self._on_selection_changed()

    @Slot()
    def add_job(self) -> None:
        """Add a job behind the last one, ready to be edited."""
        row = self.model.add_job()
        if row >= 0:
            index = self.model.index(row, 1)
            self.view.setCurrentIndex(index)
            self.view.setFocus()
            self.view.edit(index)
        else:
            self.fault.say(f"A forecast can have at most {MOST_JOBS} jobs")

    @Slot()
    def remove_jobs(self) -> None:
        """Remove the jobs that have a cell selected."""
        rows = {row for _, some, _ in selected_cells(self.view) for row in some}
        if rows:
            self.fault.say("")
            self.model.remove_jobs(rows)
            self.view.setCurrentIndex(self.model.index(min(*rows, self.model.rowCount() - 1), 1))

    @Slot()
    def _on_selection_changed(self) -> None:
        self.remove.setEnabled(self.view.selectionModel().hasSelection())

    def _set_up(self) -> None:
        view = self.view
        view.setItemDelegate(CellDelegate(view, self.model, self.fault))
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        triggers = QAbstractItemView.EditTrigger
        view.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed)
        header = view.horizontalHeader()
        header.setStretchLastSection(False)  # All columns share the width.
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        if self.model.wide is not None:
            header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            header.setSectionResizeMode(self.model.wide, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(0, _NUMBER_PX)

    def _build_ui(self) -> None:
        self.add.setToolTip("Add a job after the last one (Ins)")
        self.remove.setToolTip("Remove the selected jobs (Del)")
        line = hbox(self.add, self.remove, STRETCH, margins=(12, 0, 12, 0), spacing=8)
        self.fault.setContentsMargins(12, 0, 12, 0)
        vbox((self.view, 1), self.fault, line, on=self, spacing=4)


class _View(Table[_Row]):
    """As high as four rows if there is room."""

    def sizeHint(self) -> QSize:
        return QSize(240, (_ROWS_SHOWN + 1) * row_px())

    def minimumSizeHint(self) -> QSize:
        rows = min(max(self.rows.rowCount(), 2), _ROWS_SHOWN)
        return QSize(180, (rows + 1) * row_px())


class CellDelegate(CheckedDelegate):
    """A cell of a job; what is wrong with it is shown below the table."""

    def __init__(self, view: _View, model: JobsModel, fault: FaultLabel) -> None:
        super().__init__(view)
        self._model, self._label = model, fault
        self._cell = QPersistentModelIndex()

    def check(self, text: str) -> None:
        """Check a text of the cell."""
        self._label.say("")
        self.judge(lambda: self._model.typed(self._cell, text))

    def show_fault(self) -> None:
        title = self._model.headerData(self._cell.column(), Qt.Orientation.Horizontal)
        self._label.say(name_fault(title, self._fault))

    def end(self) -> None:
        super().end()
        self._label.say("")

    def store(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Set what was typed in the model."""
        model.setData(index, cast("QLineEdit", editor).text())

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        title = self._model.headerData(index.column(), Qt.Orientation.Horizontal)
        editor.setAccessibleName(f"{title} of job {index.row() + 1}")
        if index.column() != self._model.wide:
            editor.setAlignment(Qt.AlignmentFlag.AlignRight)
        editor.textEdited.connect(self.check)
        self._cell = QPersistentModelIndex(index)
        self.begin(editor)
        return editor
