"""The Observe workspace: transport above, legend left, plots in the middle, processes below."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Slot
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.machine_line import OPERATOR
from fsconsole.console.observe.commands import observe_actions
from fsconsole.console.observe.curve_choice import CurveChoice
from fsconsole.console.observe.exports import PlotExports
from fsconsole.console.observe.legend import LegendPanel
from fsconsole.console.observe.machine_console import MachineConsole
from fsconsole.console.observe.operate import Operator
from fsconsole.console.observe.plots.controls import PlotControls
from fsconsole.console.observe.plots.panel import PlotsPanel
from fsconsole.console.observe.processes import ProcessPanel
from fsconsole.console.observe.recorder import Recorder
from fsconsole.console.observe.time_range import TimeRange
from fsconsole.console.observe.transport import Transport
from fsconsole.console.saturation_note import SaturationNote
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.late import Late
from fsconsole.console.workspace import Workspace
from fsconsole.policies.words import policy_title
from fsconsole.targets.base import MACHINE
from fsconsole.text import numbers

if TYPE_CHECKING:
    from fsconsole.console.insight.control_panel import ControlPanel
    from fsconsole.console.insight.why_panel import WhyPanel

_LEGEND_PX = 390
_NARROW_LEGEND_PX = 376
_LEGEND_PART, _LOW_LEGEND_PART = 47, 60  # percent of the left column
_PROCESSES_PX = 222
_LOW_PROCESSES_PX = 150


class ObserveWorkspace(Workspace):
    """The machine as it runs."""

    id = "observe"
    title = "Observe"
    icon = "plots"
    explains = True

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._table: ActionTable | None = None
        # First in line: plots, strip and legend draw with the range and the flags of this frame.
        session.frame.connect(self._heed_frame)
        self.span = TimeRange(self)
        flags = session.events
        self.transport = Transport(session, self.span, flags, self)
        self.legend = LegendPanel(session)
        self.panel = PlotsPanel(session, self.span, flags)
        self.console = MachineConsole(session)
        self.processes = ProcessPanel(session)
        self._late_why = Late(self._made_why, QSize(340, 150))
        self._late_control = Late(self._made_control, QSize(560, 112))
        self.saturation = SaturationNote(session)
        self.operator = Operator(session, self)
        self.recorder = Recorder(session, self)
        self.exports = PlotExports(session, self.panel, self.span, flags, self)
        self.setMenuWidget(self.transport)
        self._make_docks()
        self.plot_controls = PlotControls(
            session, self.plots_dock.header, self.panel, self.span, flags, self.exports
        )
        self.curve_choice = CurveChoice(session, self.legend_dock, self.plots_dock)
        self._listen()
        self._begin_run()
        self.keep_default_layout()

    # -- what the frame asks --------------------------------------------------------------------------------

    @property
    def table(self) -> ActionTable:
        """The actions of the window."""
        if self._table is None:
            raise RuntimeError("the window has not taken the workspace in yet")
        return self._table

    @table.setter
    def table(self, table: ActionTable) -> None:
        self._table = table
        self.addAction(table.qaction("observe.export"))
        for name in ("cursor_left", "cursor_right", "event_left", "event_right"):
            self.panel.addAction(table.qaction(f"observe.{name}"))
        for name in ("end", "renice"):
            self.processes.table.addAction(table.qaction(f"observe.{name}"))
        self._refresh_actions()

    @property
    def why_panel(self) -> WhyPanel:
        """Why one user goes before another."""
        return self._late_why.widget

    @property
    def control(self) -> ControlPanel:
        """The running policy as a control system."""
        return self._late_control.widget

    def actions_of_workspace(self) -> list[Action]:
        """Step, record, log in, processes, cursor, export."""
        return [replace(action, needs=MACHINE) for action in observe_actions(self)]

    def tool_bar_ids(self) -> list[str]:
        """What stands on the tool bar."""
        return ["observe.login", "observe.start"]

    def status_text(self) -> str:
        """Time, ticks, seed, policy, and who cannot use what he is entitled to."""
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
        """Everybody who cannot use what he is entitled to."""
        return self.saturation.all_of_it

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Icons without words in a narrow window, lower plots and table in a low one."""
        self.transport.bar.set_narrow(narrow=narrow)
        self.legend.view.set_narrow(narrow=narrow)
        self.processes.set_narrow(narrow=narrow)
        self.processes.set_low(low=low)
        self.panel.set_low(low=low)
        self.plot_controls.set_narrow(narrow=narrow)

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """The plots get what legend and processes leave."""
        width = _NARROW_LEGEND_PX if narrow else _LEGEND_PX
        self.resizeDocks([self.legend_dock], [width], Qt.Orientation.Horizontal)
        left = [self.legend_dock, self.console_dock]
        whole = sum(dock.height() for dock in left)
        above = whole * (_LOW_LEGEND_PART if low else _LEGEND_PART) // 100
        self.resizeDocks(left, [above, whole - above], Qt.Orientation.Vertical)
        height = _LOW_PROCESSES_PX if low else _PROCESSES_PX
        self.resizeDocks([self.process_dock], [height], Qt.Orientation.Vertical)

    # -- what the actions do --------------------------------------------------------------------------------

    def is_open(self) -> bool:
        """Whether there is a machine that can be acted on."""
        snapshot = self.session.snapshot
        return snapshot is not None and snapshot.fault is None

    def step(self) -> None:
        """Pause and advance by what the transport says."""
        self.session.step(self.transport.bar.step_ticks)

    def show_why(self) -> None:
        """Bring the explanation of the selected node into sight."""
        self.why_dock.show()
        self.why_dock.raise_()
        self.why_panel.refresh()

    def show_control(self) -> None:
        """Bring the block diagram of the selected node into sight."""
        self.control_dock.show()
        self.control_dock.raise_()
        self.control.refresh()

    def explain_process(self) -> None:
        """Explain the first selected process."""
        for row in self.processes.table.selected()[:1]:
            self.why_panel.show_process(row.pid, row.node)
            self.show_why()

    def toggle_system(self) -> None:
        """Leave system groups out, or not."""
        self.session.set_leave_out_system(not self.session.leave_out_system)

    def toggle_recording(self) -> None:
        """Begin to write a run folder, or close it."""
        self.recorder.toggle()
        self.transport.bar.refresh()

    # -- inside ---------------------------------------------------------------------------------------------

    def _make_docks(self) -> None:
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.plots_dock = Dock("observe.plots", "Plots", self.panel, self)
        self.plots_dock.setFeatures(Dock.DockWidgetFeature.NoDockWidgetFeatures)
        self.setCentralWidget(self.plots_dock)
        self.legend_dock = Dock("observe.legend", "Nodes and legend", self.legend, self)
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, self.legend_dock)
        self.console_dock = Dock(
            "observe.machine_console", "Machine console", self.console, self, collapses=True
        )
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, self.console_dock)
        self.process_dock = Dock("observe.processes", "Processes", self.processes, self, collapses=True)
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.process_dock)
        self.why_dock = Dock("observe.why", "Why", self._late_why, self)
        self.control_dock = Dock("observe.control", "Control", self._late_control, self)
        self.tabifyDockWidget(self.process_dock, self.control_dock)
        self.tabifyDockWidget(self.control_dock, self.why_dock)
        self.process_dock.raise_()
        header = self.process_dock.header
        header.add_widget(self.processes.sleeping)
        header.add_widget(self.processes.search)
        self.processes.told_count = lambda count: header.set_remark(str(count))
        self.legend.view.menu_of = self._node_menu
        self.processes.table.menu_of = self._process_menu

    def _made_why(self, parent: QWidget) -> WhyPanel:
        from fsconsole.console.insight.why_panel import why_in

        return why_in(self.why_dock.header, self.session, parent)

    def _made_control(self, parent: QWidget) -> ControlPanel:
        from fsconsole.console.insight.control_panel import control_in

        return control_in(self.control_dock.header, self.session, parent)

    def _listen(self) -> None:
        session, bar = self.session, self.transport.bar
        session.document_changed.connect(self._begin_run)
        session.target_changed.connect(self._begin_run)
        session.line.user_changed.connect(self._show_user)
        session.edited.connect(self._heed_edits)
        session.system_left_out_changed.connect(self._refresh_actions)
        self.span.changed.connect(self.transport.strip.refresh)
        self.processes.table.selectionModel().selectionChanged.connect(self._refresh_actions)
        self.panel.menu_wanted.connect(lambda name, at: self.exports.menu(name).popup(at))
        bar.run_wanted.connect(lambda: self.table.trigger("observe.run"))
        bar.restart_wanted.connect(lambda: self.table.trigger("observe.restart"))
        self.console.run_wanted.connect(lambda: self.table.trigger("observe.run"))
        self.console.left.connect(self.panel.setFocus)
        bar.step_wanted.connect(self.step)
        bar.record_wanted.connect(self.toggle_recording)
        bar.export_wanted.connect(self.exports.export_plot)

    @Slot()
    def _heed_frame(self) -> None:
        snapshot = self.session.snapshot
        if snapshot is None:
            return
        self.span.advance(snapshot.time_s)
        self.transport.strip.refresh()
        self.curve_choice.draw_something()
        if snapshot.recording_problem:
            self.plots_dock.body.show_error(snapshot.recording_problem)

    @Slot()
    def _show_user(self) -> None:
        user = self.session.line.user or OPERATOR
        self.console_dock.header.set_remark(f"{self.console.name}, as {user}", at_end=True)

    @Slot()
    def _begin_run(self) -> None:
        document = self.session.document
        if document is not None:
            self.span.begin(document.scenario.plot.until_s)
        self._show_user()
        self._heed_edits()
        self.transport.strip.refresh()
        self.plots_dock.body.clear_error()
        self._refresh_actions()

    @Slot()
    def _heed_edits(self) -> None:
        self.transport.strip.refresh()

    def _node_menu(self, node: int, at: QPoint) -> None:
        self.operator.node_menu(node, self).popup(at)

    def _process_menu(self, at: QPoint) -> None:
        self._refresh_actions()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in ("why", "start", "renice", "end"):
            menu.addAction(self.table.qaction(f"observe.{name}"))
        self.operator.add_log_out(menu, {row.node for row in self.processes.table.selected()})
        menu.popup(at)

    @Slot()
    def _refresh_actions(self) -> None:
        if self._table is not None:
            self._table.refresh()
