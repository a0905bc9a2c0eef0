"""The process table: processes, their users and their accounts."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QWidget

from fsconsole.console.kit.tables import Bar, Column, RowModel, Table
from fsconsole.console.refresh_throttle import RefreshThrottle
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.marks import chip
from fsconsole.console.style.sizes import row_px
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.console.widgets.share_bar import MACHINE_BAR_WIDTH
from fsconsole.shares.tree import ROOT_ID
from fsconsole.targets.snapshot import ProcessRow
from fsconsole.text import durations, numbers

_STATES = ("running", "runnable", "I/O", "waiting", "sleeping")
_CPU = "cpu"


class ProcessModel(RowModel[ProcessRow]):
    """Processes of the newest snapshot."""

    def __init__(self, session: ConsoleSession, parent: QObject | None = None) -> None:
        self._session = session
        self._needle = ""
        self._shows_sleeping = True
        super().__init__(self._made_columns(), parent, key=lambda row: row.pid)
        self.set_filter(self._is_wanted)

    @property
    def total(self) -> int:
        """Number of processes, those that are filtered out too."""
        return len(self.given)

    def set_window(self, window_s: float) -> None:
        """Show the length in seconds of the CPU column's rate."""
        self.set_title(self.place(_CPU), f"CPU, {window_s:g} s")

    def filter_by(self, text: str, *, sleeping: bool) -> None:
        """Show only what has the text in command, user or PID; sleeping ones or not."""
        self._needle, self._shows_sleeping = text.strip().lower(), sleeping
        self.set_filter(self._is_wanted)

    def charged_to(self, node: int) -> str:
        """Return the name of a node that is charged for processes."""
        document = self._session.document
        if document is None or node not in document.tree:
            return "removed"
        name = document.tree.node(node).name
        return f"{name}, exempt" if node == ROOT_ID else name

    def started_by(self, row: ProcessRow) -> str:
        """Return the name of the person who started a process, or of the user charged for it."""
        return row.person or (numbers.UNKNOWN if row.node == ROOT_ID else self.charged_to(row.node))

    def _is_wanted(self, row: ProcessRow) -> bool:
        if not self._shows_sleeping and row.state == "sleeping":
            return False
        if not self._needle:
            return True
        return (
            self._needle in row.command.lower()
            or self._needle in self.charged_to(row.node).lower()
            or self._needle in row.person.lower()
            or self._needle == str(row.pid)
        )

    def _token(self, node: int) -> str:
        return "g1" if node == ROOT_ID else self._session.curves.style(node).colour_token

    def _made_columns(self) -> tuple[Column[ProcessRow], ...]:
        role = Qt.ItemDataRole
        return (
            Column("PID", lambda row: str(row.pid), order=lambda row: row.pid, ink=_ink, width=64,
                   is_number=True),
            Column("Command", lambda row: row.command, ink=_ink, width=170, is_name=True),
            Column("Charged to", lambda row: self.charged_to(row.node), name="charged_to", ink=_ink,
                   width=150, is_name=True,
                   more={role.DecorationRole: lambda row: chip(self._token(row.node))}),
            Column("Started by", self.started_by, name="started_by", ink=_ink, width=110, is_name=True),
            Column("Nice", lambda row: str(row.nice), order=lambda row: row.nice, ink=_ink, width=64,
                   is_number=True),
            Column("Priority", lambda row: numbers.si(row.priority), order=lambda row: row.priority,
                   full=lambda row: str(row.priority), ink=_ink, width=100, is_number=True),
            Column("Increment", _increment, order=lambda row: row.increment,
                   full=lambda row: str(row.increment), ink=_ink, width=100, is_number=True),
            Column("CPU", lambda row: numbers.percent(row.cpu_rate), name=_CPU,
                   order=lambda row: row.cpu_rate, full=lambda row: numbers.full(row.cpu_rate), ink=_ink,
                   width=172, is_number=True,
                   bar=Bar(lambda row: float(row.cpu_rate), MACHINE_BAR_WIDTH, "100.0 %",
                           lambda row: self._token(row.node)),
                   more={role.AccessibleTextRole:
                         lambda row: numbers.spoken_percent("CPU", row.cpu_rate, 1)}),
            Column("CPU time", _cpu_time, name="cpu_time", order=lambda row: row.cpu_s,
                   full=lambda row: numbers.full(row.cpu_s), ink=_ink, width=100, is_number=True),
            Column("State", lambda row: row.state, order=_state_order,
                   ink=lambda row: "ok" if row.state == "running" else _ink(row),
                   icon=lambda row: ("run", "ok") if row.state == "running" else None),
        )  # fmt: skip


def _ink(row: ProcessRow) -> str:
    return "muted" if row.state == "sleeping" else ""


def _increment(row: ProcessRow) -> str:
    return numbers.UNKNOWN if row.node == ROOT_ID else numbers.si(row.increment)


def _cpu_time(row: ProcessRow) -> str:
    """Return h:mm:ss, below an hour with tenths."""
    return durations.duration(row.cpu_s, digits=int(row.cpu_s < 3600))


def _state_order(row: ProcessRow) -> tuple[int, str]:
    return _STATES.index(row.state.partition(" ")[0]), row.state


class ProcessTable(Table[ProcessRow]):
    """Rows of processes; the selection stays with the processes however they are sorted."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        self.processes = ProcessModel(session)
        super().__init__(
            self.processes, "Processes", parent, session.preferences, "observe/processes",
            sorted_by="cpu",
        )  # fmt: skip
        self.menu_of: Callable[[QPoint], None] = lambda _at: None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_of(event.globalPos())


class ProcessPanel(QWidget):
    """The table; find field and check box are for the dock's header. Values follow at 4 Hz in sight.

    Signals: counted(words) with how many processes there are, for the dock's header.
    """

    counted = Signal(str)

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pace = RefreshThrottle()
        self.table = ProcessTable(session, self)
        self.sleeping = QCheckBox("Show sleeping")
        self.sleeping.setChecked(True)
        self.sleeping.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.search = SearchBox("Find process", width=140)
        self._low = False
        vbox(self.table, on=self)
        self.sleeping.toggled.connect(self._filter)
        self.search.textChanged.connect(self._filter)
        session.frame.connect(self._on_frame)
        session.document_changed.connect(self._on_document_changed)
        session.curves.changed.connect(self.table.viewport().update)
        self._on_document_changed()

    def set_narrow(self, *, narrow: bool) -> None:
        """Hide the starting user and the increment if there is no room."""
        self.table.squeeze(("started_by", "increment") if narrow else ())
        self.table.set_widths({"command": 90, "charged_to": 110} if narrow else {})

    def set_low(self, *, low: bool) -> None:
        """Show four rows in a low window."""
        self._low = low
        self.updateGeometry()

    @Slot()
    def refresh(self) -> None:
        """Show the newest table."""
        snapshot = self._session.snapshot
        if not self.isVisible() or snapshot is None:
            return
        self._pace.keep()
        self.table.processes.set_rows(snapshot.processes)
        self.counted.emit(str(self.table.processes.total))

    @Slot()
    def _on_frame(self) -> None:
        if self._pace.is_due(is_running=self._session.is_running):
            self.refresh()

    @Slot()
    def _filter(self) -> None:
        self.table.processes.filter_by(self.search.text(), sleeping=self.sleeping.isChecked())

    @Slot()
    def _on_document_changed(self) -> None:
        document = self._session.document
        self.table.processes.set_rows(())
        if document is not None:
            self.table.processes.set_window(document.scenario.plot.rate_window_s)
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(900, row_px() * (5 if self._low else 8))

    def minimumSizeHint(self) -> QSize:
        return QSize(400, row_px() * 3)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
