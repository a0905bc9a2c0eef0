"""The process table: who computes what, charged to whom."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QItemSelectionModel, QPoint, QSize, Qt, Slot
from PySide6.QtGui import QContextMenuEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QHeaderView, QTableView, QVBoxLayout, QWidget

from fsconsole.console.live.machine.process_model import Column, ProcessModel
from fsconsole.console.session import ConsoleSession
from fsconsole.console.table_pace import TablePace
from fsconsole.console.widgets.copying import copy_by_keys
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.console.widgets.share_bar import MACHINE_BAR_WIDTH, ShareBarDelegate
from fsconsole.console.widgets.table_columns import TableColumns
from fsconsole.targets.snapshot import ProcessRow

_ROW = 24
_WIDTHS = {
    Column.PID: 64,
    Column.COMMAND: 170,
    Column.CHARGED_TO: 150,
    Column.STARTED_BY: 110,
    Column.NICE: 64,
    Column.PRIORITY: 100,
    Column.INCREMENT: 100,
    Column.CPU: 172,
    Column.CPU_TIME: 100,
}


class ProcessTable(QTableView):
    """Rows of processes; the selection stays with the processes however they are sorted."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.processes = ProcessModel(session, self)
        self.menu_of: Callable[[QPoint], None] = lambda _at: None
        self._kept: set[int] = set()
        self.processes.modelAboutToBeReset.connect(self._keep_selection)
        self.processes.modelReset.connect(self._restore_selection)
        self.setModel(self.processes)
        self.setAccessibleName("Processes")
        self.setFrameShape(self.Shape.NoFrame)
        self.setShowGrid(False)
        self.setSortingEnabled(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(_ROW)
        self.setItemDelegateForColumn(Column.CPU, ShareBarDelegate(self, MACHINE_BAR_WIDTH, "100.0 %"))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in _WIDTHS.items():
            header.resizeSection(column, width)
        self.sortByColumn(Column.CPU, Qt.SortOrder.DescendingOrder)
        names = [column.name.lower() for column in Column]
        self.columns = TableColumns(self, session.preferences, "observe/processes", names)
        copy_by_keys(self)

    def selected(self) -> list[ProcessRow]:
        """The selected processes, in the order shown."""
        rows = self.processes.rows
        return [rows[at] for at in sorted({index.row() for index in self.selectionModel().selectedRows()})]

    def select_pids(self, pids: set[int]) -> None:
        """Select processes."""
        model = self.selectionModel()
        model.clearSelection()
        flags = QItemSelectionModel.SelectionFlag
        for pid in pids:
            row = self.processes.row_of(pid)
            if row >= 0:
                index = self.processes.index(row, 0)
                model.select(index, flags.Select | flags.Rows)
                model.setCurrentIndex(index, flags.NoUpdate)

    @Slot()
    def _keep_selection(self) -> None:
        self._kept = {row.pid for row in self.selected()}

    @Slot()
    def _restore_selection(self) -> None:
        if self._kept:
            self.select_pids(self._kept)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be done with the selected processes."""
        self.menu_of(event.globalPos())


class ProcessPanel(QWidget):
    """The table; find field and check box are for the dock's header. Values follow at 4 Hz in sight."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pace = TablePace()
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
        session.frame.connect(self._heed_frame)
        session.document_changed.connect(self._start_anew)
        session.curves.changed.connect(self.table.viewport().update)
        self._start_anew()

    def set_narrow(self, *, narrow: bool) -> None:
        """Leave out who started it and the increment where there is no room."""
        self.table.columns.squeeze({Column.STARTED_BY, Column.INCREMENT} if narrow else ())
        self.table.horizontalHeader().resizeSection(Column.COMMAND, 90 if narrow else _WIDTHS[Column.COMMAND])
        charged = 110 if narrow else _WIDTHS[Column.CHARGED_TO]
        self.table.horizontalHeader().resizeSection(Column.CHARGED_TO, charged)

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
        self.table.processes.take(snapshot.processes)
        self.told_count(self.table.processes.total)

    @Slot()
    def _heed_frame(self) -> None:
        if self._pace.is_due(self._session.snapshot):
            self.refresh()

    @Slot()
    def _filter(self) -> None:
        self.table.processes.filter_by(self.search.text(), sleeping=self.sleeping.isChecked())

    @Slot()
    def _start_anew(self) -> None:
        document = self._session.document
        self.table.processes.take(())
        if document is not None:
            self.table.processes.window_s = document.scenario.plot.rate_window_s
        self.refresh()

    def sizeHint(self) -> QSize:
        """Seven rows, four in a low window."""
        return QSize(900, _ROW * (5 if self._low else 8))

    def minimumSizeHint(self) -> QSize:
        """Three rows."""
        return QSize(400, _ROW * 3)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up."""
        super().showEvent(event)
        self.refresh()
