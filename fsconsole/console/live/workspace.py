"""The Observe workspace: legend left, plots in the middle, and around them what the target offers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Slot
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.live.cluster.past_jobs import DiarySide
from fsconsole.console.live.cluster.side import ClusterSide
from fsconsole.console.live.curve_choice import CurveChoice, add_curve_actions
from fsconsole.console.live.legend import LegendPanel
from fsconsole.console.live.linux.side import LinuxSide
from fsconsole.console.live.machine.side import MachineSide
from fsconsole.console.live.notes.controller import NotesController
from fsconsole.console.live.plots.controls import PlotControls
from fsconsole.console.live.plots.exports import PlotExports
from fsconsole.console.live.plots.panel import PlotsPanel
from fsconsole.console.live.plots.reference import ReferenceEntry
from fsconsole.console.live.side import LiveFrame, Side
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.past_view import loop_words
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.lazy_widget import LazyWidget
from fsconsole.targets.base import EXPLAINER, HOLD
from fsconsole.text.words import plural

if TYPE_CHECKING:
    from fsconsole.console.insight.why_panel import WhyPanel

_LEGEND_PX = 390


class LiveWorkspace(LiveFrame):
    """The present state of the target and its history.

    Attributes:
        notes: notes on instants of the run.
        machine, cluster, linux: sides for targets that offer a machine, a cluster or control groups.
    """

    id = "observe"
    title = "Observe"
    icon = "plots"
    explains = True
    faces = ("", "-machine", "-cluster", "-diary", "-linux")

    def __init__(self, session: ConsoleSession, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(session, table, parent)
        # Connected first: plots, strip and legend draw with the range of this frame.
        session.frame.connect(self._on_frame)
        session.document_changed.connect(self._on_target_changed)
        session.target_changed.connect(self._on_target_changed)
        self.span = TimeRange(self)
        self._is_moved_for_past = False
        self.legend = LegendPanel(session)
        self.panel = PlotsPanel(session, self.span)
        self.legend.add_entry(ReferenceEntry(self.panel.references, self.legend))
        self.exports = PlotExports(session, self.panel, self.span, self)
        self._late_why = LazyWidget(self._made_why, QSize(340, 104))
        self._make_docks()
        self.machine = MachineSide(session, self)
        self.cluster = ClusterSide(session, self)
        self.diary = DiarySide(session, self)
        self.linux = LinuxSide(session, self)
        self.notes = NotesController(session, self)
        for strip in (self.machine.transport.strip, self.diary.head):
            strip.note_wanted.connect(self.notes.add)
            strip.section = lambda: session.past.section
            session.paced.connect(strip.refresh)
        self._add_why()
        self._put_heads()
        self.plot_controls = PlotControls(
            session, self.plots_dock.header, self.panel, self.span, self.exports
        )
        self.curve_choice = CurveChoice(session, self.legend_dock, self.plots_dock, self.plan_load)
        self._connect_signals()
        self.keep_default_layout()
        self._on_target_changed()

    @property
    def sides(self) -> tuple[Side, ...]:
        """What some targets have beside legend and plots."""
        return (self.machine, self.cluster, self.diary, self.linux)

    @property
    def why_panel(self) -> WhyPanel:
        """Why one node goes before another."""
        return self._late_why.widget

    @property
    def present(self) -> tuple[Side, ...]:
        """Sides that the open target has."""
        return tuple(side for side in self.sides if side.is_present)

    # -- what the frame asks ------------------------------------------------------------------------------

    def wire(self) -> None:
        """Give widgets their keys."""
        self.addAction(self.table.qaction("observe.export"))
        for name in ("cursor_left", "cursor_right", "event_left", "event_right", "copy_values"):
            self.panel.addAction(self.table.qaction(f"observe.{name}"))
        self.notes.wire()
        for side in self.sides:
            side.wire()
        self.refresh_actions()

    def actions_of_workspace(self) -> list[Action]:
        """Return actions on range, cursor and export, and those of the sides."""
        of_sides = (action for side in self.sides for action in side.actions())
        return [
            *_plot_actions(self),
            *_cursor_actions(self),
            *self.panel.references.actions(),
            *self.notes.actions(),
            *of_sides,
        ]

    def tool_bar_ids(self) -> list[str]:
        """Return the ids of the tool bar's actions."""
        return [tool for side in self.present for tool in side.tools]

    def status_text(self) -> str:
        """Return facts about the target."""
        return "   ".join(filter(None, (side.status_text() for side in self.present)))

    def status_details(self) -> str:
        """Return the facts left out of the status bar."""
        return "\n".join(filter(None, (side.status_details() for side in self.present)))

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Show fewer words in a narrow window and lower plots in a low one."""
        self.legend.view.set_narrow(narrow=narrow)
        self.panel.set_low(low=low)
        self.plot_controls.set_narrow(narrow=narrow)
        self.plot_controls.set_low(low=low)
        for side in self.sides:
            side.adapt(narrow=narrow, low=low)

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """Give the plots what the others leave."""
        for side in self.present:
            side.share_out(narrow=narrow, low=low)
        if not self.present:
            self.resizeDocks([self.legend_dock], [_LEGEND_PX], Qt.Orientation.Horizontal)

    # -- what the actions do --------------------------------------------------------------------------------

    def show_why(self) -> None:
        """Bring the explanation of the selected node into sight."""
        self.why_dock.bring_forward()
        self.why_panel.refresh()

    def is_held(self) -> bool:
        """Return True if the display is held."""
        hold = self.session.offer(HOLD)
        return hold is not None and hold.is_held

    @Slot()
    def hold(self) -> None:
        """Hold the view, or let it continue."""
        hold = self.session.offer(HOLD)
        if hold is not None:
            hold.hold(is_held=not hold.is_held)
            self.session.look_again()
            for side in self.present:
                side.follow()
            self.refresh_actions()

    def toggle_solo(self) -> None:
        """Draw the selected nodes alone, or all again."""
        self.curve_choice.toggle_solo()
        self.refresh_actions()

    def toggle_loop(self) -> None:
        """Play the range of the plots round and round, or stop."""
        past, target = self.session.past, self.session.target
        if past.section is not None or target is None:
            past.loop(None)
            past.pause()
            self.session.message.emit("The loop has ended")
            self.session.paced.emit()
            return
        start_s, end_s = max(self.span.start_s, target.clock.first_s), min(self.span.end_s, target.now_s)
        if end_s <= start_s:
            self.session.message.emit("The range shown is in the future and cannot be looped")
        else:
            past.loop((start_s, end_s))
            self.session.message.emit(f"{loop_words(past)}. Ctrl+Shift+L ends the loop.")
        self.session.paced.emit()

    @Slot()
    def plan_load(self) -> None:
        """Ask for users' work, by the dialog of Design, which may not have been shown yet."""
        if "plan_load" not in self.table:
            self.table.trigger("show_design")
            self.table.trigger("show_observe")
        self.table.trigger("plan_load")

    def toggle_system(self) -> None:
        """Leave system groups out, or not."""
        self.session.set_leave_out_system(not self.session.leave_out_system)

    # -- inside ---------------------------------------------------------------------------------------------

    def _make_docks(self) -> None:
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.plots_dock = Dock("observe.plots", "Plots", self.panel, self)
        self.plots_dock.setFeatures(Dock.DockWidgetFeature.NoDockWidgetFeatures)
        self.setCentralWidget(self.plots_dock)
        self.legend_dock = Dock("observe.legend", "Nodes and legend", self.legend, self)
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, self.legend_dock)
        self.legend.view.menu_of = self._node_menu

    def _add_why(self) -> None:
        """Add a tab below the plots, behind what the sides have there."""
        self.why_dock = Dock("observe.why", "Why", self._late_why, self)
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.why_dock)
        self.tabifyDockWidget(self.machine.control_dock, self.cluster.partition_dock)
        self.tabifyDockWidget(self.cluster.partition_dock, self.linux.groups_dock)
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.notes.dock)
        self.tabifyDockWidget(self.linux.groups_dock, self.notes.dock)
        self.tabifyDockWidget(self.notes.dock, self.why_dock)
        self.tabifyDockWidget(self.why_dock, self.diary.dock)
        self.in_front = (self.cluster.partition_dock, self.linux.groups_dock, self.machine.process_dock)

    def _made_why(self, parent: QWidget) -> WhyPanel:
        from fsconsole.console.insight.why_panel import why_in

        return why_in(self.why_dock.header, self.session, parent, follows_hold=True)

    def _put_heads(self) -> None:
        heads = QWidget(self)
        vbox(*(side.head for side in self.sides), on=heads)
        self.setMenuWidget(heads)

    def _connect_signals(self) -> None:
        self.session.system_left_out_changed.connect(self.refresh_actions)
        self.session.past_moved.connect(self._on_past_moved)
        self.panel.mark.changed.connect(self.refresh_actions)
        self.panel.arranged.connect(self.refresh_actions)
        self.panel.menu_wanted.connect(self._show_plot_menu)

    @Slot()
    def _on_past_moved(self) -> None:
        """Hold the plots at the displayed instant; restore their former range at the present."""
        time_s, mode = self.session.past.time_s, self.span.mode
        if time_s is not None:
            self.span.bring_into_sight(time_s)
            self._is_moved_for_past = self._is_moved_for_past or self.span.mode != mode
        elif self._is_moved_for_past:
            self._is_moved_for_past = False
            self.span.release()

    @Slot(str, QPoint)
    def _show_plot_menu(self, name: str, at: QPoint) -> None:
        menu = self.exports.menu(name)
        menu.addSeparator()
        for action in self.panel.references.actions():
            menu.addAction(self.table.qaction(action.id))
        menu.addSeparator()
        menu.addAction(self.table.qaction("notes.add"))
        if self.machine.is_present:
            menu.addAction(self.table.qaction("branches.here"))
        menu.popup(at)

    def _node_menu(self, node: int, at: QPoint) -> None:
        if node not in self.session.selection:
            self.session.select((node,))
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for side in self.present:
            side.add_node_actions(menu, node)
        menu.addSeparator()
        if self.session.offer(EXPLAINER) is not None:
            menu.addAction("Why", self.show_why)
        add_curve_actions(menu, self.session, node)
        menu.popup(at)

    @Slot()
    def _on_frame(self) -> None:
        target = self.session.target
        if target is None or target.at() is None:
            return
        if not self.is_held():
            self.span.advance(target.now_s, follows=not self.session.past.is_on)
        for side in self.present:
            side.follow()

    @Slot()
    def _on_target_changed(self) -> None:
        target = self.session.target
        if target is not None:
            self.span.begin(target.clock)
            if self.session.is_recorded:  # A recorded run is shown as a whole.
                self.span.advance(target.now_s)
                self.span.show_whole()
            title = plural(2, target.node_title) if target.root_title == "" else "Nodes and legend"
            self.legend_dock.setWindowTitle(title)
        for side in self.sides:
            side.head.setVisible(side.is_present)
            if side.is_present:
                side.begin()
        absent = [dock for side in self.sides if not side.is_present for dock in side.docks]
        if not self.session.shows(EXPLAINER):
            absent.append(self.why_dock)
        self.show_face("".join(f"-{side.name}" for side in self.present), absent)
        self.plots_dock.body.clear_error()
        self.refresh_actions()


def _plot_actions(workspace: LiveWorkspace) -> list[Action]:
    session, span = workspace.session, workspace.span

    return [
        Action(
            "observe.leave_out", "Leave out s&ystem groups", workspace.toggle_system, keys=("S",),
            menu="View", group="plots", tip="Rescale percentages to the total without system groups",
            enabled=lambda: session.can_leave_out_system, checked=lambda: session.leave_out_system,
            why_not=lambda: "The tree has no system groups",
        ),
        Action(
            "observe.follow", "&Follow the present", lambda: span.follow(span.follow_s), menu="View",
            group="plots", tip="Follow the present over a chosen length of time",
            enabled=workspace.is_open, checked=lambda: span.mode == "follow",
        ),
        Action(
            "observe.whole", "Show the &whole run", span.show_whole, menu="View", group="plots",
            tip="Show all data from the beginning", enabled=workspace.is_open,
            checked=lambda: span.mode == "whole",
        ),
        Action(
            "observe.hold", "&Hold what is shown", workspace.hold, keys=("Space",), icon="pause", menu="View",
            group="plots", tip="Freeze the values shown. Reading continues",
            enabled=workspace.is_open, checked=workspace.is_held, words="pause stop freeze", needs=HOLD,
        ),
        *workspace.exports.actions(workspace.is_open),
        Action(
            "observe.mark", "Set &mark at the cursor", workspace.panel.set_mark, keys=("M",), menu="View",
            group="cursors", enabled=workspace.is_open, words="second cursor difference delta measure",
            tip="Show the difference from this instant beside each value at the cursor",
        ),
        Action(
            "observe.unmark", "&Remove mark", workspace.panel.mark.clear, keys=("Shift+M",), menu="View",
            group="cursors", enabled=lambda: workspace.panel.mark.time_s is not None,
            why_not=lambda: "No mark is set", words="second cursor difference",
        ),
        Action(
            "observe.maximise_plot", "Ma&ximise plot", workspace.panel.toggle_maximised,
            keys=("Shift+F11",), menu="View", group="plots", enabled=workspace.is_open,
            tip="Show only the focused plot, or all again", words="zoom enlarge restore",
            checked=lambda: bool(workspace.panel.maximised),
        ),
        Action(
            "observe.solo", "S&olo selected curves", workspace.toggle_solo,
            keys=("Shift+S",), menu="View", group="plots", tip="Draw only the selected nodes, or all again",
            enabled=lambda: workspace.is_open() and workspace.curve_choice.can_solo,
            checked=lambda: workspace.curve_choice.is_solo, why_not=lambda: "Select a node first",
            words="isolate only curve",
        ),
    ]  # fmt: skip


def _cursor_actions(workspace: LiveWorkspace) -> list[Action]:
    panel = workspace.panel
    rows = (
        ("cursor_left", "Move the cursor back by one sample", partial(panel.move_cursor, -1), "Left"),
        ("cursor_right", "Move the cursor forward by one sample", partial(panel.move_cursor, 1), "Right"),
        (
            "event_left",
            "Move the cursor to the previous event",
            partial(panel.move_to_event, -1),
            "Shift+Left",
        ),
        ("event_right", "Move the cursor to the next event", partial(panel.move_to_event, 1), "Shift+Right"),
    )
    return [
        *(
            Action(f"observe.{name}", text, run, keys=(key,), enabled=workspace.is_open, local=True)
            for name, text, run, key in rows
        ),
        Action(
            "observe.loop", "&Loop the shown range", workspace.toggle_loop, keys=("Ctrl+Shift+L",),
            menu="Simulation/Past", group="play", enabled=workspace.is_open, words="play again replay repeat",
            tip="Play the range of the plots in a loop",
            checked=lambda: workspace.session.past.section is not None,
        ),
    ]  # fmt: skip
