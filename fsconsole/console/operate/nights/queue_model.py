"""The near-dedicated queue as a table."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.console.look.theme import colour
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.operate.nights.replan import free_s
from fsconsole.console.operate.nights.words import mw
from fsconsole.console.widgets.chips import ChipState
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.neardedicated.view import Fit, NightView, QueueRow
from fsconsole.text import numbers
from fsconsole.text.durations import hours_minutes

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
ChipRole = int(Qt.ItemDataRole.UserRole) + 80
"""(state, icon) of a cell that is a chip."""

_CHIPS: dict[Fit, tuple[ChipState, str]] = {
    Fit.FITS: ("ok", "ok"),
    Fit.TOO_LONG: ("danger", "kill"),
    Fit.TAKES_CHANCES: ("warn", "warning"),
}
_KEPT_BACK: tuple[ChipState, str] = ("neutral", "locked")  # held, or not eligible


class Column(IntEnum):
    """Columns of the queue."""

    PLACE = 0
    USER = 1
    JOB = 2
    CPU = 3
    ESTIMATE = 4
    SHOWN = 5
    FIT = 6
    WHY = 7


_TITLES = ("#", "User", "Job", "CPU asked", "Estimate", "Shown eff.", "Fits", "Why")
_NUMBERS = (Column.PLACE, Column.CPU, Column.ESTIMATE, Column.SHOWN)


class QueueModel(QAbstractTableModel):
    """The rows of a night in the order of the queue."""

    def __init__(self, controller: NightController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._rows: tuple[QueueRow, ...] = ()
        self._required = 0.0
        self._fit_title = "Fits"
        self._is_closing = self._is_preview = False

    @property
    def rows(self) -> tuple[QueueRow, ...]:
        """What is shown."""
        return self._rows

    def row_of(self, request: int) -> int:
        """Where a job is; -1 for one that is not there."""
        return next((at for at, row in enumerate(self._rows) if row.request == request), -1)

    def take(self, night: NightView | None) -> None:
        """Show another night; jobs keep their selection."""
        rows = night.queue if night is not None else ()
        self._required = night.required_efficiency if night is not None else 0.0
        self._retitle(night)
        is_closing = night is not None and night.window.closing
        if is_closing != self._is_closing:
            self._is_closing = is_closing
            self._say_fits()
        if rows is self._rows:
            return
        before, after = [row.request for row in self._rows], [row.request for row in rows]
        if before == after:
            self._renew(rows)
        elif set(before) == set(after):
            self._reorder(rows, before)
        else:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def preview(self, *, is_preview: bool) -> None:
        """Whether the window is being moved: what fits is dimmed, it is that of the window as it is."""
        if is_preview != self._is_preview:
            self._is_preview = is_preview
            self._say_fits()

    def _say_fits(self) -> None:
        if self._rows:
            last = self.index(len(self._rows) - 1, Column.WHY)
            self.dataChanged.emit(self.index(0, Column.FIT), last)

    def _renew(self, rows: tuple[QueueRow, ...]) -> None:
        """Other values in the same order; only rows that differ are said to have changed."""
        changed = [at for at, (old, new) in enumerate(zip(self._rows, rows, strict=True)) if old != new]
        self._rows = rows
        if changed:
            last = self.index(changed[-1], len(Column) - 1)
            self.dataChanged.emit(self.index(changed[0], 0), last)

    def _retitle(self, night: NightView | None) -> None:
        title = fit_title(night, self._controller)
        if title != self._fit_title:
            self._fit_title = title
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, Column.FIT, Column.FIT)

    def _reorder(self, rows: tuple[QueueRow, ...], before: list[int]) -> None:
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        place = {row.request: at for at, row in enumerate(rows)}
        self._rows = rows
        moved = [self.index(place[before[index.row()]], index.column()) for index in kept]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(Column)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row, column = self._rows[index.row()], Column(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in _NUMBERS:
            return _RIGHT
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._ink(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip_of(row)
        if role == ChipRole and column is Column.FIT:
            state, icon = _CHIPS.get(row.fit, _KEPT_BACK)
            return ("neutral" if self._is_closing or self._is_preview else state, icon)
        if role == CopyRole and column is Column.CPU:
            return numbers.full(row.requested_cpu_s)
        return None

    def _text(self, row: QueueRow, column: Column) -> str:
        """No promise is made while the window is closing."""
        if self._is_closing and column is Column.FIT and row.fit in _CHIPS:
            return "Not started"
        if self._is_closing and column is Column.WHY:
            return "the window is closing"
        return text_of(row, column)

    def _ink(self, row: QueueRow, column: Column) -> Any:
        if column is Column.WHY:
            return colour("muted")
        is_low = row.shown_efficiency is not None and row.shown_efficiency < self._required
        return colour("danger") if column is Column.SHOWN and is_low else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._fit_title if section == Column.FIT else _TITLES[section]
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and section in _NUMBERS else None


def text_of(row: QueueRow, column: Column) -> str:
    """A cell's words."""
    texts = {
        Column.PLACE: str(row.place),
        Column.USER: row.person,
        Column.JOB: row.name,
        Column.CPU: hours_minutes(row.requested_cpu_s),
        Column.ESTIMATE: hours_minutes(row.estimate_s),
        Column.SHOWN: numbers.percent(row.shown_efficiency),
        Column.FIT: row.fit.value,
        Column.WHY: row.why,
    }
    return texts[column]


def tip_of(row: QueueRow) -> str:
    """All of a row."""
    lines = [f"Request {row.request}, {row.person} {row.name}", f"{row.fit.value}: {row.why}"]
    if row.memory_mw or row.sds_mw:
        lines.append(f"Needs {mw(row.memory_mw)} of memory, {mw(row.sds_mw)} of SDS")
    return "\n".join(lines)


def fit_title(night: NightView | None, controller: NightController) -> str:
    """What is left of the window when the next job could start: `In 4:30 left at 03:00`."""
    if night is None or night.window.end_s is None:
        return "Fits"
    if night.window.closing:
        return "Closing"
    at_s = free_s(night, by_pace=False)
    if at_s >= night.window.end_s:
        return "Nothing left"
    return f"In {hours_minutes(night.window.end_s - at_s)} left at {controller.times.short(at_s)}"
