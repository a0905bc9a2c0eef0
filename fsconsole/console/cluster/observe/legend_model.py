"""The rows of associations: the tree with what is drawn, and what sshare and squeue say of each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt

from fsconsole.console.cluster.observe.watch import Watch
from fsconsole.console.look.fonts import tabular_font
from fsconsole.console.look.theme import colour
from fsconsole.console.observe.legend_model import LegendModel
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.tree import ROOT_ID, Node
from fsconsole.slurm.standing import Standing
from fsconsole.targets.slurm.digest import Digest
from fsconsole.targets.slurm.state import PartName
from fsconsole.text import numbers

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_HOUR_S = 3600.0
LAGS = "~"


class Column(IntEnum):
    """Columns of the associations."""

    NODE = 0
    SHARES = 1
    NORM_SHARES = 2
    NORM_USAGE = 3
    EFFECTIVE = 4
    FAIRSHARE = 5
    LEVEL_FS = 6
    USAGE = 7
    CPUS = 8
    WAITING = 9


@dataclass(frozen=True, slots=True)
class _Field:
    """A column of values.

    Attributes:
        part: by whose reading its values are as old as they are.
        value: of a row of the tree; NaN where nothing is known.
        text: how it is written.
        scale: what the full value is multiplied by in the tool tip and when it is copied.
    """

    title: str
    tip: str
    part: PartName
    value: Callable[[Digest, int], float]
    text: Callable[[float], str]
    scale: float = 1.0


def _of(pick: Callable[[Standing], Any]) -> Callable[[Digest, int], float]:
    def value(digest: Digest, row: int) -> float:
        standing = digest.state.standing
        column = () if standing is None else pick(standing)
        return float(column[row]) if row < len(column) else math.nan

    return value


def _percent(value: float) -> str:
    return numbers.percent(value, 2, unit=False)


def _count(value: float) -> str:
    return numbers.thousands(value) if value else ""


_FIELDS = {
    Column.NORM_SHARES: _Field(
        "Share %", "NormShares: part of the cluster; under Fair Tree part of the level", PartName.USAGE,
        _of(lambda one: one.printed.norm_shares), _percent, 100.0),
    Column.NORM_USAGE: _Field(
        "Usage %", "NormUsage: decayed usage as a part of the cluster's", PartName.USAGE,
        _of(lambda one: one.norm_usage), _percent, 100.0),
    Column.EFFECTIVE: _Field(
        "Eff. %", "EffectvUsage: the usage that is held against the share", PartName.USAGE,
        _of(lambda one: one.printed.effective_usage), _percent, 100.0),
    Column.FAIRSHARE: _Field(
        "Fairshare", "FairShare: who has more goes first", PartName.USAGE,
        _of(lambda one: one.printed.fairshare), lambda value: numbers.fixed(value, 4)),
    Column.LEVEL_FS: _Field(
        "LevelFS", "LevelFS: shares by usage among siblings; who has more goes first", PartName.USAGE,
        _of(lambda one: one.printed.level_fs), lambda value: numbers.fixed(value, 3)),
    Column.USAGE: _Field(
        "Usage h", "Raw usage: in billing-hours, by default CPU hours, decayed", PartName.USAGE,
        _of(lambda one: one.raw_usage), lambda value: numbers.si(value / _HOUR_S), 1 / _HOUR_S),
    Column.CPUS: _Field(
        "CPUs", "CPUs of jobs that run", PartName.JOBS,
        lambda digest, row: float(digest.cpus[row]), _count),
    Column.WAITING: _Field(
        "Pending", "Jobs that wait, each task of an array counted", PartName.JOBS,
        lambda digest, row: float(digest.waiting[row]), _count),
}  # fmt: skip
_PARTS = (PartName.USAGE, PartName.JOBS, PartName.TREE)


class AssociationModel(LegendModel):
    """The document's tree with what the cluster says of each association."""

    def __init__(self, session: ConsoleSession, watch: Watch, parent: QObject | None = None) -> None:
        self._watch = watch
        self._digest: Digest | None = None
        self._stale: dict[PartName, str] = {}
        super().__init__(session, parent)

    def take_values(self) -> None:
        """Take the newest values, and which of them are old."""
        self._digest = self._watch.digest
        self._stale = {name: words for name in _PARTS if (words := self._watch.stale_words(name))}

    def row_of(self, node: int) -> int | None:
        """The row of an association in the cluster; None where the cluster has none of it."""
        digest = self._digest
        return digest.index.row_of.get(node) if digest is not None and digest.index is not None else None

    def remark(self, node: int) -> str:
        """In place of values: that the cluster does not have it."""
        is_known = self._digest is None or self._digest.index is None or self.row_of(node) is not None
        return "" if is_known else "staged, not in the cluster"

    def _field_text(self, node: int, column: int) -> str:
        row = self.row_of(node)
        if row is None or self._digest is None:
            return ""
        if column == Column.SHARES:
            return self._shares(row)
        field = _FIELDS[Column(column)]
        value = field.value(self._digest, row)
        if column == Column.LEVEL_FS and math.isnan(value):
            return ""
        mark = LAGS if column == Column.FAIRSHARE and self._lag(node) else ""
        return mark + field.text(value)

    def _shares(self, row: int) -> str:
        if self._digest is None or self._digest.index is None or not row:
            return ""
        shares = int(self._digest.index.tree.stored.tree.shares[row])
        return "parent" if shares == PARENT_SHARES else numbers.thousands(shares)

    def _lag(self, node: int) -> str:
        standing = None if self._digest is None else self._digest.state.standing
        return "" if standing is None else standing.lagging.get(node, "")

    def _full(self, node: int, column: int) -> str:
        row = self.row_of(node)
        if row is None or self._digest is None:
            return ""
        if column == Column.SHARES:
            return self._shares(row)
        field = _FIELDS[Column(column)]
        return numbers.full(field.value(self._digest, row) * field.scale)

    def _tip(self, node: int, column: int) -> str | None:
        if not self._field_text(node, column):
            return None
        title = "" if column == Column.SHARES else f"{_FIELDS[Column(column)].tip}: "
        lines = [f"{title}{self._full(node, column)}"]
        if column == Column.SHARES:
            lines = [f"Raw shares {self._full(node, column)}{self._staged(node)}"]
        lag = self._lag(node) if _part(column) is PartName.USAGE else ""
        return "\n".join(filter(None, [*lines, lag, self._stale.get(_part(column), "")]))

    def _staged(self, node: int) -> str:
        """What the document has, where that is not what the cluster has."""
        tree, row = self.tree, self.row_of(node)
        if tree is None or row is None or node == ROOT_ID:
            return ""
        mine = (
            "parent" if "Fairshare" in tree.node(node).foreign else numbers.thousands(tree.node(node).shares)
        )
        return "" if mine == self._shares(row) else f", staged: {mine}"

    def _of_name(self, node: Node, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return node.name
        return super()._of_name(node, role)

    def _of_value(self, node: int, column: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return "" if self.remark(node) else self._field_text(node, column)
        if role == CopyRole:
            return self._full(node, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        if role == Qt.ItemDataRole.ForegroundRole:
            return colour("muted") if _part(column) in self._stale else None
        if role == Qt.ItemDataRole.FontRole and column == Column.FAIRSHARE:
            return tabular_font(semibold=True)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(node, column)
        return None

    # -- Qt's overrides -----------------------------------------------------------------------------------

    def columnCount(self, _parent: Index = _NOWHERE) -> int:
        """Name and values."""
        return len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Titles, tips, alignment."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        field = _FIELDS.get(Column(section))
        if role == Qt.ItemDataRole.DisplayRole:
            return field.title if field is not None else ("Association", "Shares")[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return field.tip if field is not None else ("", "Raw shares as stored, among siblings")[section]
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and section else None


def _part(column: int) -> PartName:
    return PartName.TREE if column == Column.SHARES else _FIELDS[Column(column)].part
