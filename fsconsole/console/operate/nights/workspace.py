"""Near-dedicated nights in Operate: the window above, job, queue and control state, records below."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.mode_button import ModeButton
from fsconsole.console.operate.alert_bars import Alerts
from fsconsole.console.operate.nights.bars import NightArmedBar, NoteBar
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.operate.nights.dock_words import DockWords
from fsconsole.console.operate.nights.job_card import JobPanel
from fsconsole.console.operate.nights.memory_view import MemoryView
from fsconsole.console.operate.nights.queue_panel import QueuePanel
from fsconsole.console.operate.nights.records import NightRecords
from fsconsole.console.operate.nights.state_chart import StateChart
from fsconsole.console.operate.nights.timeline import Timeline
from fsconsole.console.operate.nights.use_view import UseView
from fsconsole.console.operate.nights.verbs import NO_NIGHT, NightVerbs
from fsconsole.console.operate.workspace import OperateWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.sizes import tall_lines
from fsconsole.console.transport_bar import TransportBar
from fsconsole.console.widgets.dock import Dock
from fsconsole.policies.words import policy_title
from fsconsole.targets.base import MACHINE, PAST_JOBS, PLAYBACK
from fsconsole.text.words import count_words

_EXAMPLE = "example_near-dedicated-ymp"
_SIDES_PX, _NARROW_SIDES_PX = (424, 426), (334, 364)
_WINDOW_PX, _LOW_WINDOW_PX = 214, 166
_LEAST_STATE_PX = 364
_LANES = 5  # Lines of text in the dock: its lanes and the texts above them.
_STATE_PART_OF_RIGHT = 0.53
_QUEUE_PX = 0.54
_PAGES = (("audit", "Audit log"), ("report", "ND report"), ("last_night", "Last night"))
_QUEUE_MENU = ("operate.move_up", "operate.move_down", "operate.hold", "operate.release")


class NightsWorkspace(OperateWorkspace):
    """What an operator watches and does at night.

    Attributes:
        controller: what the views share.
    """

    kill_action = "operate.kill"
    records: NightRecords

    def __init__(self, session: ConsoleSession, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(session, table, parent)
        self.controller = controller = NightController(session)
        self.armed, self.alerts, self.note = (
            NightArmedBar(controller),
            Alerts(controller, self),
            NoteBar(controller),
        )
        self.timeline = Timeline(controller)
        self.job = JobPanel(controller)
        self.queue = QueuePanel(controller)
        self.use = UseView(controller)
        self.chart = StateChart(controller)
        self.memory = MemoryView(controller)
        self._mode: ModeButton | None = None
        self._could: tuple[object, ...] = ()
        self.verbs = NightVerbs(controller, self.queue, self.alerts, self, lambda: self.job.by.seconds)
        self.transport = TransportBar(session, table)
        session.target_changed.connect(self._show_transport)
        self.setMenuWidget(self.transport)
        self.put_notices(self.alerts, self.armed, self.note)
        self.records = NightRecords(controller)
        self.put_records("operate.records")
        self._make_docks()
        self._words = DockWords(
            controller, self._docks(), partial(self._trigger, _EXAMPLE), self.verbs.start,
            partial(self._trigger, "show_observe"),
        )  # fmt: skip
        self._connect_signals()
        self.keep_default_layout()
        self._on_changed()
        self._show_transport()

    # -- what the window asks -------------------------------------------------------------------------------

    def actions_of_workspace(self) -> list[Action]:
        return [*self.verbs.actions(), *self._record_actions()]

    def _record_actions(self) -> list[Action]:
        has_night, why_not = lambda: self.controller.night is not None, lambda: NO_NIGHT
        return [
            *(
                Action(
                    f"operate.{name}", text, partial(self.show_record, page), menu="View", group="records",
                    enabled=has_night, why_not=why_not, words="near-dedicated", needs=MACHINE,
                )
                for page, (name, text) in enumerate(_PAGES)
            ),
            Action(
                "operate.export", "Export record…", self.export_record, keys=("Ctrl+E",), icon="export",
                menu="File", group="exchange", enabled=has_night,
                tip="Export the audit log or a report as text, CSV, PDF or web page", why_not=why_not,
                words="audit report near-dedicated", local=True, needs=MACHINE,
            ),
        ]  # fmt: skip

    def local_actions(self) -> Mapping[str, QWidget]:
        moves = dict.fromkeys(("operate.move_up", "operate.move_down"), self.queue.table)
        return {"operate.export": self, **moves}

    def tool_bar_ids(self) -> list[str]:
        return [
            "operate.start_window",
            "operate.stop_window",
            "",
            "operate.extend",
            "operate.kill",
        ]

    def mode_widget(self) -> QWidget | None:
        if self._mode is None:
            self._mode = ModeButton(self.controller.arming, self.table.qaction("operate.arm"))
        return self._mode

    def status_text(self) -> str:
        self.controller.look()  # Keep it as recent as the panels, even after the last frame.
        night, document = self.controller.night, self.session.document
        if night is None or document is None:
            if document is None or self.session.offer(PAST_JOBS) is not None:
                return ""
            return NO_NIGHT
        state = (
            "Window closing" if night.window.closing
            else "Window open" if night.window.is_open
            else "Window closed"
        )  # fmt: skip
        facts = [
            f"{state}, 1 job running" if night.job is not None else f"{state}, no job running",
            count_words(len(night.queue), "job waits", "jobs wait"),
            f"Policy: {policy_title(document.scenario.policy.name)}",
            "preemption on" if night.preempting else "preemption off",
            f"Clock {self.controller.times.clock(night.time_s)}",
        ]
        return "   ".join(facts)

    @Slot()
    def _show_transport(self) -> None:
        """Show the transport bar only for a clock that can be run from here."""
        is_diary = self.session.offer(PAST_JOBS) is not None
        self.transport.setVisible(self.session.shows(PLAYBACK) and not is_diary)

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Move Memory behind the control state if narrow, and System use behind the records if low.

        Tight: all but the window and the job are tabs behind the queue.
        """
        self.queue.table.set_narrow(narrow=narrow)
        self.armed.set_narrow(narrow=narrow)
        self.transport.set_narrow(narrow=narrow)
        for part in (self.transport, self.job, self.timeline):
            part.set_low(low=low)
        # A new job must not squeeze the chart.
        self.state_dock.setMinimumWidth(0 if self.is_tight else _LEAST_STATE_PX)
        beside = (self.state_dock, self.memory_dock, self.records_dock, self.use_dock)
        if self.is_tight:
            self.tab_in_middle(self.queue_dock, beside)
            return
        if not narrow and self.memory_dock in self.tabifiedDockWidgets(self.state_dock):
            self._free_state()
        self._tab(self.memory_dock, self.state_dock, behind=narrow)
        self._tab(self.use_dock, self.records_dock if low else self.queue_dock, behind=low)
        self.raise_soon(self.state_dock if narrow else self.memory_dock, self.records_dock)

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """Give the queue what the others leave."""
        left, right = map(self.side_px, _NARROW_SIDES_PX if narrow else _SIDES_PX)
        window = tall_lines(_LOW_WINDOW_PX if low else _WINDOW_PX, _LANES)
        if self.is_tight:
            docks = [self.job_dock, self.queue_dock]
            self.resizeDocks(docks, [left, max(self.width() - left, left)], Qt.Orientation.Horizontal)
            self.share_down(window, low=low)
            return
        middle = max(self.width() - left - right - 16, 420)
        across = [self.job_dock, self.queue_dock, self.state_dock]
        self.resizeDocks(across, [left, middle, right], Qt.Orientation.Horizontal)
        room = self.share_down(window, low=low)
        if not narrow:
            state = round(room * _STATE_PART_OF_RIGHT)
            self.resizeDocks(
                [self.state_dock, self.memory_dock], [state, room - state], Qt.Orientation.Vertical
            )
        if not low:
            queue = round(room * _QUEUE_PX)
            self.resizeDocks([self.queue_dock, self.use_dock], [queue, room - queue], Qt.Orientation.Vertical)

    def show_record(self, page: int) -> None:
        """Bring the audit log or a report into sight, from any workspace."""
        self.raise_dock(self.records_dock)
        self.records.tabs.setCurrentIndex(page)

    # -- inside ---------------------------------------------------------------------------------------------

    def _make_docks(self) -> None:
        self.window_dock = Dock("operate.window", "Near-dedicated window", self.timeline, self)
        self.job_dock = Dock("operate.job", "Current job", self.job, self)
        self.queue_dock = Dock("operate.queue", "Near-dedicated queue", self.queue, self)
        self.use_dock = Dock("operate.use", "System use", self.use, self)
        self.state_dock = Dock("operate.state", "Control state", self.chart, self)
        self.memory_dock = Dock("operate.memory", "Memory and SDS", self.memory, self)
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self.put_left_docks(self.window_dock, self.job_dock)
        self.splitDockWidget(self.job_dock, self.queue_dock, across)
        self.splitDockWidget(self.queue_dock, self.state_dock, across)
        self.splitDockWidget(self.queue_dock, self.use_dock, down)
        self.splitDockWidget(self.state_dock, self.memory_dock, down)
        self.queue.put_head(self.queue_dock)
        self.queue.table.menu_of = lambda at: self.pop_up(at, _QUEUE_MENU)

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
        """Take the control state out of its tabs, since Qt cannot split a group of tabs."""
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

    def _connect_signals(self) -> None:
        self.job.kill_wanted.connect(self.verbs.kill)
        self.job.extend_wanted.connect(self.verbs.extend)
        self.note.edit_wanted.connect(self.verbs.note)
        self.timeline.proposed.connect(self._words.propose)
        self.timeline.proposed.connect(self._preview)
        self.queue.table.chosen.connect(self._refresh)
        self.controller.changed.connect(self._on_changed)
        self.controller.arming.changed.connect(self._refresh)

    def follow(self) -> None:
        self.controller.look()
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        if self.isVisible():
            self._show_words()
        night = self.controller.night
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

    def _trigger(self, action_id: str) -> None:
        self.table.trigger(action_id)

    @Slot()
    def _refresh(self) -> None:
        self.refresh_actions()
        self._show_words()

    def _show_words(self) -> None:
        self._words.show_heads()
        self._words.show_emptiness()
        snapshot = self.session.snapshot
        self.show_records(self.controller.audit, snapshot.audit_problem if snapshot is not None else "")
