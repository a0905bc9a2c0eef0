"""The Operate workspace: the near-dedicated window above, job, queue and control state, records below."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, QTimer, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from fsconsole.console.actions import Action
from fsconsole.console.files.questions import Questions
from fsconsole.console.look.icons import put_icon
from fsconsole.console.mode_button import ModeButton
from fsconsole.console.operate.arming import READ_ONLY
from fsconsole.console.operate.nights.asking import Asking
from fsconsole.console.operate.nights.bars import AlertsBar, NightArmedBar, NoteBar
from fsconsole.console.operate.nights.commands import NO_NIGHT, operate_actions
from fsconsole.console.operate.nights.desk import Desk
from fsconsole.console.operate.nights.dock_words import DockWords
from fsconsole.console.operate.nights.job_card import JobPanel
from fsconsole.console.operate.nights.memory_view import MemoryView
from fsconsole.console.operate.nights.notifier import Notifier
from fsconsole.console.operate.nights.queue_panel import QueuePanel
from fsconsole.console.operate.nights.records import NightRecords
from fsconsole.console.operate.nights.state_chart import StateChart
from fsconsole.console.operate.nights.time_line import TimeLine
from fsconsole.console.operate.nights.use_view import UseView
from fsconsole.console.operate.nights.words import counted
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.workspace import Workspace
from fsconsole.policies.words import policy_title
from fsconsole.targets.base import MACHINE

_EXAMPLE = "example_near-dedicated-ymp"
_SIDES_PX, _NARROW_SIDES_PX = (424, 426), (360, 352)
_WINDOW_PX, _LOW_WINDOW_PX = 214, 166
_RECORDS_PX, _LOW_RECORDS_PX = 180, 126
_STATE_PX = 0.53  # part of the right column
_QUEUE_PX = 0.54
_AREA = Qt.DockWidgetArea


class OperateWorkspace(Workspace):
    """What an operator watches and does at night.

    Attributes:
        desk: what the views share. questions: asks for files; tests answer in a person's place.
    """

    id, title, icon = "operate", "Operate", "monitor"

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.desk = desk = Desk(session)
        self.questions = Questions(self)
        self.armed, self.alerts, self.note = NightArmedBar(desk), AlertsBar(desk), NoteBar(desk)
        self.time_line = TimeLine(desk)
        self.job = JobPanel(desk)
        self.queue = QueuePanel(desk)
        self.use = UseView(desk)
        self.chart = StateChart(desk)
        self.memory = MemoryView(desk)
        self.records = NightRecords(desk)
        self.notifier = Notifier(desk, self)
        self._mode: ModeButton | None = None
        self._could: tuple[object, ...] = ()
        self.asking = Asking(desk, self, lambda: self.job.by.seconds)
        self._put_bars()
        self._make_docks()
        self._words = DockWords(desk, self._docks(), self._open_example, self.asking.start)
        self._listen()
        self.keep_default_layout()
        self._follow()

    # -- what the frame asks --------------------------------------------------------------------------------

    def actions_of_workspace(self) -> list[Action]:
        """Arm, window, job, queue, alerts, records."""
        return [replace(action, needs=MACHINE) for action in operate_actions(self)]

    def tool_bar_ids(self) -> list[str]:
        """Time, the window and the job."""
        return [
            "observe.run",
            "",
            "operate.start_window",
            "operate.stop_window",
            "",
            "operate.extend",
            "operate.kill",
        ]

    def mode_widget(self) -> QWidget | None:
        """Armed or read-only."""
        if self._mode is None:
            self._mode = ModeButton(self.desk.arming, self.table.qaction("operate.arm"))
            self.addAction(self.table.qaction("operate.export"))
            for name in ("move_up", "move_down"):
                self.queue.table.addAction(self.table.qaction(f"operate.{name}"))
            put_icon(self.table.qaction("operate.kill"), "kill", "danger")
        return self._mode

    def status_text(self) -> str:
        """The window, the queue, the policy."""
        self.desk.look()  # as new as the panels are, also once the last frame has come
        night, document = self.desk.night, self.session.document
        if night is None or document is None:
            return NO_NIGHT if document is not None else ""
        state = "closing" if night.window.closing else "open" if night.window.is_open else "closed"
        facts = [
            f"Window {state}, {'1 job running' if night.job is not None else 'no job running'}",
            counted(len(night.queue), "job waits", "jobs wait"),
            f"Policy: {policy_title(document.scenario.policy.name)}",
            "preemption on" if night.preempting else "preemption off",
            f"Clock {self.desk.times.clock(night.time_s)}",
        ]
        return "   ".join(facts)

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Narrow: Memory is a tab behind the control state; low: System use is one behind the records."""
        self.queue.table.set_narrow(narrow=narrow)
        self.armed.set_narrow(narrow=narrow)
        for part in (self.job, self.time_line, self.alerts, self.note):
            part.set_low(low=low)
        if not narrow and self.memory_dock in self.tabifiedDockWidgets(self.state_dock):
            self._free_state()
        self._tab(self.memory_dock, self.state_dock, behind=narrow)
        self._tab(self.use_dock, self.records_dock if low else self.queue_dock, behind=low)
        front = self.state_dock if narrow else self.memory_dock
        QTimer.singleShot(0, front, front.raise_)
        QTimer.singleShot(0, self.records_dock, self.records_dock.raise_)

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """The queue gets what the others leave."""
        left, right = _NARROW_SIDES_PX if narrow else _SIDES_PX
        middle = max(self.width() - left - right - 16, 420)
        across = [self.job_dock, self.queue_dock, self.state_dock]
        self.resizeDocks(across, [left, middle, right], Qt.Orientation.Horizontal)
        above, below = (_LOW_WINDOW_PX, _LOW_RECORDS_PX) if low else (_WINDOW_PX, _RECORDS_PX)
        room = max(self.height() - above - below - 20, 300)
        down = [self.window_dock, self.job_dock, self.records_dock]
        self.resizeDocks(down, [above, room, below], Qt.Orientation.Vertical)
        if not narrow:
            state = round(room * _STATE_PX)
            self.resizeDocks(
                [self.state_dock, self.memory_dock], [state, room - state], Qt.Orientation.Vertical
            )
        if not low:
            queue = round(room * _QUEUE_PX)
            self.resizeDocks([self.queue_dock, self.use_dock], [queue, room - queue], Qt.Orientation.Vertical)

    # -- what the actions ask -------------------------------------------------------------------------------

    def has_job(self) -> bool:
        """Whether a job runs that an armed operator may act on."""
        night = self.desk.night
        return self.desk.is_armed and night is not None and night.job is not None and not night.job.is_over

    def can_start(self) -> bool:
        """Whether the window may be opened, or opened again while its last job runs."""
        night = self.desk.night
        return night is not None and self.desk.is_armed and (night.window.closing or not night.window.is_open)

    def can_stop(self) -> bool:
        """Whether the window may be closed, or its last job killed with it."""
        night = self.desk.night
        return night is not None and night.window.is_open and self.desk.is_armed

    def why_not(self, otherwise: str) -> str:
        """Why an action cannot be done."""
        if self.desk.night is None:
            return NO_NIGHT
        return otherwise if self.desk.is_armed else READ_ONLY

    def toggle_armed(self) -> None:
        """Arm, or be read-only again."""
        arming = self.desk.arming
        arming.disarm() if arming.is_armed else arming.arm()

    def show_record(self, page: int) -> None:
        """Bring the audit log or a report into sight, from whatever workspace."""
        if "show_operate" in self.table:
            self.table.trigger("show_operate")
        self.records_dock.show()
        self.records_dock.raise_()
        self.records.tabs.setCurrentIndex(page)

    def export_record(self) -> None:
        """Write what is on record into a file."""
        self.records.export(self.questions)

    # -- inside ---------------------------------------------------------------------------------------------

    def _put_bars(self) -> None:
        bars = QWidget(self)
        layout = QVBoxLayout(bars)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for bar in (self.armed, self.alerts, self.note):
            layout.addWidget(bar)
        self.setMenuWidget(bars)

    def _make_docks(self) -> None:
        self.window_dock = Dock(
            "operate.window", "Near-dedicated window", self.time_line, self, collapses=True
        )
        self.job_dock = Dock("operate.job", "Current job", self.job, self)
        self.queue_dock = Dock("operate.queue", "Near-dedicated queue", self.queue, self)
        self.use_dock = Dock("operate.use", "System use", self.use, self)
        self.state_dock = Dock("operate.state", "Control state", self.chart, self)
        self.memory_dock = Dock("operate.memory", "Memory and SDS", self.memory, self)
        self.records_dock = Dock("operate.records", "Records", self.records, self, collapses=True)
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self.addDockWidget(_AREA.TopDockWidgetArea, self.window_dock)
        self.splitDockWidget(self.window_dock, self.job_dock, down)
        self.splitDockWidget(self.job_dock, self.records_dock, down)
        self.splitDockWidget(self.job_dock, self.queue_dock, across)
        self.splitDockWidget(self.queue_dock, self.state_dock, across)
        self.splitDockWidget(self.queue_dock, self.use_dock, down)
        self.splitDockWidget(self.state_dock, self.memory_dock, down)
        self.queue.put_head(self.queue_dock)
        self.records.put_head(self.records_dock)
        self.queue.table.menu_of = self._queue_menu

    def _docks(self) -> dict[str, Dock]:
        return {
            "window": self.window_dock,
            "job": self.job_dock,
            "queue": self.queue_dock,
            "use": self.use_dock,
            "state": self.state_dock,
            "memory": self.memory_dock,
            "records": self.records_dock,
        }

    def _free_state(self) -> None:
        """Take the control state out of its tabs: Qt splits nothing that stands in a group of them."""
        docks = (self.use_dock, self.memory_dock, self.state_dock)
        are_closed = [dock.isHidden() for dock in docks]
        for dock in docks:
            self.removeDockWidget(dock)
        self.splitDockWidget(self.queue_dock, self.state_dock, Qt.Orientation.Horizontal)
        for dock, is_closed in zip(docks, are_closed, strict=True):
            dock.setHidden(is_closed)

    def _tab(self, dock: Dock, other: Dock, *, behind: bool) -> None:
        """Put a dock behind another one as a tab, or below it."""
        is_closed = dock.isHidden()
        self.removeDockWidget(dock)
        if behind:
            self.tabifyDockWidget(other, dock)
        else:
            self.splitDockWidget(other, dock, Qt.Orientation.Vertical)
        dock.setHidden(is_closed)

    def _listen(self) -> None:
        self.job.kill_wanted.connect(self.asking.kill)
        self.job.extend_wanted.connect(self.asking.extend)
        self.note.edit_wanted.connect(self.asking.note)
        self.time_line.proposed.connect(self._words.propose)
        self.time_line.proposed.connect(self._preview)
        self.records.export_button.clicked.connect(self.export_record)
        self.records.said.connect(self.session.message)
        self.queue.table.chosen.connect(self._refresh)
        self.desk.changed.connect(self._follow)
        self.desk.arming.changed.connect(self._refresh)

    @Slot()
    def _follow(self) -> None:
        if self.isVisible():
            self._words.say_emptiness()
            self._words.say_heads()
        night = self.desk.night
        job = night.job if night is not None else None
        running = (job.request, job.is_over) if job is not None else None
        window = (night.window.is_open, night.window.closing) if night is not None else None
        could = (window, running, bool(self.alerts.alerts))
        if could != self._could:
            self._could = could
            self._refresh()

    @Slot(str)
    def _preview(self, words: str) -> None:
        self.queue.table.queue.preview(is_preview=bool(words))

    def _open_example(self) -> None:
        self.table.trigger(_EXAMPLE)

    def _queue_menu(self, at: QPoint) -> None:
        self._refresh()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in ("move_up", "move_down", "hold", "release"):
            menu.addAction(self.table.qaction(f"operate.{name}"))
        menu.popup(at)

    @Slot()
    def _refresh(self) -> None:
        if hasattr(self, "table"):
            self.table.refresh()
        self._words.say_heads()
        self._words.say_emptiness()

    def showEvent(self, event: QShowEvent) -> None:
        """Show what has come meanwhile."""
        super().showEvent(event)
        self.desk.look()
        self._follow()
