"""The rows of the process table: filtered, sorted, with values as of the newest snapshot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.console.look.icons import pixmap
from fsconsole.console.look.marks import chip
from fsconsole.console.look.theme import colour
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.console.widgets.model_news import tell_changed
from fsconsole.console.widgets.share_bar import ShareBarRole
from fsconsole.shares.tree import ROOT_ID
from fsconsole.targets.snapshot import ProcessRow
from fsconsole.text import durations, numbers

Index = QModelIndex | QPersistentModelIndex

_NOWHERE = QModelIndex()


class Column(IntEnum):
    """Columns of the process table."""

    PID = 0
    COMMAND = 1
    CHARGED_TO = 2
    STARTED_BY = 3
    NICE = 4
    PRIORITY = 5
    INCREMENT = 6
    CPU = 7
    CPU_TIME = 8
    STATE = 9


@dataclass(frozen=True, slots=True)
class _Field:
    """A column: header, what it is sorted by, its text and the full value for tool tip and clipboard."""

    header: str
    key: Callable[[ProcessRow], Any]
    text: Callable[[ProcessRow], str]
    full: Callable[[ProcessRow], str]
    is_number: bool = True


def _exempt(row: ProcessRow, text: str) -> str:
    return numbers.UNKNOWN if row.node == ROOT_ID else text


_STATES = ("running", "runnable", "I/O", "waiting", "sleeping")
_FIELDS: dict[Column, _Field] = {
    Column.PID: _Field("PID", lambda row: row.pid, lambda row: str(row.pid), lambda row: str(row.pid)),
    Column.COMMAND: _Field(
        "Command", lambda row: row.command, lambda row: row.command, lambda row: row.command, False
    ),
    Column.NICE: _Field("Nice", lambda row: row.nice, lambda row: str(row.nice), lambda row: str(row.nice)),
    Column.PRIORITY: _Field(
        "Priority",
        lambda row: row.priority,
        lambda row: numbers.si(row.priority),
        lambda row: str(row.priority),
    ),
    Column.INCREMENT: _Field(
        "Increment",
        lambda row: row.increment,
        lambda row: _exempt(row, numbers.si(row.increment)),
        lambda row: str(row.increment),
    ),
    Column.CPU: _Field(
        "CPU",
        lambda row: row.cpu_rate,
        lambda row: numbers.percent(row.cpu_rate),
        lambda row: numbers.full(row.cpu_rate),
    ),
    Column.CPU_TIME: _Field(
        "CPU time",
        lambda row: row.cpu_s,
        lambda row: _cpu_time(row.cpu_s),
        lambda row: numbers.full(row.cpu_s),
    ),
    Column.STATE: _Field(
        "State",
        lambda row: (_STATES.index(row.state.partition(" ")[0]), row.state),
        lambda row: row.state,
        lambda row: row.state,
        False,
    ),
}


def _cpu_time(cpu_s: float) -> str:
    """m:ss.t below an hour, h:mm:ss from there."""
    if cpu_s >= 3600:
        return durations.duration(cpu_s)
    tenths = int(cpu_s * 10 + 1e-6)
    return f"{tenths // 600}:{tenths // 10 % 60:02d}.{tenths % 10}"


class ProcessModel(QAbstractTableModel):
    """Processes of the newest snapshot in the order of one column."""

    def __init__(self, session: ConsoleSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._all: tuple[ProcessRow, ...] = ()
        self._rows: list[ProcessRow] = []
        self._order = (Column.PID, Qt.SortOrder.AscendingOrder)
        self._needle = ""
        self._shows_sleeping = True
        self.window_s = 10.0

    @property
    def total(self) -> int:
        """Number of processes, those that are filtered out too."""
        return len(self._all)

    @property
    def rows(self) -> list[ProcessRow]:
        """The rows shown, in order."""
        return list(self._rows)

    def row_of(self, pid: int) -> int:
        """The row of a process; -1 for one that is not shown."""
        return next((at for at, row in enumerate(self._rows) if row.pid == pid), -1)

    def take(self, processes: tuple[ProcessRow, ...]) -> None:
        """Show the newest table."""
        if processes is not self._all:
            self._all = processes
            self._arrange()

    def filter_by(self, text: str, *, sleeping: bool) -> None:
        """Show only what has the text in command, user or PID; sleeping ones or not."""
        self._needle, self._shows_sleeping = text.strip().lower(), sleeping
        self._arrange()

    def charged_to(self, node: int) -> str:
        """Name of a node that processes are charged to."""
        document = self._session.document
        if document is None or node not in document.tree:
            return "removed"
        name = document.tree.node(node).name
        return f"{name}, exempt" if node == ROOT_ID else name

    def started_by(self, row: ProcessRow) -> str:
        """Who started a process: a person, or the user that it is charged to."""
        return row.person or (numbers.UNKNOWN if row.node == ROOT_ID else self.charged_to(row.node))

    def _arrange(self) -> None:
        wanted = self._sorted([row for row in self._all if self._is_wanted(row)])
        pids_before, pids = [row.pid for row in self._rows], [row.pid for row in wanted]
        if pids == pids_before:
            self._rows = wanted
            tell_changed(self, (0, len(wanted) - 1), (0, len(Column) - 1))
            return
        if set(pids) == set(pids_before):
            self._reorder(wanted, pids_before)
            return
        self.beginResetModel()
        self._rows = wanted
        self.endResetModel()

    def _reorder(self, wanted: list[ProcessRow], pids_before: list[int]) -> None:
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        place = {row.pid: at for at, row in enumerate(wanted)}
        self._rows = wanted
        after = [self.index(place[pids_before[index.row()]], index.column()) for index in before]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _is_wanted(self, row: ProcessRow) -> bool:
        if not self._shows_sleeping and row.state == "sleeping":
            return False
        if not self._needle:
            return True
        return (
            self._needle in row.command.lower()
            or self._needle in self.charged_to(row.node).lower()
            or self._needle in row.person.lower()
            or self._needle == str(row.pid)
        )

    def _sorted(self, rows: list[ProcessRow]) -> list[ProcessRow]:
        column, order = self._order
        if column not in _FIELDS:
            return sorted(rows, key=lambda row: self._shown(row, column), reverse=_is_down(order))
        return sorted(rows, key=_FIELDS[column].key, reverse=_is_down(order))

    def _shown(self, row: ProcessRow, column: Column) -> Any:
        if column == Column.STARTED_BY:
            return self.started_by(row)
        return self.charged_to(row.node) if column == Column.CHARGED_TO else _FIELDS[column].text(row)

    def _decoration(self, row: ProcessRow, column: Column) -> Any:
        if column == Column.CHARGED_TO:
            return chip(self._token(row.node))
        if column == Column.STATE and row.state == "running":
            return pixmap("run", "ok")
        return None

    def _token(self, node: int) -> str:
        return "g1" if node == ROOT_ID else self._session.curves.style(node).colour_token

    def _ink(self, row: ProcessRow, column: Column) -> Any:
        if row.state == "sleeping":
            return colour("muted")
        return colour("ok") if column == Column.STATE and row.state == "running" else None

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Processes shown."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """Columns of the table."""
        return 0 if parent.isValid() else len(Column)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = self._rows[index.row()], Column(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return self._shown(row, column)
        if role == CopyRole and column in _FIELDS:
            return _FIELDS[column].full(row)
        if role == Qt.ItemDataRole.DecorationRole:
            return self._decoration(row, column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._ink(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in _FIELDS and _FIELDS[column].is_number:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if column == Column.CPU:
            return self._of_bar(row, role)
        if role == Qt.ItemDataRole.ToolTipRole and column in _FIELDS:
            return _FIELDS[column].full(row)
        return None

    def _of_bar(self, row: ProcessRow, role: int) -> Any:
        if role == ShareBarRole.FRACTION:
            return float(row.cpu_rate)
        if role == ShareBarRole.COLOUR:
            return self._token(row.node)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return numbers.spoken_percent("CPU", row.cpu_rate, 1)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Titles; that of the CPU column has the rate window."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = Column(section)
        if role == Qt.ItemDataRole.DisplayRole:
            if column not in _FIELDS:
                return "Charged to" if column == Column.CHARGED_TO else "Started by"
            return f"CPU, {self.window_s:g} s" if column == Column.CPU else _FIELDS[column].header
        if role == Qt.ItemDataRole.TextAlignmentRole and column in _FIELDS and _FIELDS[column].is_number:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; it stays so when values change."""
        if column >= 0:
            self._order = (Column(column), order)
            self._arrange()


def _is_down(order: Qt.SortOrder) -> bool:
    return order == Qt.SortOrder.DescendingOrder
