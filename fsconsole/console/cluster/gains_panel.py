"""Who gains and who loses: the fairshares to be expected once all that is staged is applied."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Slot
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from fsconsole.app.cluster.preview import Gain
from fsconsole.console.cluster.change_table import DIGITS, fairshare_words
from fsconsole.console.cluster.staging_panel import StagingPanel
from fsconsole.console.kit.tables import Column, FlatTree, RowModel
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.buttons import SegmentedButtons
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.targets.slurm.link_words import at
from fsconsole.text import numbers

_WIDEST = "−0.000000"
_BESIDE_PX = 26  # margins of a cell or a title
_NAME_PX = 100  # least room for names
_LAST = 1
_MOST = 1000


def _kind(gain: Gain) -> tuple[str, str]:
    return ("user" if gain.is_user else "group", "muted")


def _last_calculated(gain: Gain) -> str:
    """Said here too: there is room for the column in a wide dock alone."""
    return f"{gain.name}\nLast calculated (sshare): {fairshare_words(gain.last)}"


_COLUMNS: tuple[Column[Gain], ...] = (
    Column("Association", lambda gain: gain.name, icon=_kind, is_name=True, tip=_last_calculated),
    Column("Last calculated", lambda gain: fairshare_words(gain.last),
           "FairShare as sshare prints it, of the last calculation of slurmctld", is_number=True),
    Column("Unchanged", lambda gain: fairshare_words(gain.before),
           "FairShare at the next calculation without the staged changes", is_number=True),
    Column("With changes", lambda gain: fairshare_words(gain.after),
           "FairShare at the next calculation with all staged changes", is_number=True),
    Column("Difference", lambda gain: numbers.signed(gain.difference, DIGITS),
           "With changes less unchanged: what the changes alone do",
           font=lambda _gain: tabular_font(semibold=True), is_number=True),
)  # fmt: skip


class GainsPanel(StagingPanel):
    """Of users, or of all associations; click selects the node."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.model = RowModel(_COLUMNS, key=lambda gain: gain.node)
        self.table = FlatTree(self.model, "Expected FairShare", self)
        self.table.header().setStretchLastSection(False)
        self.table.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        bold = QFontMetrics(tabular_font(semibold=True)).horizontalAdvance(_WIDEST)
        self._number_px = bold + _BESIDE_PX
        for column, title in list(enumerate(self.model.titles))[1:]:
            words = self.table.header().fontMetrics().horizontalAdvance(title)
            self.table.setColumnWidth(column, max(words + _BESIDE_PX, self._number_px))
        self.whose = SegmentedButtons(((True, "Users"), (False, "All")), "Whose FairShare", self)
        self._summary = MutedLabel("", self)
        self._notice = EmptyNotice(self.table)
        head = hbox(self.whose, (self._summary, 1), margins=(8, 6, 8, 6), spacing=12)
        vbox(head, (self.table, 1), on=self)
        self.whose.chosen.connect(self.follow)
        self.table.clicked.connect(self._on_clicked)
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
        self.model.set_rows(gains[:_MOST])
        self._summary.setText(_summary(gains, staging.staged.usage_s))
        if gains:
            self._notice.hide()
        elif staging.nodes:
            why = staging.staged.why_no_gains or staging.problem
            self._notice.say(why or "FairShare changes for nobody in the digits that sshare prints.")
        else:
            self._notice.say("No staged changes. Edit shares to see the expected FairShare.")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        widths = [self.table.header().sectionSizeHint(column) for column in range(1, len(_COLUMNS))]
        needed = sum(max(width, self._number_px) for width in widths)
        self.table.setColumnHidden(_LAST, self.width() < needed + _NAME_PX)  # the tree has it too

    @Slot()
    def _on_clicked(self) -> None:
        self.select_nodes(gain.node for gain in self.table.selected())


def _summary(gains: Sequence[Gain], usage_s: float | None) -> str:
    more = sum(gain.difference > 0 for gain in gains)
    less = sum(gain.difference < 0 for gain in gains)
    if not more and not less:
        return ""
    shown = f", the first {numbers.thousands(_MOST)} shown" if len(gains) > _MOST else ""
    of = f"; usage of {at(usage_s)}" if usage_s is not None else ""
    return f"{numbers.thousands(more)} gain, {numbers.thousands(less)} lose{shown}{of}"
