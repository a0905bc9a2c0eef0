"""The dock of partitions and nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QSplitter, QTableView, QVBoxLayout, QWidget

from fsconsole.console.live.cluster.partition_model import (
    NODE_FIELDS,
    PARTITION_FIELDS,
    Field,
    FieldModel,
    PartitionRow,
)
from fsconsole.console.live.cluster.watch import Watch
from fsconsole.console.look.theme import theme
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.copying import copy_by_keys
from fsconsole.console.widgets.share_bar import MACHINE_BAR_WIDTH, ShareBarDelegate
from fsconsole.console.widgets.table_columns import TableColumns
from fsconsole.targets.slurm.digest import Digest, NodeGroup
from fsconsole.targets.slurm.state import PartName

_ROW = 24
_PARTITION_WIDTHS = (90, 54, 170, 70, 70, 44, 114, 80, 80)
_NODE_WIDTHS = (96, 58, 190, 130)
_PARTS = (870, 640)  # of the width


class PartitionPanel(QWidget):
    """Partitions left, nodes by state and reason right; values follow while they are in sight.

    Attributes:
        told: called with a sentence about how many there are, for the dock's header.
    """

    def __init__(self, session: ConsoleSession, watch: Watch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._watch = watch
        self.told: Callable[[str], None] = lambda _words: None
        self.partitions: FieldModel[PartitionRow] = FieldModel(PARTITION_FIELDS, self)
        self.nodes: FieldModel[NodeGroup] = FieldModel(NODE_FIELDS, self)
        self.partition_table = _table(self.partitions, "Partitions", _PARTITION_WIDTHS, 2, self)
        self.node_table = _table(self.nodes, "Nodes by state", _NODE_WIDTHS, 2, self)
        preferences = session.preferences
        self.columns = [
            TableColumns(
                self.partition_table, preferences, "cluster.observe/partitions", _names(PARTITION_FIELDS)
            ),
            TableColumns(self.node_table, preferences, "cluster.observe/nodes", _names(NODE_FIELDS)),
        ]
        self._split = QSplitter(Qt.Orientation.Horizontal, self)
        self._split.setChildrenCollapsible(False)
        for number, table in enumerate((self.partition_table, self.node_table)):
            self._split.addWidget(table)
            self._split.setStretchFactor(number, _PARTS[number])
        self._split.setSizes(list(_PARTS))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._split)
        watch.changed.connect(self.refresh)
        watch.begun.connect(self.refresh)
        theme().changed.connect(self.refresh)

    def set_narrow(self, *, narrow: bool) -> None:
        """Leave out what is needed least where there is no room."""
        titles = [field.title for field in PARTITION_FIELDS]
        self.columns[0].squeeze({titles.index(name) for name in ("Billing", "Nodes")} if narrow else ())

    @Slot()
    def refresh(self) -> None:
        """Show the newest values."""
        if not self.isVisible():
            return
        digest = self._watch.digest
        is_old = [bool(self._watch.stale_words(name)) for name in (PartName.PARTITIONS, PartName.NODES)]
        rows = () if digest is None else tuple(zip(digest.state.partitions, digest.partitions, strict=True))
        self.partitions.take(rows, is_stale=is_old[0])
        self.nodes.take(() if digest is None else digest.groups, is_stale=is_old[1])
        self.told(_count(digest))

    def sizeHint(self) -> QSize:
        """Five rows."""
        return QSize(900, _ROW * 6)

    def minimumSizeHint(self) -> QSize:
        """Three rows."""
        return QSize(480, _ROW * 4)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up."""
        super().showEvent(event)
        self.refresh()


def _names(fields: Sequence[Field[PartitionRow]] | Sequence[Field[NodeGroup]]) -> list[str]:
    return [field.title.lower() for field in fields]


def _count(digest: Digest | None) -> str:
    if digest is None:
        return ""
    nodes = len(digest.state.nodes)
    unusable = sum(group.count for group in digest.groups if group.reason)
    words = f"{len(digest.partitions)} partitions, {nodes} nodes"
    return f"{words}, {unusable} of them with a reason not to be used" if unusable else words


def _table(
    model: FieldModel[PartitionRow] | FieldModel[NodeGroup],
    name: str,
    widths: Sequence[int],
    bar: int,
    parent: QWidget,
) -> QTableView:
    table = QTableView(parent)
    table.setModel(model)
    table.setAccessibleName(name)
    table.setFrameShape(table.Shape.NoFrame)
    table.setShowGrid(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)
    table.setItemDelegateForColumn(bar, ShareBarDelegate(table, MACHINE_BAR_WIDTH, "0000 / 0000"))
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(_ROW)
    header = table.horizontalHeader()
    header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    table.setSortingEnabled(True)
    header.setHighlightSections(False)
    header.setStretchLastSection(True)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    for column, width in enumerate(widths):
        header.resizeSection(column, width)
    copy_by_keys(table)
    return table
