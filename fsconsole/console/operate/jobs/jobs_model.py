"""The jobs of a cluster as a table: in an order, all or those that are looked for, however many there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.console.operate.jobs import moments
from fsconsole.console.operate.jobs.job_columns import Bools, Field, Ints, JobColumns
from fsconsole.console.operate.jobs.job_words import icon_of, reason_words, state_words
from fsconsole.console.style.icons import pixmap
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.slurm.jobs import Job
from fsconsole.text import numbers
from fsconsole.text.durations import day_duration

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_Role = Qt.ItemDataRole
FIELDS = tuple(Field)
COLUMN = {field: place for place, field in enumerate(FIELDS)}
_RIGHTS = frozenset((Field.CPUS, Field.ELAPSED, Field.LEFT, Field.LIMIT, Field.PRIORITY, Field.FAIRSHARE))
_QUIET = frozenset((Field.REASON, Field.SUBMITTED, Field.QOS))
_TITLES = {
    Field.CPUS: "CPUs",
    Field.LEFT: "Time left",
    Field.LIMIT: "Time limit",
    Field.QOS: "QOS",
}
_TIPS = {
    Field.JOB: "Slurm's number, with the task of an array behind _",
    Field.ELAPSED: "Time that it has run, h:mm:ss, without the time suspended",
    Field.LEFT: "Until its time limit ends it, h:mm:ss",
    Field.LIMIT: "Most time that it may run, h:mm:ss; inf where there is no limit",
    Field.PRIORITY: "The higher, the sooner it begins; 0 is held, or suspended",
    Field.FAIRSHARE: "Fairshare of its association as sshare prints it, 0 to 1",
    Field.NODES: "Names of its nodes, or how many it asks for",
    Field.START: "When it began; \N{ALMOST EQUAL TO} is when Slurm thinks that it will",
    Field.REASON: "Why it waits, or why it ended",
}
_SHORT_LEFT_S = 300.0


# Plain numbers: Qt asks for seven roles of every cell, and comparing with members of an enum takes its time.
_DISPLAY, _DECORATION, _TIP = int(_Role.DisplayRole), int(_Role.DecorationRole), int(_Role.ToolTipRole)
_ALIGNMENT, _INK = int(_Role.TextAlignmentRole), int(_Role.ForegroundRole)
_ANSWERED = frozenset((_DISPLAY, CopyRole, _DECORATION, _TIP, _ALIGNMENT, _INK))


def title_of(field: Field) -> str:
    """A column's header."""
    return _TITLES.get(field, field.value.capitalize())


class JobsModel(QAbstractTableModel):
    """Rows of jobs; all values as of one reading."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns: JobColumns | None = None
        self._shown: Bools | None = None
        self._rows: Ints = np.zeros(0, np.int64)
        self._by, self._is_down = Field.JOB, False
        self._is_muted = False

    @property
    def ids(self) -> Ints:
        """The numbers of the jobs shown, in order, int64 [rows]."""
        return self._columns.ids[self._rows] if self._columns is not None else self._rows

    def job(self, row: int) -> Job:
        """The job of a row that is shown."""
        if self._columns is None:
            raise IndexError(row)
        return self._columns.jobs[int(self._rows[row])]

    def nodes(self, rows: Ints) -> list[int]:
        """The nodes of the share tree that jobs of some rows are charged to, each once, in order."""
        if self._columns is None:
            return []
        nodes = dict.fromkeys(int(node) for node in self._columns.nodes[self._rows[rows]])
        return [node for node in nodes if node >= 0]

    def rows_of(self, job_ids: Ints) -> Ints:
        """Where jobs are shown, int64; those that are not are left out."""
        return np.flatnonzero(np.isin(self.ids, job_ids))

    def show(self, columns: JobColumns | None, shown: Bools | None) -> None:
        """Show these jobs, or those chosen alone, bool [jobs]; who selects keeps it beyond a reset."""
        before = self.ids
        self._columns, self._shown = columns, shown
        rows = self._order()
        after = columns.ids[rows] if columns is not None else rows
        if np.array_equal(before, after):
            self._rows = rows
            if len(rows):
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(FIELDS) - 1))
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def mute(self, *, is_muted: bool) -> None:
        """Show that what is shown is of a while ago."""
        if is_muted != self._is_muted:
            self._is_muted = is_muted
            if len(self._rows):
                self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(FIELDS) - 1))

    def _order(self) -> Ints:
        if self._columns is None:
            return np.zeros(0, np.int64)
        rows = self._columns.order(self._by, is_down=self._is_down)
        return rows if self._shown is None else rows[self._shown[rows]]

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(FIELDS)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows) or self._columns is None:
            return None
        if role not in _ANSWERED:
            return None
        field, job = FIELDS[index.column()], self.job(index.row())
        if role in (_DISPLAY, CopyRole):
            say = _said if role == _DISPLAY else _copied
            return say(job, field, self._columns, int(self._rows[index.row()]))
        if role == _ALIGNMENT:
            return _RIGHT if field in _RIGHTS else None
        if role == _DECORATION:
            if field is not Field.STATE:
                return None
            icon, token = icon_of(job)
            return pixmap(icon, "muted" if self._is_muted else token)
        return self._ink(job, field) if role == _INK else _tip(job, field, self._columns)

    def _ink(self, job: Job, field: Field) -> Any:
        if self._is_muted or field in _QUIET:
            return colour("muted")
        if field is Field.START and job.is_pending:
            return colour("muted")
        columns = self._columns
        is_short = field is Field.LEFT and columns is not None and columns.number(job, field) < _SHORT_LEFT_S
        return colour("warn") if is_short and job.state == "RUNNING" else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(FIELDS):
            return None
        field = FIELDS[section]
        if role == _Role.DisplayRole:
            return title_of(field)
        if role == _Role.TextAlignmentRole and field in _RIGHTS:
            return _RIGHT
        return _TIPS.get(field) if role == _Role.ToolTipRole else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(FIELDS):
            return
        self._by, self._is_down = FIELDS[column], order is Qt.SortOrder.DescendingOrder
        self.layoutAboutToBeChanged.emit()
        before, kept = self._rows, self.persistentIndexList()
        self._rows = self._order()
        if kept and self._columns is not None:
            place = np.full(len(self._columns), -1, np.int64)
            place[self._rows] = np.arange(len(self._rows))
            moved = [self.index(int(place[before[one.row()]]), one.column()) for one in kept]
            self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()


def _said(job: Job, field: Field, columns: JobColumns, place: int) -> str:
    if field is Field.FAIRSHARE:
        return numbers.fixed(float(columns.fairshare[place]), 4)
    return _WORDS[field](job, columns)


def _nodes(job: Job, _columns: JobColumns) -> str:
    if job.nodes:
        return job.nodes
    return f"{job.node_count} asked" if job.node_count and job.is_pending else ""


def _start(job: Job, columns: JobColumns) -> str:
    if job.start_s is None:
        return numbers.UNKNOWN
    said = moments.moment(job.start_s, columns.now_s)
    return f"\N{ALMOST EQUAL TO} {said}" if job.is_pending else said


def _length_of(field: Field) -> Callable[[Job, JobColumns], str]:
    def said(job: Job, columns: JobColumns) -> str:
        value = columns.number(job, field)
        return numbers.UNKNOWN if np.isnan(value) else day_duration(value)

    return said


_WORDS: dict[Field, Callable[[Job, JobColumns], str]] = {
    Field.JOB: lambda job, _: job.label,
    Field.STATE: lambda job, _: state_words(job),
    Field.USER: lambda job, _: job.user,
    Field.ACCOUNT: lambda job, _: job.account,
    Field.NAME: lambda job, _: job.name,
    Field.PARTITION: lambda job, _: job.partition,
    Field.QOS: lambda job, _: job.qos,
    Field.NODES: _nodes,
    Field.CPUS: lambda job, _: numbers.thousands(job.cpus),
    Field.ELAPSED: _length_of(Field.ELAPSED),
    Field.LEFT: _length_of(Field.LEFT),
    Field.LIMIT: _length_of(Field.LIMIT),
    Field.PRIORITY: lambda job, _: numbers.thousands(job.priority),
    Field.SUBMITTED: lambda job, columns: moments.moment(job.submit_s, columns.now_s),
    Field.START: _start,
    Field.REASON: lambda job, _: reason_words(job),
}


def _copied(job: Job, field: Field, columns: JobColumns, place: int) -> str:
    """All digits, whole times."""
    if field is Field.FAIRSHARE:
        value = float(columns.fairshare[place])
        return "" if np.isnan(value) else numbers.full(value)
    if field in (Field.SUBMITTED, Field.START):
        return moments.whole(job.submit_s if field is Field.SUBMITTED else job.start_s)
    if field in (Field.CPUS, Field.PRIORITY):
        value = columns.number(job, field)
        return "" if np.isnan(value) else str(int(value))
    said = _said(job, field, columns, place)
    return "" if said == numbers.UNKNOWN else said


def _tip(job: Job, field: Field, columns: JobColumns) -> str | None:
    if field is Field.REASON and job.reason:
        return f"{reason_words(job)}\n{job.reason}"
    if field is Field.STATE:
        return " ".join(job.states)
    if field in (Field.SUBMITTED, Field.START):
        return moments.whole(job.submit_s if field is Field.SUBMITTED else job.start_s) or None
    return _WORDS[field](job, columns) or None if field in _WORDS else None
