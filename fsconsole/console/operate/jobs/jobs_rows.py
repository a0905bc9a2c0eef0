"""Rows of jobs and their columns: a record each, or an array with its records below it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
from PySide6.QtCore import QObject

from fsconsole.app.jobs.arrays import ArraySummary, Gathered, gathered, left_of, records_of, summary_of
from fsconsole.app.jobs.columns import Bools, Field, Ints, JobColumns
from fsconsole.app.jobs.dependencies import dependency_words
from fsconsole.app.jobs.words import icon_of, reason_of, reason_words, state_words
from fsconsole.console.kit.tables import Column, RowModel
from fsconsole.slurm.jobs import Job
from fsconsole.text import moments, numbers
from fsconsole.text.durations import day_duration
from fsconsole.text.words import count_words

FIELDS = tuple(Field)
COLUMN = {field: place for place, field in enumerate(FIELDS)}
_NONE = np.zeros(0, np.int64)
_SHORT_LEFT_S = 300.0
_OPEN, _CLOSED = "\N{BLACK DOWN-POINTING SMALL TRIANGLE}", "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}"
_BELOW = "\N{EM SPACE}"


class JobRow(NamedTuple):
    """A job, and its place among the columns of its reading; or an array, at the place of its first record.

    Attributes:
        array: array of the row; None for a record.
        is_open: whether the array's records are shown below it.
        is_below: whether it is a record below the row of its array.
    """

    job: Job
    columns: JobColumns
    place: int
    array: ArraySummary | None = None
    is_open: bool = False
    is_below: bool = False

    @property
    def fairshare(self) -> float:
        """That of its association; NaN where it is not known."""
        return float(self.columns.fairshare[self.place])

    def number(self, field: Field) -> float:
        """Return a number of the job; NaN where it is not known."""
        return self.columns.number(self.job, field)


class JobRows(Sequence[JobRow]):
    """Some jobs of a reading, with arrays combined; rows are created on demand."""

    def __init__(self, columns: JobColumns | None, rows: Gathered, opened: frozenset[int]) -> None:
        self._columns, self._rows, self._opened = columns, rows, opened
        self._summaries: dict[int, ArraySummary] = {}

    @property
    def places(self) -> Ints:
        """Place in the reading of the job in each row, int64 [rows]; of an array that of its first record."""
        return self._rows.places

    @cached_property
    def ids(self) -> Ints:
        """The jobs' numbers, int64 [rows]; those of arrays with a minus."""
        if self._columns is None:
            return self.places
        return np.where(self._rows.arrays > 0, -self._rows.arrays, self._columns.ids[self.places])

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, at: int) -> JobRow: ...
    @overload
    def __getitem__(self, at: slice) -> list[JobRow]: ...
    def __getitem__(self, at: int | slice) -> JobRow | list[JobRow]:
        if isinstance(at, slice):
            return [self[one] for one in range(len(self))[at]]
        if self._columns is None:
            raise IndexError(at)
        place, array = int(self.places[at]), int(self._rows.arrays[at])
        if array:
            summary = self._summary(self._columns, array)
            return JobRow(summary.job, self._columns, place, summary, is_open=array in self._opened)
        is_below = bool(self._columns.arrays[place])
        return JobRow(self._columns.jobs[place], self._columns, place, is_below=is_below)

    def _summary(self, columns: JobColumns, array: int) -> ArraySummary:
        if array not in self._summaries:
            self._summaries[array] = summary_of(records_of(columns, array), columns.now_s)
        return self._summaries[array]


_NO_ROWS = JobRows(None, Gathered(_NONE, _NONE), frozenset())


class JobsModel(RowModel[JobRow]):
    """Rows of jobs; all values as of one reading.

    A row's number is that of its job; of an array it is that of the array with a minus.

    Attributes:
        reading: the jobs; None for none.
        found_count: how many of them the filter leaves, tasks of arrays counted, whether open or not.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, parent, key=lambda row: -row.job.job_id if row.array else row.job.job_id)
        self.reading: JobColumns | None = None
        self.found_count = 0
        self._shown: Bools | None = None
        self._opened: frozenset[int] = frozenset()
        self._rows: JobRows = _NO_ROWS

    @property
    def ids(self) -> Ints:
        """The numbers of the jobs shown, in order, int64 [rows]."""
        return self._rows.ids

    def job(self, row: int) -> Job:
        """Return the job of a row that is shown."""
        return self._rows[row].job

    def nodes(self, rows: Ints) -> list[int]:
        """Return nodes of the share tree that jobs of rows [chosen] are charged to, each once, in order."""
        if self.reading is None:
            return []
        nodes = dict.fromkeys(self.reading.nodes[self._rows.places[rows]].tolist())
        return [node for node in nodes if node >= 0]

    def row_of(self, key: Hashable) -> int:
        return next(iter(np.flatnonzero(self.ids == key).tolist()), -1)

    def rows_of(self, job_ids: Ints) -> Ints:
        """Return rows with jobs of these numbers, int64 [shown]; others are left out."""
        return np.flatnonzero(np.isin(self.ids, job_ids))

    def jobs_of(self, row_ids: Sequence[int]) -> list[int]:
        """Return the numbers of rows' jobs; an array gives all its remaining tasks."""
        if self.reading is None:
            return []
        found = list[int]()
        for one in row_ids:
            if one < 0:
                found += (job.job_id for job in left_of(records_of(self.reading, -one)))
            else:
                found.append(one)
        return list(dict.fromkeys(found))

    def is_open(self, array: int) -> bool:
        """Return True if the records of an array are shown."""
        return array in self._opened

    def open_array(self, array: int, *, is_open: bool) -> None:
        """Show the records of an array below its row, or its row alone."""
        opened = self._opened | {array} if is_open else self._opened - {array}
        if opened != self._opened:
            self._opened = opened
            self.show(self.reading, self._shown)

    def array_of(self, job_id: int) -> int:
        """Return the array that a job is shown in; 0 for one that has a row of its own."""
        if self.reading is None:
            return 0
        places = np.flatnonzero(self.reading.ids == job_id)
        return int(self.reading.arrays[places[0]]) if len(places) else 0

    def show(self, reading: JobColumns | None, shown: Bools | None) -> None:
        """Show these jobs, or those chosen alone, bool [jobs]; who selects keeps it beyond a reset."""
        self.reading, self._shown = reading, shown
        tasks = _NONE if reading is None else reading.tasks if shown is None else reading.tasks[shown]
        self.found_count = int(tasks.sum())
        rows = self._ordered()
        if np.array_equal(self.ids, rows.ids):
            self._rows = rows
            self.emit_changed()
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def mute(self, *, is_muted: bool) -> None:
        """Show that what is shown is of a while ago."""
        if is_muted != self.is_stale:
            self.is_stale = is_muted
            self.emit_changed()

    # -- inside ---------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        """Show the same jobs in another order."""
        self.layoutAboutToBeChanged.emit()
        before, kept = self._rows.ids, self.persistentIndexList()
        self._rows = self._ordered()
        if kept and self.reading is not None:
            row_of = {number: row for row, number in enumerate(self._rows.ids.tolist())}
            moved = [self.index(row_of[int(before[one.row()])], one.column()) for one in kept]
            self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _ordered(self) -> JobRows:
        if self.reading is None:
            return _NO_ROWS
        column, is_down = self._sorted or (COLUMN[Field.JOB], False)
        places = self.reading.order(FIELDS[column], is_down=is_down)
        found = places if self._shown is None else places[self._shown[places]]
        return JobRows(self.reading, gathered(self.reading, found, self._opened), self._opened)


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
    """Return a name that Slurm gives."""

    def text(row: JobRow) -> str:
        return str(getattr(row.job, field.value))

    return _column(field, text, width, is_name=True, **more)


def _count(field: Field, width: int, about: str = "") -> Column[JobRow]:
    """Return a whole number; all digits are copied without a gap."""

    def text(row: JobRow) -> str:
        return numbers.thousands(getattr(row.job, field.value))

    def full(row: JobRow) -> str:
        value = row.number(field)
        return "" if np.isnan(value) else str(int(value))

    return _column(field, text, width, about, full=full, is_number=True)


def _length(field: Field, width: int, about: str, **more: Any) -> Column[JobRow]:
    """Return a length of time; the clipboard gets nothing for one that is not known."""

    def text(row: JobRow) -> str:
        value = row.number(field)
        return numbers.UNKNOWN if np.isnan(value) else day_duration(value)

    def full(row: JobRow) -> str:
        return "" if (shown := text(row)) == numbers.UNKNOWN else shown

    return _column(field, text, width, about, full=full, is_number=True, **more)


def _moment(
    field: Field, time_s: Callable[[JobRow], float | None], text: _Say, width: int, **more: Any
) -> Column[JobRow]:
    """Return a moment; the clipboard and the tooltip get all of it."""

    def full(row: JobRow) -> str:
        return moments.whole(time_s(row))

    return _column(field, text, width, full=full, tip=lambda row: full(row) or None, **more)


def _label(row: JobRow) -> str:
    if row.array is None:
        return f"{_BELOW}{row.job.label}" if row.is_below else row.job.label
    return f"{_OPEN if row.is_open else _CLOSED} {row.job.label}"


def _label_tip(row: JobRow) -> str | None:
    if row.array is None:
        return row.job.label
    return f"Array {row.job.label} of {count_words(row.array.count, 'task')}: {row.array.state}"


def _state(row: JobRow) -> str:
    return row.array.short_state if row.array is not None else state_words(row.job)


def _state_tip(row: JobRow) -> str | None:
    return row.array.state if row.array is not None else " ".join(row.job.states)


def _icon(row: JobRow) -> tuple[str, str]:
    return icon_of(row.job)


def _nodes(row: JobRow) -> str:
    job = row.job
    if job.nodes:
        return job.nodes
    return f"{job.node_count} asked" if job.node_count and job.is_pending else ""


def _start_s(row: JobRow) -> float | None:
    return row.job.expected_start_s(row.columns.now_s) if row.job.is_pending else row.job.start_s


def _start(row: JobRow) -> str:
    start_s = _start_s(row)
    words = moments.moment(start_s, row.columns.now_s)
    return f"\N{ALMOST EQUAL TO} {words}" if row.job.is_pending and start_s is not None else words


def _full_fairshare(row: JobRow) -> str:
    return "" if np.isnan(row.fairshare) else numbers.full(row.fairshare)


def _ink_of_left(row: JobRow) -> str:
    return "warn" if row.job.state == "RUNNING" and row.number(Field.LEFT) < _SHORT_LEFT_S else ""


def _reason_tip(row: JobRow) -> str | None:
    words, reason = reason_words(row.job), reason_of(row.job)
    return f"{words}\n{reason}" if reason else words or None


def _muted(_row: JobRow) -> str:
    return "muted"


_COLUMNS: tuple[Column[JobRow], ...] = (
    _column(Field.JOB, _label, 92, "Slurm's number, with the task of an array after _. An array is one row. "
            "Click its arrow, or press Right and Left, to show and hide its tasks", tip=_label_tip,
            full=lambda row: row.job.label),
    _column(Field.STATE, _state, 118, icon=_icon, tip=_state_tip),
    _name(Field.USER, 84),
    _name(Field.ACCOUNT, 78),
    _name(Field.NAME, 100),
    _name(Field.PARTITION, 76),
    _name(Field.QOS, 64, ink=_muted),
    _column(Field.NODES, _nodes, 80, "Names of its nodes, or the number of nodes requested", is_name=True),
    _count(Field.CPUS, 48),
    _length(Field.ELAPSED, 70, "Run time, h:mm:ss, without suspended time"),
    _length(Field.LEFT, 72, "Time left until the time limit, h:mm:ss", ink=_ink_of_left),
    _length(Field.LIMIT, 78, "Time limit, h:mm:ss; inf: no limit"),
    _moment(Field.SUBMITTED, lambda row: row.job.submit_s,
            lambda row: moments.moment(row.job.submit_s, row.columns.now_s), 80, ink=_muted),
    _moment(Field.START, _start_s, _start, 68, about="Start time. ≈ marks Slurm's estimate",
            ink=lambda row: "muted" if row.job.is_pending else ""),
    _count(Field.PRIORITY, 66, "Jobs with a higher value start first. 0 means held or suspended"),
    _column(Field.FAIRSHARE, lambda row: numbers.fixed(row.fairshare, 4), 72,
            "Fairshare of its association from sshare, 0 to 1", is_number=True,
            full=_full_fairshare, tip=lambda _row: None),
    _column(Field.REASON, lambda row: reason_words(row.job), 90, "Reason why it is pending, or why it ended",
            ink=_muted, tip=_reason_tip),
    _column(Field.DEPENDS, lambda row: dependency_words(row.job.dependency), 120,
            "Jobs that must start or end before it can start",
            tip=lambda row: row.job.dependency or None),
    _name(Field.RESERVATION, 90),
)  # fmt: skip
