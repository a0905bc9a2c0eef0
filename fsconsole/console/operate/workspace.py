"""The frame of Operate: bars above, docks, records below, and actions that follow what is selected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from fsconsole.console.files.questions import Questions
from fsconsole.console.look.icons import put_icon
from fsconsole.console.operate.records import Records, count_words
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.workspace import Workspace
from fsconsole.recording.audit import AuditRow

RECORDS_PX, LOW_RECORDS_PX = 180, 126


class OperateWorkspace(Workspace):
    """What operators watch and do; a subclass gives the content for what a target can do.

    Attributes:
        questions: asks for files; tests answer in a person's place.
        records, records_dock: what is on record.
    """

    id, title, icon = "operate", "Operate", "monitor"
    kill_action = ""
    records: Records
    records_dock: Dock

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.questions = Questions(self)
        self._is_joined = False

    # -- for the content ------------------------------------------------------------------------------------

    def local_actions(self) -> Mapping[str, QWidget]:
        """Ids of actions whose keys act in a widget alone."""
        return {}

    def follow(self) -> None:
        """Bring heads, emptiness and actions up to date."""

    def put_bars(self, *bars: QWidget) -> None:
        """Put bars above the docks, from top to bottom."""
        column = QWidget(self)
        layout = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for bar in bars:
            layout.addWidget(bar)
        self.setMenuWidget(column)

    def put_records(self, name: str) -> None:
        """Make the dock of what is on record."""
        records = self.records
        self.records_dock = Dock(name, "Records", records, self, collapses=True)
        records.put_head(self.records_dock)
        records.export_button.clicked.connect(self.export_record)
        records.said.connect(self.session.message)

    def say_records(self, rows: tuple[AuditRow, ...], trouble: str) -> None:
        """Say in their header how many actions are on record."""
        self.records_dock.header.set_remark(count_words(rows, trouble), at_end=True)

    def share_down(self, docks: Iterable[Dock], above_px: int, *, low: bool) -> int:
        """Give the docks at the left their heights, what is left to the one in the middle; return that."""
        below_px = LOW_RECORDS_PX if low else RECORDS_PX
        middle_px = max(self.height() - above_px - below_px - 20, 260)
        self.resizeDocks(list(docks), [above_px, middle_px, below_px], Qt.Orientation.Vertical)
        return middle_px

    def come_forward(self, dock: Dock) -> None:
        """Bring a dock into sight, from whatever workspace."""
        if "show_operate" in self.table:
            self.table.trigger("show_operate")
        dock.show()
        dock.raise_()

    @Slot()
    def refresh_actions(self) -> None:
        """Ask all actions again what can be done; there are none before the window has taken this in."""
        if hasattr(self, "table"):
            self.table.refresh()

    def pop_up(self, at: QPoint, action_ids: Iterable[str]) -> None:
        """Show a menu of actions; an empty id is a rule."""
        self.refresh_actions()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action_id in action_ids:
            menu.addAction(self.table.qaction(action_id)) if action_id else menu.addSeparator()
        menu.popup(at)

    @Slot()
    def export_record(self) -> None:
        """Write what is on record into a file."""
        self.records.export(self.questions)

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_joined:
            self._is_joined = True
            put_icon(self.table.qaction(self.kill_action), "kill", "danger")
            for action_id, widget in self.local_actions().items():
                widget.addAction(self.table.qaction(action_id))
        self.follow()
