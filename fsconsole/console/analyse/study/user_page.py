"""One user of a study: the table of users, the days of the one selected, and the jobs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl
from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

from fsconsole.app.study.user_facts import Types, base_of, types_of, users_frame
from fsconsole.batch.study.spec import Cell
from fsconsole.console.analyse.study.selection import StudySelection
from fsconsole.console.analyse.study.user_detail import UserDetail
from fsconsole.console.analyse.study.view import RunBox, StudyView, keep_filter
from fsconsole.console.kit.frames import FrameModel, FrameRow, FrameTable, frame_column
from fsconsole.console.kit.tables import Column
from fsconsole.console.kit.tasks import describe_error
from fsconsole.console.style.controls import set_control_height
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.buttons import Switch
from fsconsole.console.widgets.dock import DOCK_CONTROL_HEIGHT, DockBody
from fsconsole.console.widgets.elided import ElidedLabel
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.figures.spec import FigureSpec
from fsconsole.text.numbers import fixed, signed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fsconsole.app.study.user_tests import UserTests

_TABLE_PX, _DETAIL_PX = 280, 380


class UserPage(StudyView):
    """Users above, the one selected below."""

    def __init__(self, selection: StudySelection, parent: QWidget | None = None) -> None:
        super().__init__(selection, parent)
        self._types: dict[str, Types] = {}
        self._asked = ""
        self._failed: dict[str, str] = {}  # Reason why the types of a run are unknown, by run.
        # Cell and policy, and whether types, the reference and tests are known.
        self._shown: tuple[str, str, bool, bool, bool] | None = None
        self.run = RunBox(selection, self)
        self.filter = SearchBox("User or type", self)
        self.suffering = Switch("S1 and S2 only", self)
        self.remark = ElidedLabel(self)
        self.model = FrameModel(_user_columns(), self, sorted_by={"user": "user_order"})
        self.view = FrameTable(self.model, "Users of the run", self, "max_wait_h")
        self.detail = UserDetail(selection, self)
        self._sheet = QWidget(self)
        self._parts = QSplitter(Qt.Orientation.Vertical, self._sheet)
        self.body = DockBody(self._sheet, self)
        self._build_ui()
        self._connect_signals()

    @property
    def current_figure(self) -> FigureSpec | None:
        """The figure by day that has the focus, else the first."""
        return self.detail.current_figure

    # -- inside -------------------------------------------------------------------------------------------

    @Slot()
    def _refresh(self) -> None:
        """Show the users of the run selected, while the page is seen, and look for their types."""
        state, cell = self._selection.state, self._selection.cell
        if not self.isVisible():
            return
        if state is None or cell is None or state.users.is_empty():
            self._parts.hide()
            self.body.show_content()  # A notice over all pages shows that no run is done yet.
            return
        self._parts.show()
        types = self._types.get(cell.key)
        reference = self._reference_of(cell)
        tests = self._tests_of(cell) if reference is not None else None
        shown = (cell.key, cell.policy.label, types is not None, reference is not None, tests is not None)
        if shown != self._shown:
            self._shown = shown
            self.body.clear_error()
            users = state.users_of(cell.workload, cell.policy.label, cell.seed)
            self.model.show_frame(users_frame(users, types, reference, tests))
            self._choose_rows()
            self._select_first()
        self.body.show_content()
        self._seek_types(cell, types)

    def _seek_types(self, cell: Cell, types: Types | None) -> None:
        """Have users of types S1 and S2 looked for once both runs are there."""
        base = self._base_of(cell)
        if types is not None:
            self.remark.setText(types.words)
        elif base is None:
            self.remark.setText("S1 and S2 are found by comparison with FCFS")
        else:
            self.remark.setText(self._failed.get(cell.key, "Looking for types S1 and S2…"))
            first, run = self._selection.runs.of(base), self._selection.reserved.of(cell)
            if first is not None and run is not None and self._asked != cell.key:
                self._asked = cell.key
                self._failed.clear()
                call = partial(types_of, cell.key, first, run)
                self._tasks.run(call, self._on_types, self._on_failed, latest="types")

    def _reference_of(self, cell: Cell) -> pl.DataFrame | None:
        """Return the users under the policy that waits are compared with; None while that is the run
        itself.
        """
        state, label = self._selection.state, self._selection.reference(cell.workload)
        if state is None or label in ("", cell.policy.label):
            return None
        users = state.users_of(cell.workload, label, cell.seed)
        return None if users.is_empty() else users

    def _tests_of(self, cell: Cell) -> UserTests | None:
        """Return tests of all users over all of the study, against the policy that waits are compared
        with.
        """
        reference = self._selection.reference(cell.workload)
        return self._selection.significance.users(cell.policy.label, reference)

    def _base_of(self, cell: Cell) -> Cell | None:
        """Return the finished run that waits are held against: FCFS on the same jobs."""
        state = self._selection.state
        if state is None:
            return None
        return base_of((one for one in state.cells if state.state(one) == "done"), cell)

    def _on_types(self, types: Types) -> None:
        self._types[types.cell_key] = types
        self._asked = ""
        self._refresh()

    def _on_failed(self, error: Exception) -> None:
        self._failed[self._asked] = f"Cannot find types S1 and S2: {describe_error(error)}"
        self.remark.setText(self._failed[self._asked])

    @Slot(object, str)
    def _on_missed(self, cell: Cell, sentence: str) -> None:
        if cell == self._selection.cell:
            self.body.show_error(f"{cell.words} cannot be read: {sentence}")

    @Slot()
    def _on_study_changed(self) -> None:
        self._tasks.cancel()
        self._types.clear()
        self._failed.clear()
        self._asked, self._shown = "", None
        self.body.clear_error()
        self.model.show_frame(pl.DataFrame(schema={one.key: pl.String for one in self.model.columns}))
        self._refresh()

    @Slot()
    def _choose_rows(self) -> None:
        if self.model.frame.is_empty():
            return
        self.model.choose(self._wanted())
        self._on_user_selected()

    def _wanted(self) -> NDArray[np.bool_]:
        """Return the users that are looked for."""
        typed = self.filter.text().strip().casefold()
        user = typed.removeprefix("#")
        fits = pl.col("user").str.to_lowercase().str.starts_with(user) | (
            pl.col("type").str.to_lowercase() == typed
        )
        if self.suffering.isChecked():
            fits &= pl.col("type") != ""
        found: NDArray[np.bool_] = self.model.frame.select(fits).to_series().to_numpy()
        return found

    @Slot(int)
    def _on_picked(self, row: int) -> None:
        self._selection.select_user(str(self.model.value(row, "user")))

    def _select_first(self) -> None:
        """Select the user on top where none is selected, so that one is always shown below."""
        if not self._selection.user and self.model.rowCount():
            self._selection.select_user(str(self.model.value(0, "user")))

    @Slot()
    def _on_user_selected(self) -> None:
        """Select the user selected in other views, and show the reason for the type below."""
        user = self._selection.user
        place = self.view.show_current("user", user) if user else -1
        self.detail.show_reason(str(self.model.value(place, "reason")) if place >= 0 else "")

    def _connect_signals(self) -> None:
        selection = self._selection
        selection.study_changed.connect(self._on_study_changed)
        for signal in (selection.results_changed, selection.cell_selected, selection.runs.loaded):
            signal.connect(self._refresh)
        selection.significance.computed.connect(self._refresh)
        selection.runs.missed.connect(self._on_missed)
        selection.user_selected.connect(self._on_user_selected)
        selection.reserved.loaded.connect(self._refresh)
        selection.reserved.missed.connect(self._on_missed)
        keep_filter(self.filter, selection, "users")
        self.filter.textChanged.connect(self._choose_rows)
        self.suffering.toggled.connect(self._choose_rows)
        self.view.picked.connect(self._on_picked)
        self.detail.changed.connect(self.changed)
        self.detail.page_wanted.connect(self.page_wanted)

    def _build_ui(self) -> None:
        set_control_height(self, DOCK_CONTROL_HEIGHT)
        self.suffering.setToolTip("Hide users of neither type of the paper")
        line = hbox(self.run, (self.remark, 1), self.suffering, self.filter, margins=(8, 4, 8, 4), spacing=8)
        self._parts.addWidget(self.view)
        self._parts.addWidget(self.detail)
        self._parts.setSizes([_TABLE_PX, _DETAIL_PX])
        self._parts.setStretchFactor(1, 1)
        self._parts.setHandleWidth(1)
        self._parts.setChildrenCollapsible(False)
        vbox(self._parts, on=self._sheet)
        vbox(line, (self.body, 1), on=self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()
        self._on_user_selected()


def _user_name(user: str) -> str:
    """Name a user as figures do."""
    return f"#{user}"


def _user_columns() -> tuple[Column[FrameRow], ...]:
    """Return columns of the users of a run."""
    return (
        frame_column("user", "User", _user_name, "User. S1 and S2 have a reason", width=64),
        frame_column(
            "type", "Type", str, "Type S1 or S2 of the paper", is_number=False, width=52, tip_of="reason"
        ),
        frame_column("jobs", "Jobs", fixed, "Number of measured jobs", width=60),
        frame_column("dev_nh", "Deviation, node-h", signed, "Used minus entitled", width=130),
        frame_column(
            "max_wait_h",
            "Max wait, h",
            partial(fixed, digits=1),
            "Longest wait of the user's jobs, hours",
            width=110,
        ),
        frame_column(
            "avg_wait_h",
            "Avg wait, h",
            partial(fixed, digits=2),
            "Mean wait of the user's jobs, hours",
            width=96,
        ),
        frame_column(
            "longer_wait_h",
            "Waits longer, h",
            partial(signed, digits=2),
            "Mean wait minus the same user's mean wait under FCFS, or under the first policy without FCFS",
            width=116,
        ),
        frame_column(
            "verdict",
            "Decided",
            str,
            "Mean wait against FCFS over the whole study: significantly higher or lower",
            is_number=False,
            width=92,
            tip_of="verdict_tip",
        ),
        frame_column(
            "p99_wait_h",
            "p99 wait, h",
            partial(fixed, digits=1),
            "Shortest wait that at least 99 of 100 of the user's jobs do not exceed, hours",
            width=96,
        ),
        frame_column(
            "avg_bounded_slowdown",
            "Avg slowdown",
            partial(fixed, digits=2),
            "Mean bounded slowdown, 60 s",
            width=108,
        ),
        frame_column("node_hours", "Size, node-h", fixed, "Node-hours requested by these jobs", width=100),
        frame_column(
            "usage_nh",
            "Used, node-h",
            fixed,
            "Usage of all of the user's jobs in the period, node-hours",
            width=100,
        ),
        frame_column(
            "entitled_nh",
            "Entitled, node-h",
            fixed,
            "Entitled share of all of the user's jobs in the period, node-hours",
            width=118,
        ),
    )
