"""The process table: who computes what, charged to whom."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt, Slot
from PySide6.QtGui import QContextMenuEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from fsconsole.console.kit.tables import ROW_PX, Table
from fsconsole.console.live.machine.process_model import ProcessModel
from fsconsole.console.refresh_throttle import RefreshThrottle
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.targets.snapshot import ProcessRow


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
    """The table; find field and check box are for the dock's header. Values follow at 4 Hz in sight."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pace = RefreshThrottle()
        self.table = ProcessTable(session, self)
        self.sleeping = QCheckBox("Show sleeping")
        self.sleeping.setChecked(True)
        self.sleeping.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.search = SearchBox("Find process", width=140)
        self.told_count: Callable[[int], None] = lambda _count: None
        self._low = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.table)
        self.sleeping.toggled.connect(self._filter)
        self.search.textChanged.connect(self._filter)
        session.frame.connect(self._on_frame)
        session.document_changed.connect(self._start_anew)
        session.curves.changed.connect(self.table.viewport().update)
        self._start_anew()

    def set_narrow(self, *, narrow: bool) -> None:
        """Leave out who started it and the increment where there is no room."""
        self.table.squeeze(("started_by", "increment") if narrow else ())
        self.table.set_widths({"command": 90, "charged_to": 110} if narrow else {})

    def set_low(self, *, low: bool) -> None:
        """Four rows where the window is low."""
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
        self.told_count(self.table.processes.total)

    @Slot()
    def _on_frame(self) -> None:
        if self._pace.is_due(self._session.snapshot):
            self.refresh()

    @Slot()
    def _filter(self) -> None:
        self.table.processes.filter_by(self.search.text(), sleeping=self.sleeping.isChecked())

    @Slot()
    def _start_anew(self) -> None:
        document = self._session.document
        self.table.processes.set_rows(())
        if document is not None:
            self.table.processes.set_window(document.scenario.plot.rate_window_s)
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(900, ROW_PX * (5 if self._low else 8))

    def minimumSizeHint(self) -> QSize:
        return QSize(400, ROW_PX * 3)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
