"""The dock of partitions and nodes."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

from fsconsole.console.kit.tables import Bar, Column, RowModel, Table
from fsconsole.console.live.cluster.current_cluster import CurrentCluster
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.sizes import row_px
from fsconsole.console.style.theme import theme
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.share_bar import MACHINE_BAR_WIDTH
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.summary import ClusterSummary, NodeGroup, PartitionUse
from fsconsole.text import durations, numbers
from fsconsole.text.words import count_words

_WIDTH_RATIO = (870, 640)
_WIDEST = "000 000 / 000 000"
PartitionRow = tuple[Partition, PartitionUse]


def _busy(busy: int | None, cpus: int) -> str:
    return f"{numbers.thousands(busy)} / {numbers.thousands(cpus)}"


def _part(busy: int | None, cpus: int) -> float | None:
    return None if busy is None or not cpus else busy / cpus


def _known(busy: int | None) -> int:
    """Return the number for sorting: -1 for an unknown one, which comes before 0."""
    return -1 if busy is None else busy


def _partition_ink(row: PartitionRow) -> str:
    return "ok" if row[0].state == "UP" else "warn"


def _node_ink(row: NodeGroup) -> str:
    state = row.state.rstrip("*~#!%$@^-+ ")
    if state.startswith(("down", "fail", "error", "unknown")) or "*" in row.state:
        return "danger"
    return "warn" if state.startswith(("drain", "maint", "reboot", "power")) else ""


PARTITION_COLUMNS: tuple[Column[PartitionRow], ...] = (
    Column("Partition", lambda row: row[0].name + ("*" if row[0].is_default else ""),
           "* marks the default partition", order=lambda row: row[0].name, width=90,
           is_name=True),
    Column("State", lambda row: row[0].state, "UP, DOWN, DRAIN or INACTIVE", ink=_partition_ink, width=54),
    Column("CPUs busy", lambda row: _busy(row[1].busy_cpus, row[1].cpus),
           "Allocated CPUs of its nodes, also those allocated in other partitions",
           order=lambda row: _known(row[1].busy_cpus), width=210,
           bar=Bar(lambda row: _part(row[1].busy_cpus, row[1].cpus), MACHINE_BAR_WIDTH, _WIDEST)),
    Column("Running", lambda row: numbers.thousands(row[1].running), "Running jobs in the partition",
           order=lambda row: row[1].running, width=70, is_number=True),
    Column("Pending", lambda row: numbers.thousands(row[1].waiting),
           "Pending jobs for the partition, without held ones. Each task of an array is a job",
           order=lambda row: row[1].waiting, width=70, is_number=True),
    Column("Tier", lambda row: str(row[0].priority_tier),
           "PriorityTier: jobs of a higher tier are placed first", order=lambda row: row[0].priority_tier,
           width=44, is_number=True),
    Column("Preempt mode", lambda row: row[0].preempt_mode or numbers.UNKNOWN,
           "Action on its jobs when other jobs preempt them", width=114),
    Column("Max time", lambda row: durations.day_duration(row[0].max_time_s), "Longest time limit",
           order=lambda row: -1.0 if row[0].max_time_s is None else row[0].max_time_s, width=80,
           is_number=True),
    Column("Billing", lambda row: row[0].billing_weights or "CPU=1.0",
           "TRESBillingWeights. Without weights, each CPU is billed once", width=80),
    Column("Nodes", lambda row: row[0].nodes, is_name=True),
)  # fmt: skip

NODE_COLUMNS: tuple[Column[NodeGroup], ...] = (
    Column("State", lambda row: row.state, (
        "State in sinfo's words. An asterisk marks nodes that do not respond"
    ), ink=_node_ink,
           width=96),
    Column("Nodes", lambda row: numbers.thousands(row.count), "How many", order=lambda row: row.count,
           width=58, is_number=True),
    Column("CPUs busy", lambda row: _busy(row.busy_cpus, row.cpus), "Allocated CPUs",
           order=lambda row: _known(row.busy_cpus), width=210,
           bar=Bar(lambda row: _part(row.busy_cpus, row.cpus), MACHINE_BAR_WIDTH, _WIDEST)),
    Column("Names", lambda row: row.names, "Names in Slurm's short form", width=130, is_name=True),
    Column("Reason", lambda row: row.reason, "Reason why they are down or drained"),
)  # fmt: skip


class PartitionPanel(QWidget):
    """Partitions left, nodes by state and reason right; values follow while they are in sight.

    Signals: counted(words) with how many there are, for the dock's header.
    """

    counted = Signal(str)

    def __init__(self, session: ConsoleSession, watch: CurrentCluster, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._watch = watch
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
        for number, part in enumerate(_WIDTH_RATIO):
            self._split.setStretchFactor(number, part)
        self._split.setSizes(list(_WIDTH_RATIO))
        vbox(self._split, on=self)
        watch.changed.connect(self.refresh)
        watch.begun.connect(self.refresh)
        theme().changed.connect(self.refresh)

    def set_narrow(self, *, narrow: bool) -> None:
        """Hide the least important columns if there is no room."""
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
        self.counted.emit(_count(digest))

    def sizeHint(self) -> QSize:
        return QSize(900, row_px() * 6)

    def minimumSizeHint(self) -> QSize:
        return QSize(480, row_px() * 4)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()


def _count(digest: ClusterSummary | None) -> str:
    if digest is None:
        return ""
    nodes = len(digest.state.nodes)
    unusable = sum(group.count for group in digest.groups if group.reason)
    words = f"{count_words(len(digest.partitions), 'partition')}, {count_words(nodes, 'node')}"
    return (
        f"{words}. {numbers.thousands(unusable)} of them are marked unusable with a reason"
        if unusable
        else words
    )
