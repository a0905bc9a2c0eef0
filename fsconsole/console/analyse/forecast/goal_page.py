"""What must change: what is wished by when, and the ways to it, each of which can be tried or staged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.app.forecast.cluster import Cluster
from fsconsole.app.forecast.entry import optional
from fsconsole.app.forecast.question import Answer
from fsconsole.app.forecast.ways import WayRow, commands_of, goal_words, is_change, way_rows
from fsconsole.app.forecast.wish import EXAMPLE, seconds_until
from fsconsole.console.kit.forms import ChoiceField, FieldLine, TypedField
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.widgets.boxes import STRETCH, hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.slurm.solver import Goal, Means, Quantity
from fsconsole.text.moments import local

_MOST_LEVEL_FS = 1e9
_REST = 0  # Stretch that takes room only while the table of ways is hidden.
COLUMNS: tuple[Column[WayRow], ...] = (
    Column(
        "Change", lambda row: row.what, "Property to change. Everything else stays the same",
        tip=lambda row: row.words, is_name=True, stretches=True,
    ),
    Column(
        "Becomes", lambda row: row.step, "Value now, and the value needed",
        tip=lambda row: row.words, width=138, is_number=True,
    ),
    Column(
        "Reaches", lambda row: row.reached if row.way.is_enough else f"only {row.reached}",
        "Fairshare or LevelFS at the time of the goal", tip=lambda row: row.words, width=96, is_number=True,
    ),
)  # fmt: skip


class GoalPage(QWidget):
    """Signals: changed() with another goal; try_wanted(Changes) of a way; stage_wanted(WayRow)."""

    changed = Signal()
    try_wanted = Signal(object)
    stage_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._now_s: float | None = None
        self._why_not, self._fault = "", ""
        self._cluster: Cluster | None = None
        self.quantity = ChoiceField("Quantity of the goal", [(one, one.value) for one in Quantity], self)
        self.value = TypedField("Value of the goal", self._parse_value, 60, placeholder="0.5")
        self.when = TypedField(
            "By when", self._parse_when, 132, placeholder="Monday", tip=f"Time from now, {EXAMPLE}"
        )
        self.words, self.chosen = (MutedLabel("", self, wraps=True) for _ in range(2))
        self.model: RowModel[WayRow] = RowModel(COLUMNS, self, key=lambda row: (row.way.means, row.way.row))
        self.view = Table(self.model, "Ways to reach the goal", self)
        self.try_it, self.stage = QPushButton("Try", self), QPushButton("Stage in Design", self)
        self.copy = QPushButton("Copy command", self)
        self._set_up()
        self._build_ui()
        self.quantity.changed.connect(self._on_quantity)
        for field in (self.value, self.when):
            field.changed.connect(self.changed)
        self.view.selectionModel().selectionChanged.connect(self._show_buttons)
        self.model.modelReset.connect(self._show_buttons)
        self.try_it.clicked.connect(self._on_try)
        self.stage.clicked.connect(self._on_stage)
        self.copy.clicked.connect(self._on_copy)
        self.show_answer(None)

    @property
    def is_right(self) -> bool:
        """Whether the fields are."""
        return self.value.is_right and self.when.is_right

    @property
    def now(self) -> datetime:
        """What `by Monday` starts from: the time of the capture, or now."""
        return local(self._now_s) if self._now_s is not None else datetime.now().astimezone()

    def goal(self, row: int) -> Goal | None:
        """Return the goal of a node; None if there is none, or if a field is wrong."""
        value, when_s = (field.read() if field.is_right else None for field in (self.value, self.when))
        if value is None or when_s is None:
            return None
        return Goal(row, value, when_s, Quantity(self.quantity.read()))

    def offer(self, cluster: Cluster) -> None:
        """Take another cluster, whose clock counts; LevelFS can be chosen only with Fair Tree."""
        self._cluster, self._now_s = cluster, cluster.known.captured_s
        self.quantity.setEnabled(cluster.is_fair_tree)
        if not cluster.is_fair_tree:
            self.quantity.fill(Quantity.FAIRSHARE)
        self.when.show_text(self.when.text())

    def show_places(self, *, can_stage: bool, why_not: str) -> None:
        """Enable moving edits to Design, or show why it is impossible."""
        self._why_not = "" if can_stage else why_not
        self._show_buttons()

    def show_faults(self, titles: Sequence[str]) -> None:
        """Show instead of ways which other tabs have a wrong entry."""
        before, self._fault = self._fault, ""
        if titles:
            self._fault = (
                f"Wrong entry in tab {', '.join(titles)}. "
                "Correct the field with a red border there to see the ways."
            )
        if self._fault != before:
            self.show_answer(None)

    def expect_answer(self) -> None:
        """Say that ways to the goal will follow, where none are shown yet: also true if that fails."""
        if self.view.isHidden():
            self.words.setText("Ways to reach the goal appear here when the forecast is computed.")

    def show_answer(self, found: Answer | None) -> None:
        """Show the ways to the goal."""
        has_ways = found is not None and found.solution is not None
        empty = "Choose a user or an account, a value and a time to see the ways to reach it."
        self.words.setText(
            goal_words(found, self.now) if has_ways and found is not None else self._fault or empty
        )
        self.model.set_rows(way_rows(found) if found is not None else ())
        self.view.setVisible(has_ways)

    # -- inside -------------------------------------------------------------------------------------------

    def _parse_value(self, text: str) -> float | None:
        most = 1 if self.quantity.read() == Quantity.FAIRSHARE else _MOST_LEVEL_FS
        return optional(text, 0, most, "0.5")

    def _parse_when(self, text: str) -> float | None:
        return seconds_until(text, self.now) if text.strip() else None

    def _chosen(self) -> WayRow | None:
        return next(iter(self.view.selected()), None)

    @Slot()
    def _show_buttons(self) -> None:
        row = self._chosen()
        rests = row is not None and row.changes != row.way.changes
        also = " It needs the changes above. They are staged and copied with it." if rests else ""
        self.chosen.setText(f"{row.words}{also}" if row is not None else "")
        why_not = self._why_no_change(row)
        for button, tip in (
            (self.try_it, "Add this change to the changes. The curves show before and after"),
            (self.copy, "Copy the command for this change"),
        ):
            button.setEnabled(not why_not)
            button.setToolTip(why_not or tip)
        if not why_not and row is not None and row.way.means is not Means.SHARES:
            why_not = "Design stages only shares. Copy the command instead"
        why_not = self._why_not or why_not
        self.stage.setEnabled(not why_not)
        self.stage.setToolTip(why_not or "Stage the new shares in Design as one change. Undo reverts it")

    @staticmethod
    def _why_no_change(row: WayRow | None) -> str:
        """Return the reason why the selected way is not possible; empty if it is."""
        if row is None:
            return "Select a change first"
        return "" if is_change(row.way) else "This change does not reach the goal. Select one that does"

    @Slot()
    def _on_quantity(self) -> None:
        self.value.show_text(self.value.text())
        self.changed.emit()

    @Slot()
    def _on_try(self) -> None:
        row = self._chosen()
        if row is not None:
            self.try_wanted.emit(row.way.changes)

    @Slot()
    def _on_stage(self) -> None:
        row = self._chosen()
        if row is not None:
            self.stage_wanted.emit(row)

    @Slot()
    def _on_copy(self) -> None:
        row = self._chosen()
        if row is not None and self._cluster is not None:
            QGuiApplication.clipboard().setText("\n".join(commands_of(self._cluster, row.changes)))

    def _set_up(self) -> None:
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.view.setSelectionMode(Table.SelectionMode.SingleSelection)

    def _build_ui(self) -> None:
        buttons = QWidget()
        hbox(self.try_it, self.stage, self.copy, STRETCH, on=buttons, spacing=6)
        head = vbox(
            FieldLine(("Reach", self.quantity, ""), ("of", self.value, "")),
            FieldLine(("by", self.when, "")),
            self.words,
            margins=(12, 0, 12, 0),
            spacing=4,
        )
        foot = vbox(self.chosen, buttons, margins=(12, 0, 12, 6), spacing=4)
        vbox(head, (self.view, 1), foot, _REST, on=self, margins=(0, 6, 0, 0), spacing=4)
