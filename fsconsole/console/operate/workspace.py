"""The frame of Operate: its notices, docks, records below, and actions that follow what is selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, Qt, QTimer, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from fsconsole.console.actions import ActionTable
from fsconsole.console.files.questions import Questions
from fsconsole.console.operate.alert_bars import UNREAD, Alerts
from fsconsole.console.operate.records import Records, audit_remark
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.sizes import tall_lines
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.strip import Notice
from fsconsole.console.workspace import Workspace

RECORDS_PX, LOW_RECORDS_PX = 180, 126
_RECORD_LINES = 3


class OperateWorkspace(Workspace):
    """The workspace of operators; a subclass gives the content for a kind of target.

    Attributes:
        questions: dialogs for files; tests answer in place of the user.
        records, records_dock: the records and their dock.
        left_docks: those at the left, from the top; the middle one gets what the others leave.
    """

    id, title, icon = "operate", "Operate", "monitor"
    kill_action = ""
    records: Records
    records_dock: Dock
    left_docks: tuple[Dock, Dock, Dock]

    def __init__(self, session: ConsoleSession, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(session, table, parent)
        self.questions = Questions(self)
        self._heights_px: tuple[int, int] | None = None

    def wire(self) -> None:
        put_icon(self.table.qaction(self.kill_action), "kill", "danger")
        for action_id, widget in self.local_actions().items():
            widget.addAction(self.table.qaction(action_id))

    # -- for the content ------------------------------------------------------------------------------------

    def local_actions(self) -> Mapping[str, QWidget]:
        """Return the widgets of actions whose keys are valid only there, by id."""
        return {}

    def follow(self) -> None:
        """Bring heads, emptiness and actions up to date."""

    def put_notices(self, alerts: Alerts, *notices: Notice) -> None:
        """Have the window's line show alerts and notices while this workspace is at the front."""
        for notice in notices:
            notice.setParent(self)
        self._notices = notices
        self._alerts = alerts
        alerts.bar_made.connect(self.notice_made)
        alerts.unread.connect(partial(self.session.message.emit, UNREAD))

    def notices(self) -> tuple[Notice, ...]:
        return (*self._alerts.bars, *self._notices)

    def put_records(self, name: str) -> None:
        """Make the dock of what is on record."""
        records = self.records
        self.records_dock = Dock(name, "Records", records, self)
        records.put_head(self.records_dock)
        records.export_button.clicked.connect(self.export_record)
        records.message.connect(self.session.message)

    def put_left_docks(self, above: Dock, middle: Dock) -> None:
        """Place a dock over the whole width, one below it at the left, and the records under both."""
        self.left_docks = (above, middle, self.records_dock)
        self.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, above)
        self.splitDockWidget(above, middle, Qt.Orientation.Vertical)
        self.splitDockWidget(middle, self.records_dock, Qt.Orientation.Vertical)

    def raise_soon(self, *docks: Dock) -> None:
        """Bring docks to the front of their tabs once Qt has placed them."""
        for dock in docks:
            QTimer.singleShot(0, dock, dock.raise_)

    def show_records(self, rows: Sequence[object], trouble: str) -> None:
        """Show in their header the number of recorded actions."""
        self.records_dock.header.set_remark(audit_remark(rows, trouble), at_end=True)

    def share_down(self, above_px: int, *, low: bool) -> int:
        """Give the docks at the left their heights, what is left to the one in the middle; return that."""
        is_beside = self.records_are_beside
        below_px = 0 if is_beside else tall_lines(LOW_RECORDS_PX if low else RECORDS_PX, _RECORD_LINES)
        middle_px = max(self.height() - above_px - below_px - 20, 0 if is_beside else 260)
        docks, heights = [*self.left_docks], [above_px, middle_px, below_px]
        if is_beside:
            docks, heights = docks[:2], heights[:2]
        self.resizeDocks(docks, heights, Qt.Orientation.Vertical)
        return middle_px

    @property
    def records_are_beside(self) -> bool:
        """Whether the records are a tab in the middle, as in a tight window."""
        return bool(self.tabifiedDockWidgets(self.records_dock)) and self.is_tight

    def tab_in_middle(self, middle: Dock, docks: Sequence[Dock]) -> None:
        """Put docks, the records among them, behind the one in the middle as tabs."""
        tabs = self.tabifiedDockWidgets(middle)
        for dock in docks:
            if dock not in tabs:
                self.move_behind(middle, dock)
        self.raise_soon(middle)

    def raise_dock(self, dock: Dock) -> None:
        """Bring a dock into sight, from any workspace."""
        if "show_operate" in self.table:
            self.table.trigger("show_operate")
        dock.bring_forward()

    @Slot()
    def export_record(self) -> None:
        """Write what is on record into a file."""
        self.records.export(self.questions)

    # -- inside ---------------------------------------------------------------------------------------------

    @Slot()
    def _place(self) -> None:
        super()._place()
        QTimer.singleShot(0, self, self._note_heights)

    @Slot()
    def _note_heights(self) -> None:
        """Note the heights to keep in a window of another height; the dock in the middle takes the rest."""
        above, _, below = self.left_docks
        self._heights_px = (above.height(), below.height())

    @Slot()
    def _restore_soon(self) -> None:
        if self._heights_px is not None:
            QTimer.singleShot(0, self, self._restore_heights)

    @Slot()
    def _restore_heights(self) -> None:
        if self._heights_px is not None and not self.records_are_beside:
            above_px, below_px = self._heights_px
            all_px = sum(dock.height() for dock in self.left_docks)
            heights = [above_px, max(all_px - above_px - below_px, 1), below_px]
            self.resizeDocks([*self.left_docks], heights, Qt.Orientation.Vertical)

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.follow()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._restore_soon()

    def event(self, event: QEvent) -> bool:
        is_done = super().event(event)
        if event.type() is QEvent.Type.MouseButtonRelease:  # The user has released the border between docks.
            self._note_heights()
        return is_done
