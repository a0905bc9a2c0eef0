"""How the reading of each part of the cluster goes: when, how long it took, what is wrong, what is next."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from fsconsole.console.look.icons import pixmap
from fsconsole.console.look.theme import colour
from fsconsole.console.operate.jobs import moments
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.console.widgets.copying import copy_by_keys
from fsconsole.console.widgets.table_columns import TableColumns
from fsconsole.targets.slurm.state import Part, PartName
from fsconsole.text import numbers

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole
TITLES = ("Part", "State", "As of", "Took", "Next", "Problem")
_STATE, _PROBLEM = 1, 5
_WIDTHS = (110, 110, 84, 72, 84)
_ROW = 24
_SECOND_MS = 1000
READS = {
    PartName.SETTINGS: "scontrol show config",
    PartName.TREE: "sacctmgr show assoc",
    PartName.USAGE: "sshare",
    PartName.JOBS: "squeue",
    PartName.PARTITIONS: "scontrol show partition",
    PartName.NODES: "sinfo",
    PartName.RESERVATIONS: "scontrol show reservation",
}


class PartsModel(QAbstractTableModel):
    """A row for each part."""

    def __init__(self, controller: JobController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller

    def follow(self) -> None:
        """Say that all may be otherwise now."""
        self.dataChanged.emit(self.index(0, 0), self.index(len(PartName) - 1, len(TITLES) - 1))

    def part(self, row: int) -> Part:
        """How a part stands; one that nothing is known of as never read."""
        state = self._controller.state
        return (state.parts.get(tuple(PartName)[row]) if state is not None else None) or Part()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(PartName)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(TITLES)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        name, part, column = tuple(PartName)[index.row()], self.part(index.row()), index.column()
        if role == _Role.DisplayRole:
            return cells(name, part)[column]
        word, icon, token = state_of(part)
        if role == _Role.DecorationRole and column == _STATE:
            return pixmap(icon, token)
        if role == _Role.ForegroundRole and column in (_STATE, _PROBLEM):
            return colour(token) if word in ("fails", "partly") else None
        return _tip(name, part) if role == _Role.ToolTipRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        is_title = orientation == Qt.Orientation.Horizontal and role == _Role.DisplayRole
        return TITLES[section] if is_title else None


class PartsView(QTableView):
    """The table; times go on each second while it is seen."""

    def __init__(self, controller: JobController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.parts = PartsModel(controller, self)
        self.setModel(self.parts)
        self.setAccessibleName("How the cluster answers")
        self.setFrameShape(self.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(_ROW)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate(_WIDTHS):
            header.resizeSection(column, width)
        names = [title.lower() for title in TITLES]
        self.columns = TableColumns(self, controller.session.preferences, "cluster/parts", names)
        copy_by_keys(self)
        self._timer = QTimer(self)
        self._timer.setInterval(_SECOND_MS)
        self._timer.timeout.connect(self._follow)
        controller.changed.connect(self._follow)

    @Slot()
    def _follow(self) -> None:
        if self.isVisible():
            self.parts.follow()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()
        self._follow()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()


def state_of(part: Part) -> tuple[str, str, str]:
    """A part's state as a word, an icon and the token of its ink."""
    if part.problem:
        return "fails", "warning", "danger"
    if part.is_reading:
        return "reading", "waiting", "muted"
    if part.as_of_s is None:
        return "not read", "waiting", "muted"
    return ("partly", "warning", "warn") if part.notes else ("answers", "ok", "ok")


def cells(name: PartName, part: Part) -> tuple[str, ...]:
    """A row's words."""
    took = (
        f"{numbers.fixed(part.took_s, 2)} s" if part.as_of_s is not None or part.problem else numbers.UNKNOWN
    )
    upcoming = moments.clock(part.next_s) if part.next_s else numbers.UNKNOWN
    said = part.problem or (part.notes[0] if part.notes else "")
    return (name.capitalize(), state_of(part)[0], moments.clock(part.as_of_s), took, upcoming, said)


def _tip(name: PartName, part: Part) -> str:
    lines = [f"{name.capitalize()}: {READS[name]}", part.problem, *part.notes[:20]]
    if part.is_reading:
        lines.append(f"being read since {moments.clock(part.began_s)}")
    return "\n".join(line for line in lines if line)
