"""The audit log as a table, the newest action first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.console.look.icons import pixmap
from fsconsole.console.look.theme import colour
from fsconsole.recording.audit import AuditRow

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
TITLES = ("Time", "Who", "Action", "On", "Before", "After", "Result", "Reason")
_MOST_FRESH = 50
_BEFORE, _RESULT, _REASON = 4, 6, 7


class AuditModel(QAbstractTableModel):
    """Rows of an audit log."""

    def __init__(self, clock: Callable[[int], str], parent: QObject | None = None) -> None:
        """`clock` says in words when a row's tick was."""
        super().__init__(parent)
        self._clock = clock
        self._rows: tuple[AuditRow, ...] = ()

    @property
    def rows(self) -> tuple[AuditRow, ...]:
        """What is shown, the newest first."""
        return self._rows

    def take(self, rows: tuple[AuditRow, ...]) -> None:
        """Show other rows, given oldest first; new ones come in at the top."""
        wanted = tuple(reversed(rows))
        if wanted == self._rows:
            return
        fresh = _fresh_rows(self._rows, wanted)
        if fresh is None:
            self.beginResetModel()
            self._rows = wanted
            self.endResetModel()
            return
        self.beginInsertRows(QModelIndex(), 0, fresh - 1)
        self._rows = wanted[:fresh] + self._rows
        self.endInsertRows()
        if len(wanted) < len(self._rows):  # the log keeps so many; the oldest go
            self.beginRemoveRows(QModelIndex(), len(wanted), len(self._rows) - 1)
            self._rows = wanted
            self.endRemoveRows()

    def cells(self, row: AuditRow) -> tuple[str, ...]:
        """A row's words."""
        result = "done" if row.done else "refused"
        why = "; ".join(filter(None, (row.why, "" if row.done else row.text)))
        at = self._clock(row.tick)
        on = row.on or (row.text if row.done else "")
        return (at, row.who, row.action, on, row.before, row.after, result, why)

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = self._rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cells(row)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(dict.fromkeys(filter(None, (self.cells(row)[column], row.text)))) or None
        if role == Qt.ItemDataRole.DecorationRole and column == _RESULT:
            return pixmap("ok", "ok") if row.done else pixmap("kill", "danger")
        if role == Qt.ItemDataRole.ForegroundRole:
            if column == _RESULT:
                return colour("ok" if row.done else "danger")
            return colour("muted") if column in (_BEFORE, _REASON) else None
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        is_title = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return TITLES[section] if is_title else None


def _fresh_rows(before: tuple[AuditRow, ...], after: tuple[AuditRow, ...]) -> int | None:
    """How many rows have come at the top; None where it is another log."""
    if not before:
        return None
    for fresh in range(1, min(len(after), _MOST_FRESH)):
        if after[fresh:] == before[: len(after) - fresh]:
            return fresh
    return None
