"""The months of a trace in the dialog for a new study: how much is in each; those selected are run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QTableView, QWidget

from fsconsole.app.study.choice import MonthFacts
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.text.numbers import percent, thousands

_HEIGHT_PX = 128
_COLUMNS: tuple[Column[MonthFacts], ...] = (
    Column("Month", lambda one: one.name, width=96),
    Column("Jobs", lambda one: thousands(one.jobs), is_number=True, order=lambda one: one.jobs, width=66),
    Column("Users", lambda one: thousands(one.users), is_number=True, order=lambda one: one.users, width=66),
    Column(
        "Node-hours", lambda one: thousands(one.node_hours), is_number=True, order=lambda one: one.node_hours,
        width=104,
    ),
    Column(
        "Load, %", lambda one: percent(one.load, 1, unit=False), "Node-hours used, and node-hours available",
        is_number=True, order=lambda one: one.load or 0.0, width=84,
    ),
)  # fmt: skip


class TraceMonths(Table[MonthFacts]):
    """Signals: picked(names) with the months selected, parted by blanks."""

    picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        self.months: RowModel[MonthFacts] = RowModel(_COLUMNS, key=lambda one: one.name)
        super().__init__(self.months, "Months of the trace", parent)
        self.months.setParent(self)
        self.setSelectionMode(QTableView.SelectionMode.ExtendedSelection)
        self.setFixedHeight(_HEIGHT_PX)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    def show_months(self, months: Sequence[MonthFacts]) -> None:
        """Show another trace's months."""
        self.months.set_rows(tuple(months))

    @Slot()
    def _on_selection_changed(self) -> None:
        if names := [one.name for one in self.selected()]:
            self.picked.emit(" ".join(names))
