"""What Observe shows of a machine: transport above, its shell, processes and control."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Slot
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.console.actions import Action
from fsconsole.console.live.branches.controller import BranchesController
from fsconsole.console.live.machine.machine_console import MachineConsole
from fsconsole.console.live.machine.operate import Operator, Recorder
from fsconsole.console.live.machine.playback_bar import PlaybackBar
from fsconsole.console.live.machine.processes import ProcessPanel
from fsconsole.console.live.side import LiveFrame, Side
from fsconsole.console.machine_line import OPERATOR
from fsconsole.console.saturation_note import SaturationNote
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.sizes import tall_lines
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.lazy_widget import LazyWidget
from fsconsole.policies.words import policy_title
from fsconsole.shares.tree import ROOT_ID
from fsconsole.targets.base import MACHINE
from fsconsole.text import numbers

if TYPE_CHECKING:
    from fsconsole.console.insight.control_panel import ControlPanel

_LEGEND_PERCENT, _LOW_LEGEND_PERCENT = 51, 75
_PROCESSES_PX, _LOW_PROCESSES_PX = 222, 208
_TIGHT_PROCESSES_PX = 104
_PROCESS_LINES = 3
_MENU = "Simulation"


class MachineSide(Side):
    """A machine as it runs."""

    needs = MACHINE
    name = "machine"
    tools = ("observe.login", "observe.start")
    head: PlaybackBar

    def __init__(self, session: ConsoleSession, workspace: LiveFrame) -> None:
        super().__init__(session, workspace)
        self.transport = self.head = PlaybackBar(
            session, workspace.table, workspace.span, session.events, workspace
        )
        self.console = MachineConsole(session)
        self.processes = ProcessPanel(session)
        self._late_control = LazyWidget(self._made_control, QSize(480, 112))
        self.saturation = SaturationNote(session)
        self.operator = Operator(session, workspace)
        self.recorder = Recorder(session, workspace)
        self.branches = BranchesController(session, workspace)
        self._make_docks()
        self._connect_signals()

    @property
    def control(self) -> ControlPanel:
        """The running policy as a control system."""
        return self._late_control.widget

    def actions(self) -> list[Action]:
        """Step, record, branches, log in, processes, control."""
        own = (*_time(self), *self.branches.actions(), *_users(self))
        return [replace(action, needs=MACHINE) for action in own]

    def wire(self) -> None:
        """Connect the keys of the tables."""
        for name in ("end", "renice"):
            self.processes.table.addAction(self.workspace.table.qaction(f"observe.{name}"))

    def begin(self) -> None:
        """Show the machine of another run."""
        self._show_user()
        self.transport.strip.refresh()

    def follow(self) -> None:
        """Follow a running simulation."""
        snapshot = self.session.snapshot
        self.transport.strip.refresh()
        if snapshot is not None and snapshot.recording_problem:
            self.workspace.plots_dock.body.show_error(snapshot.recording_problem)

    def status_text(self) -> str:
        """Return time, ticks, seed, policy, and users who cannot use their entitlement."""
        document, snapshot = self.session.document, self.session.snapshot
        if document is None or snapshot is None:
            return ""
        scenario = document.scenario
        now, end = f"{numbers.fixed(snapshot.time_s, 1)} s", f"{numbers.fixed(scenario.plot.until_s)} s"
        is_past = snapshot.time_s > scenario.plot.until_s
        facts = [
            f"{now} (scenario ended at {end})" if is_past else f"{now} of {end}",
            f"{numbers.thousands(snapshot.tick)} ticks",
            f"Seed {scenario.seed}",
            f"Policy: {policy_title(scenario.policy.name)}",
            self.saturation.text,
        ]
        return "   ".join(filter(None, facts))

    def status_details(self) -> str:
        """Return the text on all users who cannot use their whole entitlement."""
        return self.saturation.all_of_it

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Show icons without words in a narrow window and a lower table in a low one.

        In a tight one the machine console is a tab behind the legend.
        """
        if self.workspace.is_tight and self.is_present:
            self._stack_console()
        self.transport.bar.set_narrow(narrow=narrow)
        self.processes.set_narrow(narrow=narrow)
        self.processes.set_low(low=low)

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """Give the plots what legend and processes leave."""
        workspace = self.workspace
        is_tight = workspace.is_tight
        width = workspace.side_px(self.legend_px[narrow], self.legend_percent)
        workspace.resizeDocks([workspace.legend_dock], [width], Qt.Orientation.Horizontal)
        if not is_tight:
            left = [workspace.legend_dock, self.console_dock]
            whole = sum(dock.height() for dock in left)
            above = whole * (_LOW_LEGEND_PERCENT if low else _LEGEND_PERCENT) // 100
            workspace.resizeDocks(left, [above, whole - above], Qt.Orientation.Vertical)
        height = _TIGHT_PROCESSES_PX if is_tight else _LOW_PROCESSES_PX if low else _PROCESSES_PX
        workspace.resizeDocks(
            [self.process_dock], [tall_lines(height, _PROCESS_LINES)], Qt.Orientation.Vertical
        )

    def _stack_console(self) -> None:
        """Add the machine console as a tab behind the legend."""
        workspace, legend, console = self.workspace, self.workspace.legend_dock, self.console_dock
        if console not in workspace.tabifiedDockWidgets(legend):
            workspace.move_behind(legend, console)
            QTimer.singleShot(0, legend, legend.raise_)  # Run later, when the tabs exist.

    def add_node_actions(self, menu: QMenu, node: int) -> None:
        """Log in and out, and processes."""
        self.operator.add_user_actions(menu, node)

    # -- what the actions do --------------------------------------------------------------------------------

    def is_open(self) -> bool:
        """Return True if there is a machine that can be acted on."""
        return self.workspace.is_open() and self.session.machine is not None

    def show_control(self) -> None:
        """Bring the block diagram of the selected node into sight."""
        self.control_dock.bring_forward()
        self.control.refresh()

    def explain_process(self) -> None:
        """Explain the first selected process."""
        for row in self.processes.table.selected()[:1]:
            self.workspace.why_panel.show_process(row.pid, row.node)
            self.workspace.show_why()

    def toggle_recording(self) -> None:
        """Begin to write a run folder, or close it."""
        self.recorder.toggle()
        self.transport.bar.refresh()

    # -- inside ---------------------------------------------------------------------------------------------

    def _make_docks(self) -> None:
        workspace, area = self.workspace, Qt.DockWidgetArea
        self.console_dock = Dock("observe.machine_console", "Machine console", self.console, workspace)
        workspace.addDockWidget(area.LeftDockWidgetArea, self.console_dock)
        self.process_dock = Dock("observe.processes", "Processes", self.processes, workspace)
        workspace.addDockWidget(area.BottomDockWidgetArea, self.process_dock)
        self.control_dock = Dock("observe.control", "Control", self._late_control, workspace)
        workspace.tabifyDockWidget(self.process_dock, self.control_dock)
        workspace.addDockWidget(area.BottomDockWidgetArea, self.branches.dock)
        workspace.tabifyDockWidget(self.control_dock, self.branches.dock)
        header = self.process_dock.header
        header.add_widget(self.processes.sleeping)
        header.add_widget(self.processes.search)
        self.processes.counted.connect(header.set_remark)
        self.processes.table.menu_of = self._process_menu
        self.docks = [
            self.console_dock,
            self.process_dock,
            self.control_dock,
            self.branches.dock,
        ]

    def _made_control(self, parent: QWidget) -> ControlPanel:
        from fsconsole.console.insight.control_panel import control_in

        return control_in(self.control_dock.header, self.session, parent)

    def _connect_signals(self) -> None:
        session, workspace = self.session, self.workspace
        session.past_moved.connect(self._on_past_moved)
        self.transport.strip.head_moved.connect(session.past.go_or_leave)
        self.transport.strip.spans = session.notes.spans
        session.notes.changed.connect(self.transport.strip.refresh)
        session.line.user_changed.connect(self._show_user)
        session.edited.connect(self.transport.strip.refresh)
        workspace.span.changed.connect(self.transport.strip.refresh)
        self.processes.table.selectionModel().selectionChanged.connect(workspace.refresh_actions)
        self.console.run_wanted.connect(lambda: workspace.table.trigger("observe.run"))
        self.console.left.connect(workspace.panel.setFocus)

    @Slot()
    def _on_past_moved(self) -> None:
        self.transport.strip.show_head(self.session.past.time_s)
        self.transport.bar.refresh()

    @Slot()
    def _show_user(self) -> None:
        user = self.session.line.user or OPERATOR
        self.console_dock.header.set_remark(f"{self.console.name}, as {user}", at_end=True)

    def _process_menu(self, at: QPoint) -> None:
        self.workspace.refresh_actions()
        menu = QMenu(self.workspace)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in ("why", "start", "renice", "end"):
            menu.addAction(self.workspace.table.qaction(f"observe.{name}"))
        self.operator.add_log_out(menu, {row.node for row in self.processes.table.selected()})
        menu.popup(at)


def _time(side: MachineSide) -> list[Action]:
    is_open = side.is_open
    return [
        Action(
            "observe.record", "R&ecord run", side.toggle_recording, icon="record", menu=_MENU, group="record",
            tip="Record the run from now on into a run folder", enabled=is_open,
            checked=side.recorder.is_recording, words="run folder save", acts=True,
        ),
    ]  # fmt: skip


def _users(side: MachineSide) -> list[Action]:
    operator, table = side.operator, side.processes.table

    def nodes() -> set[int]:
        chosen = {row.node for row in table.selected()} | set(side.session.selection)
        return operator.logged_in(chosen)

    def has_processes() -> bool:
        return side.is_open() and bool(table.selected())

    def can_explain() -> bool:
        return has_processes() and table.selected()[0].node != ROOT_ID

    return [
        Action(
            "observe.login", "&Log in…", operator.log_in, icon="user", menu=_MENU, group="users",
            tip="Log a user in. A logged-in user counts as active", enabled=side.is_open, acts=True,
        ),
        Action(
            "observe.logout", "Log &out", lambda: operator.log_out(nodes()), menu=_MENU, group="users",
            tip="Log the selected users out. Their processes end",
            enabled=lambda: side.is_open() and bool(nodes()),
            why_not=lambda: "Select a user who is logged in", acts=True,
        ),
        Action(
            "observe.start", "Start &process…", operator.start, icon="add-user", menu=_MENU, group="users",
            tip="Start processes charged to a user", enabled=side.is_open, words="new load work", acts=True,
        ),
        Action(
            "observe.why", "&Why this process", side.explain_process, menu=_MENU, group="users",
            tip="Explain why the selected process goes before another user's", enabled=can_explain,
            why_not=lambda: "Select a process that is not exempt", words="explain priority",
        ),
        Action(
            "observe.renice", "Re&nice…", lambda: operator.renice(table.selected()), keys=("F2", "Return"),
            menu=_MENU, group="users", tip="Change the nice value of the selected processes",
            enabled=has_processes, why_not=lambda: "Select a process", local=True, acts=True,
        ),
        Action(
            "observe.end", "&End process", lambda: operator.end(table.selected()), keys=("Del",),
            icon="delete", menu=_MENU, group="users", tip="End the selected processes", enabled=has_processes,
            why_not=lambda: "Select a process", words="kill stop", local=True, acts=True,
        ),
        Action(
            "observe.control", "&Control", side.show_control, menu="View", group="docks",
            tip="Show block diagram, redistribution plot and step response of the selected node",
            enabled=side.is_open, words="control view diagram damping step response redistribution",
        ),
    ]  # fmt: skip
