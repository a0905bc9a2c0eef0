"""Fairshare of all users before and after new shares, those that change most first."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.app.forecast.cluster import Cluster
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.slurm.share_change import Effect
from fsconsole.text.numbers import fixed, full, signed

_Role = Qt.ItemDataRole
_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_TITLES = ("User", "Before", "After", "Change")
_ABOUT = (
    "Account and user",
    "Fairshare at the next calculation, unchanged",
    "Fairshare at the next calculation, with the new shares",
    "After less before",
)
_DIGITS = 3


class SharesModel(QAbstractTableModel):
    """A row for each user of a cluster, however many; all digits in the tooltip and when copied."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cluster: Cluster | None = None
        self._rows = np.empty(0, dtype=np.int64)
        self._values = np.empty((3, 0))

    def show_effect(self, cluster: Cluster | None, effect: Effect | None) -> None:
        """Show other fairshares, or none."""
        self.beginResetModel()
        self._cluster = cluster
        if cluster is None or effect is None:
            self._rows, self._values = np.empty(0, dtype=np.int64), np.empty((3, 0))
        else:
            change = effect.after - effect.before
            order = np.argsort(-np.abs(change), kind="stable")
            self._rows = effect.rows[order]
            self._values = np.stack([effect.before, effect.after, change])[:, order]
        self.endResetModel()

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> object:
        row, column = index.row(), index.column()
        if role == _Role.TextAlignmentRole:
            return _RIGHT if column else _LEFT
        if column == 0:
            is_text = role in (_Role.DisplayRole, _Role.ToolTipRole, CopyRole)
            return self._cluster.names[int(self._rows[row])] if is_text and self._cluster else None
        value = float(self._values[column - 1, row])
        if role == _Role.DisplayRole:
            return signed(value, _DIGITS) if column == len(_TITLES) - 1 else fixed(value, _DIGITS)
        return full(value) if role in (_Role.ToolTipRole, CopyRole) else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == _Role.DisplayRole:
            return _TITLES[section]
        if role == _Role.TextAlignmentRole:
            return _RIGHT if section else _LEFT
        return _ABOUT[section] if role == _Role.ToolTipRole else None
