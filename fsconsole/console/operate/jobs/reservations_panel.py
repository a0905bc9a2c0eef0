"""Slurm reservations in a table, with ways to their jobs and their nodes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.app.jobs.reservations import (
    ReservationSort,
    ReservationView,
    flag_words,
    jobs_of,
    reservation_views,
    sort_of_reservation,
    when_words,
    where_words,
    who_words,
)
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.operate.jobs.controller import JobController, is_same
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.console.widgets.labels import InkLabel
from fsconsole.slurm.host_list import hosts_or_none
from fsconsole.targets.slurm.state import PartName
from fsconsole.text import moments
from fsconsole.text.words import listed

_ICONS = {
    ReservationSort.ACTIVE: ("run", "ok"),
    ReservationSort.COMING: ("waiting", "muted"),
    ReservationSort.OVER: ("ok", "muted"),
}


class ReservationsPanel(QWidget):
    """All reservations that slurmctld has."""

    def __init__(
        self,
        controller: JobController,
        find: Callable[[str], object],
        show_nodes: Callable[[tuple[str, ...]], object],
        parent: QWidget | None = None,
    ) -> None:
        """`find` shows the jobs that a filter finds; `show_nodes` selects nodes where they are listed."""
        super().__init__(parent)
        self._controller, self._find, self._show_nodes = controller, find, show_nodes
        self._read_of: tuple[object, ...] = ()
        self.remark = InkLabel(self, "muted")
        self.jobs, self.nodes = QPushButton("Find jobs", self), QPushButton("Show nodes", self)
        self.jobs.setToolTip("Show the jobs of the selected reservation")
        self.nodes.setToolTip("Select the nodes of the selected reservation on the map")
        model = RowModel(self._columns(), key=lambda view: view.reservation.name)
        self.table = Table(
            model, "Reservations", self, controller.session.preferences, "cluster/reservations", sorts=True
        )
        self.empty = EmptyNotice(self.table)
        self._build_ui()
        self.jobs.clicked.connect(self._find_jobs)
        self.nodes.clicked.connect(self._find_nodes)
        self.table.selectionModel().selectionChanged.connect(self._follow)
        controller.changed.connect(self._refresh)

    @property
    def selected(self) -> tuple[ReservationView, ...]:
        """The reservations that are selected."""
        return tuple(self.table.selected())

    # -- inside ---------------------------------------------------------------------------------------------

    def _columns(self) -> tuple[Column[ReservationView], ...]:
        def now_s() -> float:
            return self._controller.now_s

        return (
            Column("Reservation", lambda view: view.reservation.name, is_name=True, width=100),
            Column("State", lambda view: when_words(view.reservation, now_s()),
                   icon=lambda view: _ICONS[sort_of_reservation(view.reservation, now_s())], width=190),
            Column("Begin", lambda view: moments.moment(view.reservation.start_s, now_s()),
                   full=lambda view: moments.whole(view.reservation.start_s),
                   order=lambda view: view.reservation.start_s, width=100),
            Column("End", lambda view: moments.moment(view.reservation.end_s, now_s()),
                   full=lambda view: moments.whole(view.reservation.end_s),
                   order=lambda view: view.reservation.end_s, width=100),
            Column("Nodes", lambda view: where_words(view.reservation), width=110),
            Column("Users and accounts that can use it", lambda view: who_words(view.reservation), width=170),
            Column("Jobs", jobs_of, width=170),
            Column("Flags", lambda view: flag_words(view.reservation)),
        )  # fmt: skip

    def _build_ui(self) -> None:
        top = hbox((self.remark, 1), margins=(12, 6, 8, 6), spacing=8)
        for button in (self.jobs, self.nodes):
            top.addWidget(button)
        vbox(top, (self.table, 1), on=self)

    @Slot()
    def _refresh(self) -> None:
        state = self._controller.state
        if not self.isVisible():
            return
        parts = (state.reservations, state.jobs) if state is not None else ((), ())
        if not is_same(self._read_of, parts):
            self._read_of = parts
            self.table.rows.set_rows(reservation_views(*parts))
        if parts[0]:
            self.empty.hide()
        elif self._controller.was_read(PartName.RESERVATIONS):
            self.empty.say(f"{self._controller.name} has no reservations.")
        else:
            self.empty.say("Reservations have not been read yet.")
        self._follow()

    @Slot()
    def _follow(self) -> None:
        state, now_s = self._controller.state, self._controller.now_s
        part = state.parts.get(PartName.RESERVATIONS) if state is not None else None
        trouble = part.problem if part is not None else ""
        sorts = [sort_of_reservation(view.reservation, now_s) for view in self.table.rows.given]
        counts = [f"{sorts.count(sort)} {sort}" for sort in ReservationSort if sort in sorts]
        self.remark.say(trouble or (f"{listed(counts)}." if counts else ""), "danger" if trouble else "muted")
        selected = self.selected
        self.jobs.setEnabled(any(view.running or view.pending for view in selected))
        self.nodes.setEnabled(any(view.reservation.nodes for view in selected))

    @Slot()
    def _find_jobs(self) -> None:
        self._find(f"reservation={','.join(view.reservation.name for view in self.selected)}")

    @Slot()
    def _find_nodes(self) -> None:
        names = [name for view in self.selected for name in hosts_or_none(view.reservation.nodes)]
        self._show_nodes(tuple(dict.fromkeys(names)))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()
