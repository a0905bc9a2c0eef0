"""The table of planned jobs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from fsconsole.app.forecast.jobs import MOST_JOBS, Job, JobColumn, next_job

_Role = Qt.ItemDataRole
_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class JobsModel(QAbstractTableModel):
    """Jobs by row: their number, then the columns given. Signals: changed() when a job was, or how many."""

    changed = Signal()

    def __init__(self, columns: Sequence[JobColumn], length_s: float, parent: QObject | None = None) -> None:
        """`length_s` is how long a job is that was just added."""
        super().__init__(parent)
        self._columns, self._length_s = tuple(columns), length_s
        self._jobs: list[Job] = []

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs, in the order of the rows."""
        return tuple(self._jobs)

    def show_jobs(self, jobs: Iterable[Job]) -> None:
        """Show other jobs; nothing is told."""
        self.beginResetModel()
        self._jobs = list(jobs)
        self.endResetModel()

    def add_job(self) -> int:
        """Add a job after the last one; its row, -1 where there are too many."""
        row = len(self._jobs)
        if row >= MOST_JOBS:
            return -1
        self.beginInsertRows(_NOWHERE, row, row)
        self._jobs.append(next_job(self._jobs, self._length_s))
        self.endInsertRows()
        self.changed.emit()
        return row

    def remove_jobs(self, rows: Iterable[int]) -> None:
        """Take jobs out."""
        for row in sorted(set(rows), reverse=True):
            self.beginRemoveRows(_NOWHERE, row, row)
            del self._jobs[row]
            self.endRemoveRows()
        self.changed.emit()

    def typed(self, index: _Index, text: str) -> Job:
        """The job with a text in one of its cells; ValueError says what would be right."""
        return self._columns[index.column() - 1].typed(self._jobs[index.row()], text)

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._jobs)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._columns) + 1

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> object:
        if role == _Role.TextAlignmentRole:
            return _RIGHT
        if role not in (_Role.DisplayRole, _Role.EditRole):
            return None
        if index.column() == 0:
            return str(index.row() + 1)
        return self._columns[index.column() - 1].words(self._jobs[index.row()])

    def setData(self, index: _Index, value: object, role: int = _Role.EditRole) -> bool:
        if role != _Role.EditRole or index.column() == 0:
            return False
        try:
            job = self.typed(index, str(value))
        except ValueError:
            return False
        if job != self._jobs[index.row()]:
            self._jobs[index.row()] = job
            self.dataChanged.emit(self.index(index.row(), 0), self.index(index.row(), len(self._columns)))
            self.changed.emit()
        return True

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == _Role.TextAlignmentRole:
            return _RIGHT
        if role == _Role.DisplayRole:
            return self._columns[section - 1].title if section else "#"
        if role == _Role.ToolTipRole:
            return self._columns[section - 1].about if section else "Number of the job"
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        plain = super().flags(index)
        return plain | Qt.ItemFlag.ItemIsEditable if index.column() else plain
