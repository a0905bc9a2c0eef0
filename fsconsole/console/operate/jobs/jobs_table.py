"""The table of jobs: selection, place and order stay while the cluster is read again and again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from fsconsole.app.jobs.columns import Bools, Field, Ints, JobColumns
from fsconsole.app.jobs.dependencies import dependency_words
from fsconsole.app.jobs.words import icon_of, reason_words, state_words
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.preferences import Preferences
from fsconsole.slurm.jobs import Job
from fsconsole.text import moments, numbers
from fsconsole.text.durations import day_duration

_HIDDEN_AT_FIRST = (Field.QOS, Field.SUBMITTED, Field.DEPENDS, Field.RESERVATION)
_GO_WHERE_NARROW = (*_HIDDEN_AT_FIRST, Field.PRIORITY, Field.LIMIT, Field.START, Field.ACCOUNT)
_KEY = "cluster/jobs"
_Flag = QItemSelectionModel.SelectionFlag
FIELDS = tuple(Field)
COLUMN = {field: place for place, field in enumerate(FIELDS)}
_NONE = np.zeros(0, np.int64)
_SHORT_LEFT_S = 300.0


class JobRow(NamedTuple):
    """A job, and its place among the columns of its reading."""

    job: Job
    columns: JobColumns
    place: int

    @property
    def fairshare(self) -> float:
        """That of its association; NaN where it is not known."""
        return float(self.columns.fairshare[self.place])

    def number(self, field: Field) -> float:
        """A number of the job; NaN where it is not known."""
        return self.columns.number(self.job, field)


class JobRows(Sequence[JobRow]):
    """Some jobs of a reading by their places in it, int64; a row is made when it is asked for."""

    def __init__(self, columns: JobColumns | None, places: Ints) -> None:
        self._columns, self.places = columns, places

    @cached_property
    def ids(self) -> Ints:
        """The jobs' numbers, int64."""
        return self.places if self._columns is None else self._columns.ids[self.places]

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, at: int) -> JobRow: ...
    @overload
    def __getitem__(self, at: slice) -> JobRows: ...
    def __getitem__(self, at: int | slice) -> JobRow | JobRows:
        if isinstance(at, slice):
            return JobRows(self._columns, self.places[at])
        if self._columns is None:
            raise IndexError(at)
        place = int(self.places[at])
        return JobRow(self._columns.jobs[place], self._columns, place)


class JobsModel(RowModel[JobRow]):
    """Rows of jobs; all values as of one reading."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, parent, key=lambda row: row.job.job_id)
        self.reading: JobColumns | None = None
        self._shown: Bools | None = None
        self._rows: JobRows = JobRows(None, _NONE)

    @property
    def ids(self) -> Ints:
        """The numbers of the jobs shown, in order, int64 [rows]."""
        return self._rows.ids

    def job(self, row: int) -> Job:
        """The job of a row that is shown."""
        return self._rows[row].job

    def nodes(self, rows: Ints) -> list[int]:
        """The nodes of the share tree that jobs of some rows are charged to, each once, in order."""
        if self.reading is None:
            return []
        nodes = dict.fromkeys(self.reading.nodes[self._rows.places[rows]].tolist())
        return [node for node in nodes if node >= 0]

    def row_of(self, key: Hashable) -> int:
        return next(iter(np.flatnonzero(self.ids == key).tolist()), -1)

    def rows_of(self, job_ids: Ints) -> Ints:
        """Where jobs are shown, int64; those that are not are left out."""
        return np.flatnonzero(np.isin(self.ids, job_ids))

    def show(self, reading: JobColumns | None, shown: Bools | None) -> None:
        """Show these jobs, or those chosen alone, bool [jobs]; who selects keeps it beyond a reset."""
        self.reading, self._shown = reading, shown
        rows = self._ordered()
        if np.array_equal(self.ids, rows.ids):
            self._rows = rows
            self.tell_changed()
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def mute(self, *, is_muted: bool) -> None:
        """Show that what is shown is of a while ago."""
        if is_muted != self.is_stale:
            self.is_stale = is_muted
            self.tell_changed()

    # -- inside ---------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        """Show the same jobs in another order."""
        self.layoutAboutToBeChanged.emit()
        before, kept = self._rows.places, self.persistentIndexList()
        self._rows = self._ordered()
        if kept and self.reading is not None:
            row_of = np.full(len(self.reading), -1, np.int64)
            row_of[self._rows.places] = np.arange(len(self._rows))
            moved = [self.index(int(row_of[before[one.row()]]), one.column()) for one in kept]
            self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _ordered(self) -> JobRows:
        if self.reading is None:
            return JobRows(None, _NONE)
        column, is_down = self._sorted or (COLUMN[Field.JOB], False)
        places = self.reading.order(FIELDS[column], is_down=is_down)
        return JobRows(self.reading, places if self._shown is None else places[self._shown[places]])


# -- columns ------------------------------------------------------------------------------------------------

_Say = Callable[[JobRow], str]
_TITLES = {
    Field.CPUS: "CPUs",
    Field.LEFT: "Time left",
    Field.LIMIT: "Time limit",
    Field.QOS: "QOS",
    Field.DEPENDS: "Depends on",
}


def _column(field: Field, text: _Say, width: int, about: str = "", **more: Any) -> Column[JobRow]:
    title = _TITLES.get(field, field.value.capitalize())
    more.setdefault("tip", lambda row: text(row) or None)
    return Column(title, text, about, field.value, width=width, **more)


def _name(field: Field, width: int, **more: Any) -> Column[JobRow]:
    """A name that Slurm gives."""

    def text(row: JobRow) -> str:
        return str(getattr(row.job, field.value))

    return _column(field, text, width, is_name=True, **more)


def _count(field: Field, width: int, about: str = "") -> Column[JobRow]:
    """A whole number; all digits are copied without a gap."""

    def text(row: JobRow) -> str:
        return numbers.thousands(getattr(row.job, field.value))

    def full(row: JobRow) -> str:
        value = row.number(field)
        return "" if np.isnan(value) else str(int(value))

    return _column(field, text, width, about, full=full, is_number=True)


def _length(field: Field, width: int, about: str, **more: Any) -> Column[JobRow]:
    """A length of time; the clipboard gets nothing for one that is not known."""

    def text(row: JobRow) -> str:
        value = row.number(field)
        return numbers.UNKNOWN if np.isnan(value) else day_duration(value)

    def full(row: JobRow) -> str:
        return "" if (said := text(row)) == numbers.UNKNOWN else said

    return _column(field, text, width, about, full=full, is_number=True, **more)


def _moment(
    field: Field, time_s: Callable[[Job], float | None], text: _Say, width: int, **more: Any
) -> Column[JobRow]:
    """A moment; the clipboard and the tooltip get all of it."""

    def full(row: JobRow) -> str:
        return moments.whole(time_s(row.job))

    return _column(field, text, width, full=full, tip=lambda row: full(row) or None, **more)


def _icon(row: JobRow) -> tuple[str, str]:
    return icon_of(row.job)


def _nodes(row: JobRow) -> str:
    job = row.job
    if job.nodes:
        return job.nodes
    return f"{job.node_count} asked" if job.node_count and job.is_pending else ""


def _start(row: JobRow) -> str:
    job = row.job
    if job.start_s is None:
        return numbers.UNKNOWN
    said = moments.moment(job.start_s, row.columns.now_s)
    return f"\N{ALMOST EQUAL TO} {said}" if job.is_pending else said


def _full_fairshare(row: JobRow) -> str:
    return "" if np.isnan(row.fairshare) else numbers.full(row.fairshare)


def _ink_of_left(row: JobRow) -> str:
    return "warn" if row.job.state == "RUNNING" and row.number(Field.LEFT) < _SHORT_LEFT_S else ""


def _reason_tip(row: JobRow) -> str | None:
    said = reason_words(row.job)
    return f"{said}\n{row.job.reason}" if row.job.reason else said or None


def _muted(_row: JobRow) -> str:
    return "muted"


_COLUMNS: tuple[Column[JobRow], ...] = (
    _column(Field.JOB, lambda row: row.job.label, 72, "Slurm's number, with the task of an array behind _"),
    _column(Field.STATE, lambda row: state_words(row.job), 116, icon=_icon,
            tip=lambda row: " ".join(row.job.states)),
    _name(Field.USER, 66),
    _name(Field.ACCOUNT, 78),
    _name(Field.NAME, 116),
    _name(Field.PARTITION, 76),
    _name(Field.QOS, 64, ink=_muted),
    _column(Field.NODES, _nodes, 80, "Names of its nodes, or how many it asks for", is_name=True),
    _count(Field.CPUS, 48),
    _length(Field.ELAPSED, 70, "Time that it has run, h:mm:ss, without the time suspended"),
    _length(Field.LEFT, 72, "Until its time limit ends it, h:mm:ss", ink=_ink_of_left),
    _length(Field.LIMIT, 78, "Most time that it may run, h:mm:ss; inf where there is no limit"),
    _count(Field.PRIORITY, 66, "The higher, the sooner it begins; 0 is held, or suspended"),
    _column(Field.FAIRSHARE, lambda row: numbers.fixed(row.fairshare, 4), 72,
            "Fairshare of its association as sshare prints it, 0 to 1", is_number=True,
            full=_full_fairshare, tip=lambda _row: None),
    _moment(Field.SUBMITTED, lambda job: job.submit_s,
            lambda row: moments.moment(row.job.submit_s, row.columns.now_s), 80, ink=_muted),
    _moment(Field.START, lambda job: job.start_s, _start, 68,
            about="When it began; \N{ALMOST EQUAL TO} is when Slurm thinks that it will",
            ink=lambda row: "muted" if row.job.is_pending else ""),
    _column(Field.REASON, lambda row: reason_words(row.job), 90, "Why it waits, or why it ended",
            ink=_muted, tip=_reason_tip),
    _column(Field.DEPENDS, lambda row: dependency_words(row.job.dependency), 120,
            "Jobs that have to begin or end before it may begin",
            tip=lambda row: row.job.dependency or None),
    _name(Field.RESERVATION, 90),
)  # fmt: skip


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
        self.set_narrow(narrow=False)
        self.selectionModel().selectionChanged.connect(self._tell)

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

    def select(self, keys: Iterable[int]) -> None:
        """Select jobs, those that are shown; the first one comes into sight."""
        self._set_hidden([])
        job_ids = list(keys)
        self._restore(np.array(job_ids, np.int64), job_ids[0] if job_ids else -1)
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())
        self.chosen.emit()

    def set_narrow(self, *, narrow: bool) -> None:
        """Columns that a narrow window has no room for hide, whatever was chosen."""
        self.squeeze(_GO_WHERE_NARROW if narrow else ())

    # -- inside ---------------------------------------------------------------------------------------------

    def _set_hidden(self, job_ids: list[int]) -> None:
        if job_ids != self._hidden:
            self._hidden = job_ids
            self.unseen_changed.emit()

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
        known = set(reading.ids.tolist()) if reading is not None else set()
        seen = set(self.jobs.ids[self.selected_rows].tolist())
        self._set_hidden([one for one in before.selected if one in known and one not in seen])
        if before.top:
            self.verticalScrollBar().setValue(self._new_top(before.top, before.top_ids))
        self.horizontalScrollBar().setValue(before.sideways)
        if len(before.selected) != len(self.selected_ids):
            self.chosen.emit()

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

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_of(event.globalPos())
