"""The levels between the root and two associations as a table: what is common muted, the parting tinted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.console.look.theme import colour, theme
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.slurm.insight import Level, Reason
from fsconsole.text import numbers

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_INDENT = "   "
RowRole = int(Qt.ItemDataRole.UserRole) + 90
"""Row of the tree that a level is of."""


@dataclass(frozen=True, slots=True)
class _Field:
    title: str
    tip: str
    text: Callable[[Level], str]
    full: Callable[[Level], object]
    is_of_fair_tree: bool | None = None


def _shares(level: Level) -> str:
    if not level.depth:
        return ""
    if level.shares is None:
        return "parent"
    return f"{numbers.thousands(level.shares)} of {numbers.thousands(level.level_shares)}"


def _percent(value: float) -> str:
    return numbers.percent(value, 3, unit=False)


def _over(level: Level) -> float:
    return level.effective_usage / level.norm_shares if level.norm_shares > 0 else math.inf


_FIELDS = (
    _Field("Level", "", lambda level: _INDENT * level.depth + level.name, lambda level: level.name),
    _Field("Shares", "Raw shares, of those on its level", _shares, _shares),
    _Field("Share %", "NormShares: the share that usage is held against",
           lambda level: _percent(level.norm_shares), lambda level: level.norm_shares),
    _Field("Usage %", "NormUsage: part of the cluster's usage",
           lambda level: _percent(level.norm_usage), lambda level: level.norm_usage),
    _Field("Eff. %", "EffectvUsage: usage that is held against the share",
           lambda level: _percent(level.effective_usage), lambda level: level.effective_usage),
    _Field("Eff. ÷ share",
           "Effective usage by share: who has less has the higher fairshare, F = 2^(−this ÷ dampening)",
           lambda level: numbers.fixed(_over(level), 3), _over, is_of_fair_tree=False),
    _Field("LevelFS", "LevelFS: shares by usage among siblings; who has more goes first",
           lambda level: numbers.fixed(level.level_fs, 4), lambda level: level.level_fs,
           is_of_fair_tree=True),
    _Field("Fairshare", "FairShare: who has more goes first", lambda level: numbers.fixed(level.fairshare, 4),
           lambda level: level.fairshare),
)  # fmt: skip


class LevelModel(QAbstractTableModel):
    """Rows are levels; the columns follow the algorithm."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._levels: tuple[Level, ...] = ()
        self._fields: tuple[_Field, ...] = _FIELDS
        theme().changed.connect(self._repaint)

    @property
    def levels(self) -> tuple[Level, ...]:
        """From the root: common, the way to the one, the way to the other."""
        return self._levels

    def show_reason(self, reason: Reason | None, *, is_fair_tree: bool) -> None:
        """Show other levels."""
        levels = () if reason is None else reason.levels
        fields = tuple(field for field in _FIELDS if field.is_of_fair_tree in (None, is_fair_tree))
        if fields == self._fields and [one.row for one in levels] == [one.row for one in self._levels]:
            self._levels = levels
            self._repaint()
            return
        self.beginResetModel()
        self._levels, self._fields = levels, fields
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Levels of both ways."""
        return 0 if parent.isValid() else len(self._levels)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """As many as the algorithm needs."""
        return 0 if parent.isValid() else len(self._fields)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text and colours."""
        if not index.isValid() or index.row() >= len(self._levels):
            return None
        level, field = self._levels[index.row()], self._fields[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return field.text(level)
        if role in (Qt.ItemDataRole.ToolTipRole, CopyRole):
            full = field.full(level)
            return numbers.full(full) if isinstance(full, float) else str(full)
        if role == RowRole:
            return level.row
        if role == Qt.ItemDataRole.ForegroundRole:
            return colour("muted") if level.which == "common" else None
        if role == Qt.ItemDataRole.BackgroundRole:
            return colour("warnbg") if level.is_parting else None
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and index.column() else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Titles and what they mean."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self._fields):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._fields[section].title
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._fields[section].tip or None
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and section else None

    def _repaint(self) -> None:
        if self._levels:
            last = self.index(len(self._levels) - 1, len(self._fields) - 1)
            self.dataChanged.emit(self.index(0, 0), last)
