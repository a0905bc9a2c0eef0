"""Who gains and who loses: the fairshares to be expected once all that is staged is applied."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from fsconsole.app.cluster.preview import Gain
from fsconsole.app.cluster.reached import ReachedRow
from fsconsole.console.cluster.change_table import DIGITS, fairshare_words, gain_tip
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
_BESIDE_PX = 26  # Margins of a cell or a title.
_LEAST_NAME_PX = 170
_FIRST_TO_HIDE = (1, 2)  # Hidden in a narrow dock, where the tooltip of the name shows both.
_MOST = 1000
_ROUNDING = 1e-5  # NormUsage has six digits.
_NEXT = "Next: at the next calculation, from RawUsage, which has what jobs used since sshare's FairShare."


def _kind(gain: Gain) -> tuple[str, str]:
    return ("user" if gain.is_user else "group", "muted")


def _gain_tip(gain: Gain) -> str:
    """Return the columns, of which only a wide dock has room for all."""
    return f"{gain.name}\n{gain_tip(gain)}"


def _key(row: Gain | ReachedRow) -> Hashable:
    return row.node if isinstance(row, Gain) else row.key


_COLUMNS: tuple[Column[Gain], ...] = (
    Column("Association", lambda gain: gain.name, icon=_kind, is_name=True, tip=_gain_tip),
    Column("Last calculated", lambda gain: fairshare_words(gain.last),
           "FairShare from sshare, as slurmctld calculated it last", is_number=True),
    Column("Next, unchanged", lambda gain: fairshare_words(gain.before),
           "FairShare at the next calculation, without the staged changes", is_number=True),
    Column("Next, with changes", lambda gain: fairshare_words(gain.after),
           "FairShare at the next calculation, with all staged changes", is_number=True),
    Column("Difference", lambda gain: numbers.signed(gain.difference, DIGITS),
           "Next, with changes, minus next, unchanged: the effect of the changes",
           font=lambda _gain: tabular_font(semibold=True), is_number=True),
)  # fmt: skip


def _mark(row: ReachedRow) -> tuple[str, str]:
    """Return the mark of a row; usage that moves on is not a fault."""
    if row.is_as_predicted:
        return "ok", "ok"
    return ("waiting", "muted") if row.is_by_usage else ("warning", "warn")


def _likely(row: ReachedRow) -> str:
    before, predicted = fairshare_words(row.before), fairshare_words(row.predicted)
    tip = f"{row.name}\nBefore (sshare): {before}\nPredicted: {predicted}"
    return f"{tip}\nReason for the difference: {row.why}" if row.why else tip


_REACHED: tuple[Column[ReachedRow], ...] = (
    Column("Association", lambda row: row.name, icon=_mark, is_name=True, tip=_likely),
    Column("Before (sshare)", lambda row: fairshare_words(row.before),
           "FairShare from sshare at the time of the prediction",
           is_number=True),
    Column("Predicted", lambda row: fairshare_words(row.predicted),
           "FairShare predicted for the change set from the usage at that time", is_number=True),
    Column("Reached (sshare)", lambda row: fairshare_words(row.reached),
           "FairShare from sshare now", is_number=True, tip=_likely),
    Column("Difference", lambda row: numbers.signed(row.reached - row.predicted, DIGITS),
           "Reached minus predicted. The tooltip shows the likely reason", tip=_likely,
           font=lambda _row: tabular_font(semibold=True), is_number=True),
)  # fmt: skip


class GainsPanel(StagingPanel):
    """Predicted fairshares of users, or of all associations; a click selects the node.

    Without staged edits, the prediction of the last apply is shown beside its result.
    """

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.model: RowModel[Any] = RowModel(_COLUMNS, key=_key)
        self._has_reached = False
        self.table = FlatTree(self.model, "Expected FairShare", self)
        self.table.header().setStretchLastSection(False)
        bold = QFontMetrics(tabular_font(semibold=True)).horizontalAdvance(_WIDEST)
        self._number_px = bold + _BESIDE_PX
        self._set_widths()
        self.whose = SegmentedButtons(((True, "Users"), (False, "All")), "Whose FairShare", self)
        self._summary = MutedLabel("", self)
        self._basis = MutedLabel(_NEXT, self, wraps=True)
        self._basis.setContentsMargins(8, 0, 8, 6)
        self._notice = EmptyNotice(self.table)
        head = hbox(self.whose, (self._summary, 1), margins=(8, 6, 8, 6), spacing=12)
        vbox(head, self._basis, (self.table, 1), on=self)
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
        result = staging.reached.result if not staging.nodes else None
        self._show_columns(is_reached=result is not None)
        if result is not None:
            self._basis.hide()
            rows = [row for row in result.rows if row.key[1] or not self.whose.value]
            self.model.set_rows(rows[:_MOST])
            self._summary.setText(staging.reached.headline)
            self._summary.setToolTip(staging.reached.sentence)
            self._notice.hide()
            return
        self._summary.setToolTip("")
        gains = [one for one in staging.staged.gains.values() if one.is_user or not self.whose.value]
        self.model.set_rows(gains[:_MOST])
        self._summary.setText(_summary(gains, staging.staged.usage_s))
        self._basis.setVisible(any(map(_lags, gains)))
        if gains:
            self._notice.hide()
        elif staging.nodes:
            why = staging.staged.why_no_gains or staging.problem
            self._notice.say(why or "No FairShare changes in the digits that sshare prints.")
        else:
            self._notice.say("No staged changes. Edit shares to see the expected FairShare.")

    def _show_columns(self, *, is_reached: bool) -> None:
        if is_reached is self._has_reached:
            return
        self._has_reached = is_reached
        columns: tuple[Column[Any], ...] = _REACHED if is_reached else _COLUMNS
        self.model.set_columns(columns)
        self._set_widths()

    def _set_widths(self) -> None:
        """Give numbers their widest room and names the rest."""
        self.table.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, title in list(enumerate(self.model.titles))[1:]:
            words = self.table.header().fontMetrics().horizontalAdvance(title)
            self.table.setColumnWidth(column, max(words + _BESIDE_PX, self._number_px))
        self._hide_some()

    def _hide_some(self) -> None:
        header = self.table.header()
        numbers_px = [max(header.sectionSizeHint(at), self._number_px) for at in range(1, len(_COLUMNS))]
        for hidden, column in enumerate(_FIRST_TO_HIDE):
            self.table.setColumnHidden(column, self.width() < sum(numbers_px[hidden:]) + _LEAST_NAME_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hide_some()

    @Slot()
    def _on_clicked(self) -> None:
        selected = self.table.selected()
        if not self._has_reached:
            self.select_nodes(gain.node for gain in selected)
        elif self.cluster is not None and self.cluster.state.tree is not None:
            node_of = {key: node for node, key in self.cluster.state.tree.keys.items()}
            self.select_nodes(node_of[row.key] for row in selected if row.key in node_of)


def _lags(gain: Gain) -> bool:
    """Return True if the next calculation changes the printed FairShare without any edit."""
    return abs(gain.before - gain.last) > _ROUNDING


def _summary(gains: Sequence[Gain], usage_s: float | None) -> str:
    more = sum(gain.difference > 0 for gain in gains)
    less = sum(gain.difference < 0 for gain in gains)
    if not more and not less:
        return ""
    shown = f", only the first {numbers.thousands(_MOST)} shown" if len(gains) > _MOST else ""
    of = f"; usage of {at(usage_s)}" if usage_s is not None else ""
    return f"{numbers.thousands(more)} gain, {numbers.thousands(less)} lose{shown}{of}"
