"""Partitions and nodes as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.console.look.theme import colour
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.console.widgets.share_bar import ShareBarRole
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.targets.slurm.digest import NodeGroup, PartitionUse
from fsconsole.text import durations, numbers

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Field(Generic[_Row]):
    """A column of a table.

    Attributes:
        order: by what it is sorted; a number where `is_number`.
        fraction: of a bar left of the number; None for a column without.
        ink: token of its colour; empty for that of all text.
    """

    title: str
    tip: str
    text: Callable[[_Row], str]
    order: Callable[[_Row], Any]
    is_number: bool = False
    fraction: Callable[[_Row], float | None] | None = None
    ink: Callable[[_Row], str] = lambda _row: ""


class FieldModel(QAbstractTableModel, Generic[_Row]):
    """Rows of one kind; a click on a header sorts, and it stays so when values change."""

    def __init__(self, fields: Sequence[Field[_Row]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fields = tuple(fields)
        self._rows: tuple[_Row, ...] = ()
        self._given: tuple[_Row, ...] = ()
        self._sorted: tuple[int, bool] | None = None
        self.is_stale = False

    @property
    def rows(self) -> tuple[_Row, ...]:
        """As they stand."""
        return self._rows

    def take(self, rows: Sequence[_Row], *, is_stale: bool) -> None:
        """Show other rows; muted where they are old."""
        is_same = len(rows) == len(self._given)
        self._given, self.is_stale = tuple(rows), is_stale
        if not is_same:
            self.beginResetModel()
        self._rows = self._arranged()
        if not is_same:
            self.endResetModel()
        elif self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self._fields) - 1))

    def _arranged(self) -> tuple[_Row, ...]:
        if self._sorted is None:
            return self._given
        column, is_down = self._sorted
        return tuple(sorted(self._given, key=self._fields[column].order, reverse=is_down))

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """All rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """All columns."""
        return 0 if parent.isValid() else len(self._fields)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, colours and bars."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, field = self._rows[index.row()], self._fields[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, CopyRole):
            return field.text(row)
        if role == Qt.ItemDataRole.TextAlignmentRole and field.is_number:
            return _RIGHT
        if role == Qt.ItemDataRole.ForegroundRole:
            token = "muted" if self.is_stale else field.ink(row)
            return colour(token) if token else None
        if role == ShareBarRole.FRACTION and field.fraction is not None:
            return field.fraction(row)
        if role == ShareBarRole.COLOUR:
            return "g3" if self.is_stale else "c2"
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Titles and what they mean."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        field = self._fields[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return field.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return field.tip or None
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and field.is_number else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column from now on."""
        if column >= 0:
            self._sorted = (column, order == Qt.SortOrder.DescendingOrder)
            self.layoutAboutToBeChanged.emit()
            self._rows = self._arranged()
            self.layoutChanged.emit()


PartitionRow = tuple[Partition, PartitionUse]


def _busy(busy: int | None, cpus: int) -> str:
    return f"{numbers.UNKNOWN if busy is None else busy} / {cpus}"


def _part(busy: int | None, cpus: int) -> float | None:
    return None if busy is None or not cpus else busy / cpus


def _partition_ink(row: PartitionRow) -> str:
    return "ok" if row[0].state == "UP" else "warn"


def _node_ink(row: NodeGroup) -> str:
    state = row.state.rstrip("*~#!%$@^-+ ")
    if state.startswith(("down", "fail", "error", "unknown")) or "*" in row.state:
        return "danger"
    return "warn" if state.startswith(("drain", "maint", "reboot", "power")) else ""


PARTITION_FIELDS: tuple[Field[PartitionRow], ...] = (
    Field("Partition", "An asterisk marks where jobs go that name none",
          lambda row: row[0].name + ("*" if row[0].is_default else ""), lambda row: row[0].name),
    Field("State", "UP, DOWN, DRAIN or INACTIVE", lambda row: row[0].state, lambda row: row[0].state,
          ink=_partition_ink),
    Field("CPUs busy", "CPUs of its nodes that are allocated, whichever partition the jobs are in",
          lambda row: _busy(row[1].busy_cpus, row[1].cpus), lambda row: row[1].busy_cpus or 0,
          fraction=lambda row: _part(row[1].busy_cpus, row[1].cpus)),
    Field("Running", "Jobs that run in it", lambda row: numbers.thousands(row[1].running),
          lambda row: row[1].running, is_number=True),
    Field("Pending", "Jobs that wait for it, each task of an array counted",
          lambda row: numbers.thousands(row[1].waiting), lambda row: row[1].waiting, is_number=True),
    Field("Tier", "PriorityTier: jobs of a higher tier are placed first",
          lambda row: str(row[0].priority_tier), lambda row: row[0].priority_tier, is_number=True),
    Field("Preempt mode", "What is done to its jobs when others preempt them",
          lambda row: row[0].preempt_mode or numbers.UNKNOWN, lambda row: row[0].preempt_mode),
    Field("Max time", "Longest time limit", lambda row: durations.day_duration(row[0].max_time_s),
          lambda row: -1.0 if row[0].max_time_s is None else row[0].max_time_s, is_number=True),
    Field("Billing", "TRESBillingWeights; without any a CPU is billed once",
          lambda row: row[0].billing_weights or "CPU=1.0", lambda row: row[0].billing_weights),
    Field("Nodes", "", lambda row: row[0].nodes, lambda row: row[0].nodes),
)  # fmt: skip

NODE_FIELDS: tuple[Field[NodeGroup], ...] = (
    Field("State", "As sinfo has it; an asterisk: not responding", lambda row: row.state,
          lambda row: row.state, ink=_node_ink),
    Field("Nodes", "How many", lambda row: numbers.thousands(row.count), lambda row: row.count,
          is_number=True),
    Field("CPUs busy", "CPUs that are allocated", lambda row: _busy(row.busy_cpus, row.cpus),
          lambda row: row.busy_cpus or 0, fraction=lambda row: _part(row.busy_cpus, row.cpus)),
    Field("Names", "In Slurm's short form", lambda row: row.names, lambda row: row.names),
    Field("Reason", "Why they are down or drained", lambda row: row.reason, lambda row: row.reason),
)  # fmt: skip
