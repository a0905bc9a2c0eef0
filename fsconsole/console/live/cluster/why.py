"""Why one association goes before another, of a real cluster: levels in a table, the verdict in words."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QModelIndex, QSize, Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from fsconsole.console.insight.pair import Pair
from fsconsole.console.live.cluster.watch import Watch
from fsconsole.console.live.cluster.why_model import LevelModel, RowRole
from fsconsole.console.look.fonts import tabular_font
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.copying import copy_by_keys
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.widgets.scrolling import scrolling
from fsconsole.slurm.insight import Measured, Reason, why
from fsconsole.slurm.parsers.scontrol_config import UNKNOWN_RULE, SlurmConfig
from fsconsole.targets.slurm.digest import Digest
from fsconsole.targets.slurm.state import PartName
from fsconsole.text import numbers

_ROW, _LOW_ROW = 22, 18
_MARGIN = 12
_SIDE_PX = 540


class ClusterWhy(QWidget):
    """Two associations: the first is the selected one, the second the next selected or another."""

    def __init__(
        self, session: ConsoleSession, watch: Watch, parent: QWidget | None = None, *, is_narrow: bool = False
    ) -> None:
        """`is_narrow` puts the levels below the words."""
        super().__init__(parent)
        self._is_narrow = is_narrow
        self._session, self._watch = session, watch
        self.pair = Pair(session, self)
        self.levels = LevelModel(self)
        self.reason: Reason | None = None
        self.first, self.other = QComboBox(self), QComboBox(self)
        self.table = QTableView(self)
        self._verdict, self._standing = QLabel(self), MutedLabel("", self)
        self._lay_out()
        self.pair.changed.connect(self.refresh)
        self.pair.choices_changed.connect(self.refresh)
        watch.changed.connect(self.refresh)
        watch.begun.connect(self.refresh)
        self.first.activated.connect(lambda at: self.pair.choose_first(self.first.itemData(at)))
        self.other.activated.connect(lambda at: self.pair.choose_other(self.other.itemData(at)))
        self.table.clicked.connect(self._select)

    @property
    def verdict(self) -> str:
        """What is said in words."""
        return "" if self.reason is None else f"{self.reason.verdict} {self.reason.because}".strip()

    @Slot()
    def refresh(self) -> None:
        """Explain it with the newest values, where somebody sees it."""
        if not self.isVisible():
            return
        self._fill()
        digest = self._watch.digest
        measured = None if digest is None else _measured(digest)
        if digest is None or measured is None:
            self._say(None, "The usage has not been read yet.", is_fair_tree=False)
            return
        settings = digest.state.settings
        if settings is not None and settings.is_depth_oblivious:
            self._say(None, f"Who goes before whom cannot be said: {UNKNOWN_RULE}.", is_fair_tree=False)
            return
        rows = [self._row_of(digest, node) for node in (self.pair.first, self.pair.other)]
        if rows[0] is None or rows[1] is None or rows[0] == rows[1]:
            self._say(None, "Select two associations of the cluster.", is_fair_tree=measured.is_fair_tree)
            return
        self._say(why(measured, rows[0], rows[1]), "", is_fair_tree=measured.is_fair_tree)

    def set_low(self, *, low: bool) -> None:
        """Lower rows where the window is low."""
        self.table.verticalHeader().setDefaultSectionSize(_LOW_ROW if low else _ROW)

    # -- inside -------------------------------------------------------------------------------------------

    def _row_of(self, digest: Digest, node: int | None) -> int | None:
        return None if node is None or digest.index is None else digest.index.row_of.get(node)

    def _say(self, reason: Reason | None, otherwise: str, *, is_fair_tree: bool) -> None:
        self.reason = reason
        self.levels.show_reason(reason, is_fair_tree=is_fair_tree)
        if reason is None:
            self._verdict.setText(escape(otherwise))
            self._standing.setText("")
            return
        self._verdict.setText(f"<b>{escape(reason.verdict)}</b> {escape(reason.because)}".strip())
        self._standing.setText(" ".join(filter(None, self._remarks(reason))))

    def _remarks(self, reason: Reason) -> list[str]:
        """What else a person should know: how old it is, what lags, that fairshare is not all."""
        digest = self._watch.digest
        if digest is None or digest.state.standing is None or digest.index is None:
            return []
        said = []
        stale = self._watch.stale_words(PartName.USAGE)
        if stale:
            said.append(f"{stale[0].upper()}{stale[1:]}.")
        nodes = digest.index.tree.nodes
        lagging = {nodes[level.row] for level in reason.levels} & digest.state.standing.lagging.keys()
        if lagging:
            said.append("Some of these numbers lag behind: see the marks in the associations.")
        return [*said, "" if digest.state.settings is None else weight_words(digest.state.settings)]

    def _fill(self) -> None:
        """The combos offer all users as far as they are counted, and what is chosen."""
        tree = None if self._session.document is None else self._session.document.tree
        for box, chosen in ((self.first, self.pair.first), (self.other, self.pair.other)):
            choices = list(self.pair.choices)
            if tree is not None and chosen is not None and chosen in tree and chosen not in dict(choices):
                choices.insert(0, (chosen, tree.node(chosen).name))
            if [(box.itemData(at), box.itemText(at)) for at in range(box.count())] != choices:
                box.clear()
                for node, text in choices:
                    box.addItem(text, node)
            box.setCurrentIndex(next((at for at, item in enumerate(choices) if item[0] == chosen), -1))
            box.setToolTip(box.currentText())

    @Slot(QModelIndex)
    def _select(self, index: QModelIndex) -> None:
        digest = self._watch.digest
        if digest is not None and digest.index is not None:
            self._session.select((digest.index.tree.nodes[int(index.data(RowRole))],))

    def _lay_out(self) -> None:
        asked = QHBoxLayout()
        asked.setSpacing(6)
        for text, box, name in (
            ("Compare", self.first, "First user"),
            ("with", self.other, "Second user"),
        ):
            asked.addWidget(QLabel(text, self))
            box.setAccessibleName(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(6)
            asked.addWidget(box, 1)
        words = QWidget(self)
        column = QVBoxLayout(words)
        column.setContentsMargins(0, 4, 0, 4)
        for label in (self._verdict, self._standing):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addWidget(label)
        column.addStretch()
        side = QVBoxLayout()
        side.setContentsMargins(_MARGIN, 6, _MARGIN, 0)
        side.addLayout(asked)
        side.addWidget(scrolling(words), 1)
        left = QWidget(self)
        left.setLayout(side)
        if not self._is_narrow:
            left.setFixedWidth(_SIDE_PX)
        whole = QVBoxLayout(self) if self._is_narrow else QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(1)
        whole.addWidget(left)
        whole.addWidget(self.table, 1)
        self._set_up_table()

    def _set_up_table(self) -> None:
        table = self.table
        table.setModel(self.levels)
        table.setFont(tabular_font("table"))
        table.setAccessibleName("Levels")
        table.setFrameShape(table.Shape.NoFrame)
        table.setShowGrid(False)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.verticalHeader().setMinimumSectionSize(_LOW_ROW)
        table.verticalHeader().setDefaultSectionSize(_ROW)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        copy_by_keys(table)

    def sizeHint(self) -> QSize:
        """Seven levels."""
        return QSize(900, _ROW * 8)

    def minimumSizeHint(self) -> QSize:
        """Three levels."""
        return QSize(640, _ROW * 4)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up."""
        super().showEvent(event)
        self.refresh()


def weight_words(settings: SlurmConfig) -> str:
    """How much fairshare counts in a job's priority; empty where the cluster does not say."""
    total = sum(settings.weights.values())
    fairshare = settings.weights.get("fairshare", 0)
    if not total:
        return ""
    if not fairshare:
        return "Fairshare has no weight in the priority of jobs here."
    others = [name for name, weight in settings.weights.items() if weight and name != "fairshare"]
    count = "counts" if len(others) == 1 else "count"
    rest = f"; {', '.join(others)} {count} too" if others else ""
    most = f"{numbers.thousands(fairshare)} of {numbers.thousands(total)}"
    return f"In a job's priority fairshare counts for up to {most}{rest}."


def _measured(digest: Digest) -> Measured | None:
    """What is compared: as sshare prints it."""
    standing, index, settings = digest.state.standing, digest.index, digest.state.settings
    if standing is None or index is None or len(standing.norm_usage) != len(index.tree.nodes):
        return None
    return Measured(
        index.tree.stored.tree,
        index.above,
        index.level_shares,
        standing.norm_usage,
        standing.printed,
        settings is not None and settings.is_fair_tree,
    )
