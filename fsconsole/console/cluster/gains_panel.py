"""Who gains and who loses: the fairshares to be expected once all that is staged is applied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTreeView, QVBoxLayout, QWidget

from fsconsole.console.cluster.change_table import DIGITS, fairshare_words
from fsconsole.console.cluster.staged import Gain
from fsconsole.console.cluster.watching import StagingPanel
from fsconsole.console.look import icons
from fsconsole.console.look.fonts import tabular_font
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.buttons import SegmentedButtons
from fsconsole.console.widgets.copying import CopyRole, copy_by_keys
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.targets.slurm.link_words import at
from fsconsole.text import numbers

_Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
_Role = Qt.ItemDataRole
_TITLES = ("Association", "Last calculated", "Unchanged", "With changes", "Difference")
_TIPS = (
    "",
    "FairShare as sshare prints it, of the last calculation of slurmctld",
    "FairShare at the next calculation without the staged changes",
    "FairShare at the next calculation with all staged changes",
    "With changes less unchanged: what the changes alone do",
)
_DIFFERENCE = 4
_BESIDE_PX = 26  # margins of a cell or a title
_WIDEST = "−0.000000"
_MOST = 1000


class GainsModel(QAbstractTableModel):
    """Rows of gains, those that change most first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._gains: Sequence[Gain] = ()
        self._by_role: Mapping[int, Any] = {
            _Role.DisplayRole: _text,
            _Role.ToolTipRole: _text,
            CopyRole: _text,
            _Role.DecorationRole: _icon,
            _Role.FontRole: lambda _, column: tabular_font(semibold=True) if column == _DIFFERENCE else None,
        }

    @property
    def gains(self) -> Sequence[Gain]:
        """What is shown."""
        return self._gains

    def show_gains(self, gains: Sequence[Gain]) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self._gains = gains
        self.endResetModel()

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:
        """Rows at the top alone."""
        return 0 if parent.isValid() else len(self._gains)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:
        """One for each title."""
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Text, icon, font and alignment of a cell."""
        if not index.isValid():
            return None
        if role == _Role.TextAlignmentRole and index.column():
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        found = self._by_role.get(role)
        return found(self._gains[index.row()], index.column()) if found is not None else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        """The titles, aligned like their columns."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(_TITLES):
            return None
        if role == _Role.DisplayRole:
            return _TITLES[section]
        if role == _Role.ToolTipRole:
            return _TIPS[section] or None
        if role == _Role.TextAlignmentRole and section:
            return Qt.AlignmentFlag.AlignRight
        return None


class GainsPanel(StagingPanel):
    """Of users, or of all associations; click selects the node."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.model = GainsModel(self)
        self.table = QTreeView(self)
        self.table.setAccessibleName("Expected FairShare")
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setAllColumnsShowFocus(True)
        self.table.setSelectionMode(QTreeView.SelectionMode.ExtendedSelection)
        self.table.setModel(self.model)
        self.table.header().setStretchLastSection(False)
        self.table.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        bold = QFontMetrics(tabular_font(semibold=True)).horizontalAdvance(_WIDEST)
        for column, title in enumerate(_TITLES[1:], 1):
            words = self.table.header().fontMetrics().horizontalAdvance(title)
            self.table.setColumnWidth(column, max(words, bold) + _BESIDE_PX)
        copy_by_keys(self.table)
        self.whose = SegmentedButtons(((True, "Users"), (False, "All")), "Whose FairShare", self)
        self._summary = MutedLabel("", self)
        self._notice = EmptyNotice(self.table)
        head = QHBoxLayout()
        head.setContentsMargins(8, 6, 8, 6)
        head.setSpacing(12)
        head.addWidget(self.whose)
        head.addWidget(self._summary, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.table, 1)
        self.whose.chosen.connect(self.follow)
        self.table.clicked.connect(self._select)
        self.watch()

    @property
    def summary(self) -> str:
        """How many gain and lose."""
        return self._summary.text()

    @Slot()
    def follow(self) -> None:
        """Show what is to be expected; an older answer stays until the new one is there."""
        staging = self.staging
        if staging is None or (staging.nodes and staging.is_working):
            return
        gains = [one for one in staging.staged.gains.values() if one.is_user or not self.whose.value]
        self.model.show_gains(gains[:_MOST])
        self._summary.setText(_summary(gains, staging.staged.usage_s))
        if gains:
            self._notice.hide()
        elif staging.nodes:
            why = staging.staged.why_no_gains or staging.problem
            self._notice.say(why or "FairShare changes for nobody in the digits that sshare prints.")
        else:
            self._notice.say("No staged changes. Edit shares to see the expected FairShare.")

    @Slot(QModelIndex)
    def _select(self, _index: QModelIndex) -> None:
        document = self.session.document
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        if document is not None:
            nodes = [self.model.gains[row].node for row in rows]
            self.session.select(node for node in nodes if node in document.tree)


def _text(gain: Gain, column: int) -> str:
    match column:
        case 0:
            return gain.name
        case 1:
            return fairshare_words(gain.last)
        case 2:
            return fairshare_words(gain.before)
        case 3:
            return fairshare_words(gain.after)
    return numbers.signed(gain.difference, DIGITS)


def _icon(gain: Gain, column: int) -> Any:
    return icons.icon("user" if gain.is_user else "group", "muted") if column == 0 else None


def _summary(gains: Sequence[Gain], usage_s: float | None) -> str:
    more = sum(gain.difference > 0 for gain in gains)
    less = sum(gain.difference < 0 for gain in gains)
    if not more and not less:
        return ""
    shown = f", the first {numbers.thousands(_MOST)} shown" if len(gains) > _MOST else ""
    of = f"; usage of {at(usage_s)}" if usage_s is not None else ""
    return f"{numbers.thousands(more)} gain, {numbers.thousands(less)} lose{shown}{of}"
