"""The groups of a tree: weights now and once applied, processes, what keeps weights from counting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from fsconsole.console.kit.tables import Column, FlatTree, RowModel
from fsconsole.console.linux.session import LINUX, LinuxSession
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.boxes import vbox
from fsconsole.shares.tree import ShareTree
from fsconsole.text import numbers
from fsconsole.text.words import count_words

_LEAST = "lowest weight by usage: inactive, or far above its share"
_IDLE = "idle: has the lowest weight until a process runs in it"


@dataclass(frozen=True, slots=True)
class _Row:
    node: int
    path: str
    shares: int
    weight: int | None
    wanted: int | None
    processes: int | None
    remark: str

    @property
    def is_staged(self) -> bool:
        """Whether applying gives it another weight."""
        return self.wanted is not None and self.wanted != self.weight


def _count(value: int | None) -> str:
    return numbers.UNKNOWN if value is None else numbers.thousands(value)


def _zero(value: int | None) -> int:
    return value if value is not None else -1


def _wanted(row: _Row) -> str:
    return _count(row.wanted) if row.is_staged else ""


_COLUMNS: tuple[Column[_Row], ...] = (
    Column("Group", lambda row: row.path, width=220, is_name=True),
    Column("Shares", lambda row: numbers.thousands(row.shares), "Shares among siblings, as edited",
           order=lambda row: row.shares, width=74, is_number=True),
    Column("Weight", lambda row: _count(row.weight), "CPU weight in the kernel now",
           order=lambda row: _zero(row.weight), width=74, is_number=True),
    Column("Once applied", _wanted, "CPU weight after Apply, where it differs",
           order=lambda row: _zero(row.wanted), width=92, is_number=True, ink=lambda _row: "accent"),
    Column("Processes", lambda row: _count(row.processes), "Processes in the group itself",
           order=lambda row: _zero(row.processes), width=80, is_number=True),
    Column("Remark", lambda row: row.remark, "Reason why its weight has no effect", ink=lambda _row: "warn"),
)  # fmt: skip


def least_weight_words(tree: ShareTree, node: int, processes: Mapping[int, int]) -> str:
    """Return the reason why a group has the least weight, by the processes in it and below."""
    is_idle = not any(processes.get(one.id, 0) for one in tree.walk(node))
    return _IDLE if is_idle and processes else _LEAST


class GroupsPanel(QWidget):
    """A click selects the nodes. Signals: counted(text) with how many groups there are."""

    counted = Signal(str)

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._linux: LinuxSession | None = None
        self.model: RowModel[_Row] = RowModel(_COLUMNS, key=lambda row: row.node)
        self.table = FlatTree(self.model, "Groups and weights", self, session.preferences, "live/groups")
        vbox(self.table, on=self)
        self.table.clicked.connect(self._on_chosen)

    def watch(self, linux: LinuxSession | None) -> None:
        """Show the groups of another target; the signals of the one before end with it."""
        if linux is not None and linux is not self._linux:
            for signal in (linux.changed, linux.staged):
                signal.connect(self._follow)
        self._linux = linux
        self._follow()

    @Slot()
    def _follow(self) -> None:
        if self.isVisible():
            self._show()

    def _show(self) -> None:
        linux = self._session.offer(LINUX)
        if linux is None:
            return
        tree, state, pending = linux.document.tree, linux.state, linux.pending
        remarks = {one.node: one.text for one in linux.problems() if one.node is not None}
        is_weighed = state.memory is not None
        if is_weighed:
            least = linux.worker.groups.hierarchy.limits.least
            few = [node for node, weight in state.weights.items() if weight == least and node in tree]
            remarks = {node: least_weight_words(tree, node, state.processes) for node in few} | remarks
        rows = [
            _Row(
                node.id,
                tree.path(node.id),
                node.shares,
                state.weights.get(node.id),
                pending.weights.get(node.id) if node.id in pending.nodes or not is_weighed else None,
                state.processes.get(node.id) if state.is_applied else None,
                remarks.get(node.id, ""),
            )
            for node in tree.walk()
            if node.parent is not None
        ]
        self.model.set_rows(tuple(rows))
        self.counted.emit(count_words(len(state.weights), "group") if state.is_applied else "")

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        chosen = self.table.selected() or [self.model.rows[index.row()]]
        self._session.select(row.node for row in chosen)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show()
