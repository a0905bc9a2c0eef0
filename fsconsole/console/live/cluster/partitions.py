"""The dock of partitions and nodes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from fsconsole.console.kit.tables import ROW_PX, RowModel, Table
from fsconsole.console.live.cluster.current_cluster import CurrentCluster
from fsconsole.console.live.cluster.partition_columns import NODE_COLUMNS, PARTITION_COLUMNS
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import theme
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.summary import ClusterSummary

_PARTS = (870, 640)  # of the width


class PartitionPanel(QWidget):
    """Partitions left, nodes by state and reason right; values follow while they are in sight.

    Attributes:
        told: called with a sentence about how many there are, for the dock's header.
    """

    def __init__(self, session: ConsoleSession, watch: CurrentCluster, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._watch = watch
        self.told: Callable[[str], None] = lambda _words: None
        self.partitions = RowModel(PARTITION_COLUMNS, self, key=lambda row: row[0].name)
        self.nodes = RowModel(NODE_COLUMNS, self, key=lambda row: (row.state, row.reason))
        self.partition_table = Table(
            self.partitions, "Partitions", self, session.preferences, "cluster.observe/partitions", sorts=True
        )
        self.node_table = Table(
            self.nodes, "Nodes by state", self, session.preferences, "cluster.observe/nodes", sorts=True
        )
        self._split = QSplitter(Qt.Orientation.Horizontal, self)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.partition_table)
        self._split.addWidget(self.node_table)
        for number, part in enumerate(_PARTS):
            self._split.setStretchFactor(number, part)
        self._split.setSizes(list(_PARTS))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._split)
        watch.changed.connect(self.refresh)
        watch.begun.connect(self.refresh)
        theme().changed.connect(self.refresh)

    def set_narrow(self, *, narrow: bool) -> None:
        """Leave out what is needed least where there is no room."""
        self.partition_table.squeeze(("billing", "nodes") if narrow else ())

    @Slot()
    def refresh(self) -> None:
        """Show the newest values."""
        if not self.isVisible():
            return
        digest = self._watch.digest
        is_old = [bool(self._watch.stale_words(name)) for name in (PartName.PARTITIONS, PartName.NODES)]
        rows = () if digest is None else tuple(zip(digest.state.partitions, digest.partitions, strict=True))
        self.partitions.set_rows(rows, is_stale=is_old[0])
        self.nodes.set_rows(() if digest is None else digest.groups, is_stale=is_old[1])
        self.told(_count(digest))

    def sizeHint(self) -> QSize:
        return QSize(900, ROW_PX * 6)

    def minimumSizeHint(self) -> QSize:
        return QSize(480, ROW_PX * 4)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()


def _count(digest: ClusterSummary | None) -> str:
    if digest is None:
        return ""
    nodes = len(digest.state.nodes)
    unusable = sum(group.count for group in digest.groups if group.reason)
    words = f"{len(digest.partitions)} partitions, {nodes} nodes"
    return f"{words}, {unusable} of them with a reason not to be used" if unusable else words
