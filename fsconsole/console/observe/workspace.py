"""The Observe workspace: transport above, legend left, plots in the middle, processes below."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QPoint, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QFileDialog, QMenu, QToolButton, QWidget

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.look.icons import put_icon
from fsconsole.console.observe.commands import observe_actions
from fsconsole.console.observe.exports import PlotExports
from fsconsole.console.observe.flags import Flag, flags_of, last_before
from fsconsole.console.observe.legend import LegendPanel
from fsconsole.console.observe.operate import Operator
from fsconsole.console.observe.plots.drawn import users_with_work
from fsconsole.console.observe.plots.panel import PlotsPanel
from fsconsole.console.observe.processes import ProcessPanel
from fsconsole.console.observe.time_range import TimeRange
from fsconsole.console.observe.transport import Transport, neighbour_speed
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.console.workspace import LOW_PX, Workspace
from fsconsole.figures.quantities import quantity_named
from fsconsole.figures.style import numbers
from fsconsole.shares.scenario.spec import QUANTITIES
from fsconsole.shares.tree import ROOT_ID

# Narrower than the smallest window: its real size is still to come.
_ROOM_PX = 1000
_SPANS: tuple[tuple[str, float], ...] = (
    ("Follow 1 min", 60.0),
    ("Follow 10 min", 600.0),
    ("Follow 1 h", 3600.0),
    ("Follow 10 h", 36000.0),
)


class ObserveWorkspace(Workspace):
    """The machine as it runs."""

    id = "observe"
    title = "Observe"
    icon = "plots"

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.span = TimeRange(self)
        self._flags: tuple[Flag, ...] = ()
        self._flags_of: tuple[object, ...] = ()
        self._is_narrow = False
        self._quantities = list(QUANTITIES)
        self._table: ActionTable | None = None
        self._chosen_for: object = None
        self.transport = Transport(session, self.span, self.flags, self)
        self.legend = LegendPanel(session)
        self.panel = PlotsPanel(session, self.span, self.flags)
        self.processes = ProcessPanel(session)
        self.operator = Operator(session, self)
        self.exports = PlotExports(session, self.panel, self.span, self.flags, self)
        self.setMenuWidget(self.transport)
        self._make_docks()
        self._listen()
        self._start_anew()
        self._is_placed = False
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

    def actions_of_workspace(self) -> list[Action]:
        """Run, step, speed, log in, processes, cursor, export."""
        return observe_actions(self)

    def tool_bar_ids(self) -> list[str]:
        """What stands on the tool bar."""
        return ["observe.login", "observe.start"]

    def status_text(self) -> str:
        """Time, ticks, seed and policy."""
        document, snapshot = self.session.document, self.session.snapshot
        if document is None or snapshot is None:
            return ""
        scenario = document.scenario
        policy = "Share, hierarchical" if scenario.policy.name == "share" else scenario.policy.name
        facts = [
            f"{numbers.fixed(snapshot.time_s, 1)} s of {numbers.fixed(scenario.plot.until_s)} s",
            f"{numbers.thousands(snapshot.tick)} ticks",
            f"Seed {scenario.seed}",
            f"Policy: {policy}",
        ]
        return "   ".join(facts)

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Icons without words in a narrow window, lower plots and table in a low one."""
        self._is_narrow = narrow
        self.transport.bar.set_narrow(narrow=narrow)
        self.legend.view.set_narrow(narrow=narrow)
        self.processes.set_narrow(narrow=narrow)
        self.processes.set_low(low=low)
        self.panel.set_low(low=low)
        self._place_docks(narrow=narrow, low=low)
        self._say_cursor()

    def reset_layout(self) -> None:
        """Put the docks where they were first, in their first sizes."""
        super().reset_layout()
        self._place_now()

    # -- what the actions do --------------------------------------------------------------------------------

    def is_open(self) -> bool:
        """Whether there is a machine that can be acted on."""
        snapshot = self.session.snapshot
        return snapshot is not None and snapshot.fault is None

    def run_or_pause(self) -> None:
        """Let time pass, or stop it."""
        target = self.session.target
        if target is not None and target.is_running:
            self.session.pause()
        else:
            self.session.run()
        self.transport.bar.refresh()

    def step(self) -> None:
        """Pause and advance by what the transport says."""
        self.session.step(self.transport.bar.step_ticks)

    def change_speed(self, step: int) -> None:
        """The next faster or slower speed."""
        target = self.session.target
        if target is not None:
            self.session.set_speed(neighbour_speed(target.speed, step))
            self.transport.bar.refresh()

    def toggle_system(self) -> None:
        """Leave system groups out, or not."""
        self.session.set_leave_out_system(not self.session.leave_out_system)

    def is_recording(self) -> bool:
        """Whether a run folder is being written."""
        snapshot = self.session.snapshot
        return snapshot is not None and snapshot.recording is not None

    def toggle_recording(self) -> None:
        """Begin to write a run folder, having asked where; or close it."""
        if self.is_recording():
            self.session.stop_recording()
            return
        path = self.ask_run_folder()
        if path is not None:
            self.session.record(path, overwrite=True)
        self.transport.bar.refresh()

    def ask_run_folder(self) -> Path | None:
        """Where to record; beside the document if nothing else is said."""
        document = self.session.document
        if document is None:
            return None
        folder = document.path.parent if document.path is not None else Path.home()
        wished = folder / f"{Path(document.name).stem}.run"
        chosen, _ = QFileDialog.getSaveFileName(self, "Record into", str(wished), "Run folders (*.run)")
        if not chosen:
            return None
        path = Path(chosen)
        return path if path.suffix == ".run" else path.with_name(f"{path.name}.run")

    def draw_users_with_work(self) -> None:
        """Draw the curves of all users with work."""
        document = self.session.document
        if document is not None:
            nodes = users_with_work(document.scenario, document.tree, self.session.snapshot)
            self.session.show_nodes(nodes)

    def flags(self) -> Sequence[Flag]:
        """What happened and what is planned."""
        return self._flags

    # -- inside ---------------------------------------------------------------------------------------------

    def _make_docks(self) -> None:
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.plots_dock = Dock("observe.plots", "Plots", self.panel, self)
        self.plots_dock.setFeatures(self.plots_dock.features() & ~self.plots_dock.features())
        self.setCentralWidget(self.plots_dock)
        self.legend_dock = Dock("observe.legend", "Nodes and legend", self.legend, self)
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, self.legend_dock)
        self.process_dock = Dock("observe.processes", "Processes", self.processes, self)
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.process_dock)
        self._fill_plots_header()
        self._fill_legend_header()
        header = self.process_dock.header
        header.add_widget(self.processes.sleeping)
        header.add_widget(self.processes.search)
        self.processes.told_count = lambda count: header.set_remark(str(count))
        self._place_docks(narrow=False, low=False)

    def _fill_plots_header(self) -> None:
        header = self.plots_dock.header
        self.cursor_words = MutedLabel("", header)
        self.plots_button = _menu_button(header, "5 plots", "Which plots are shown")
        for name in QUANTITIES:
            action = self.plots_button.menu().addAction(quantity_named(name).title)
            action.setCheckable(True)
            action.setChecked(True)
            action.toggled.connect(partial(self._show_plot, name))
        self.span_box = QComboBox(header)
        self.span_box.setAccessibleName("Range of the plots")
        for words, width_s in _SPANS:
            self.span_box.addItem(words, width_s)
        self.span_box.addItem("Whole run", "whole")
        self.span_box.addItem("Fixed", "fixed")
        self.span_box.activated.connect(self._span_chosen)
        export = QToolButton(header)
        put_icon(export, "export")
        export.setToolTip("Export or copy a plot")
        export.setAccessibleName("Export or copy a plot")
        export.setAutoRaise(True)
        export.clicked.connect(lambda: self.exports.menu().popup(export.mapToGlobal(QPoint(0, 24))))
        for widget in (self.cursor_words, self.plots_button, self.span_box, export):
            header.add_widget(widget)

    def _fill_legend_header(self) -> None:
        header = self.legend_dock.header
        self.curves_button = _menu_button(header, "0 curves", "Which curves are drawn")
        menu = self.curves_button.menu()
        menu.addAction("Users with work", self.draw_users_with_work)
        menu.addAction("All users", lambda: self._draw(groups=False))
        menu.addAction("Groups", lambda: self._draw(groups=True))
        menu.addAction("Selected nodes", lambda: self.session.show_nodes(self.session.selection))
        menu.addSeparator()
        menu.addAction("None", lambda: self.session.show_nodes(()))
        header.add_widget(self.curves_button)
        self.legend.view.menu_of = self._node_menu
        self.processes.table.menu_of = self._process_menu

    def _listen(self) -> None:
        session, bar = self.session, self.transport.bar
        # First in line: plots, strip and legend draw with the range and the flags of this frame.
        session.frame.connect(self._heed_frame)
        session.document_changed.connect(self._start_anew)
        session.target_changed.connect(self._begin_run)
        session.edited.connect(self._heed_edits)
        session.shown_changed.connect(self._count_curves)
        session.cursor_moved.connect(self._say_cursor)
        session.system_left_out_changed.connect(self._refresh_actions)
        self.span.changed.connect(self._say_span)
        self.processes.table.selectionModel().selectionChanged.connect(self._refresh_actions)
        self.panel.menu_wanted.connect(lambda name, at: self.exports.menu(name).popup(at))
        bar.run_wanted.connect(self.run_or_pause)
        bar.restart_wanted.connect(session.restart)
        bar.step_wanted.connect(self.step)
        bar.record_wanted.connect(self.toggle_recording)
        bar.export_wanted.connect(self.exports.export_plot)

    def _place_once(self) -> None:
        if not self._is_placed and self.isVisible() and self.width() >= _ROOM_PX:
            self._is_placed = True
            QTimer.singleShot(0, self, self._place_now)

    @Slot()
    def _place_now(self) -> None:
        self._place_docks(narrow=self._is_narrow, low=self.window().height() < LOW_PX)

    def _place_docks(self, *, narrow: bool, low: bool) -> None:
        width = 356 if narrow else 390
        self.resizeDocks([self.legend_dock], [width], Qt.Orientation.Horizontal)
        self.resizeDocks([self.process_dock], [150 if low else 222], Qt.Orientation.Vertical)

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """The docks get their sizes once there is room to share out."""
        super().showEvent(event)
        self._place_once()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The first size may be a small one, before the window has its own."""
        super().resizeEvent(event)
        self._place_once()

    def restoreState(
        self, state: QByteArray | bytes | bytearray | memoryview, version: int | None = 0
    ) -> bool:
        """What was remembered stays as it was."""
        self._is_placed = True
        return super().restoreState(state, version or 0)

    # -- inside, of frames ----------------------------------------------------------------------------------

    @Slot(object)
    def _heed_frame(self) -> None:
        snapshot = self.session.snapshot
        if snapshot is None:
            return
        self._make_flags()
        self.span.advance(snapshot.time_s)
        self.transport.strip.refresh()
        if not self.session.shown:
            self._draw_something()
        if snapshot.recording_problem and self.session.target is not None:
            self.process_dock.body.clear_error()
            self.plots_dock.body.show_error(snapshot.recording_problem)

    def _make_flags(self) -> None:
        document, snapshot = self.session.document, self.session.snapshot
        if document is None or snapshot is None:
            self._flags, self._flags_of = (), ()
            return
        passed = sum(event.at_s <= snapshot.time_s for event in document.scenario.events)
        made_of = (id(self.session.target), len(snapshot.happenings), passed)
        if made_of != self._flags_of:
            self._flags_of = made_of
            self._flags = tuple(
                flags_of(document.scenario, document.tree, snapshot.happenings, snapshot.time_s)
            )

    def _draw_something(self) -> None:
        """Where the scenario names no nodes, the users with work are drawn, once."""
        target = self.session.target
        if self._chosen_for is not target:
            self._chosen_for = target
            self.draw_users_with_work()

    @Slot()
    def _start_anew(self) -> None:
        self._chosen_for = None
        self._begin_run()
        self._count_curves()
        self._say_cursor()
        self._refresh_actions()

    @Slot()
    def _begin_run(self) -> None:
        document = self.session.document
        if document is not None:
            self.span.begin(document.scenario.plot.until_s)
        self._flags_of = ()
        self._make_flags()
        self.transport.strip.refresh()
        self.plots_dock.body.clear_error()

    @Slot()
    def _heed_edits(self) -> None:
        self._flags_of = ()
        self._make_flags()
        self._count_curves()

    @Slot()
    def _count_curves(self) -> None:
        count = len(self.session.shown)
        self.curves_button.setText("1 curve" if count == 1 else f"{count} curves")
        if count or self.session.document is None:
            self.plots_dock.body.show_content()
        else:
            self.plots_dock.body.show_empty(
                "No curve is drawn.", "Draw users with work", self.draw_users_with_work
            )

    @Slot()
    def _say_cursor(self) -> None:
        at = self.session.cursor_s
        if at is None:
            self.cursor_words.setText("")
            return
        words = f"Cursor {numbers.plot_time(at, self.span.end_s)}"
        flag = last_before(self.flags(), at)
        if flag is not None and flag.time_s > 0 and not self._is_narrow:
            words += f", {numbers.fixed(at - flag.time_s)} s after {flag.text}"
        self.cursor_words.setText(words)

    @Slot()
    def _say_span(self) -> None:
        mode = self.span.mode
        wanted = self.span.follow_s if mode == "follow" else mode
        at = self.span_box.findData(wanted)
        self.span_box.setCurrentIndex(at if at >= 0 else self.span_box.findData("fixed"))
        self.transport.strip.refresh()

    @Slot(int)
    def _span_chosen(self, at: int) -> None:
        chosen = self.span_box.itemData(at)
        if chosen == "whole":
            self.span.show_whole()
        elif chosen == "fixed":
            self.span.fix(self.span.start_s, self.span.end_s)
        else:
            self.span.follow(float(chosen))

    def _show_plot(self, name: str, is_shown: bool) -> None:
        chosen = set(self._quantities) | {name} if is_shown else set(self._quantities) - {name}
        self._quantities = [quantity for quantity in QUANTITIES if quantity in chosen]
        count = len(self._quantities)
        self.plots_button.setText("1 plot" if count == 1 else f"{count} plots")
        self.panel.show_quantities(self._quantities)

    def _draw(self, *, groups: bool) -> None:
        document = self.session.document
        if document is None:
            return
        tree = document.tree
        self.session.show_nodes(
            node.id
            for node in tree.walk()
            if node.is_group == groups and node.id != ROOT_ID and not tree.is_system(node.id)
        )

    def _node_menu(self, node: int, at: QPoint) -> None:
        self.operator.node_menu(node, self).popup(at)

    def _process_menu(self, at: QPoint) -> None:
        self._popup(["observe.start", "observe.renice", "observe.end", "observe.logout"], at)

    def _popup(self, ids: Sequence[str], at: QPoint) -> None:
        self._refresh_actions()
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for action_id in ids:
            menu.addAction(self._qaction(action_id))
        menu.popup(at)

    def _qaction(self, action_id: str) -> QAction:
        return self.table.qaction(action_id)

    @Slot()
    def _refresh_actions(self) -> None:
        if self._table is not None:
            self._table.refresh()


def _menu_button(parent: QWidget, words: str, tip: str) -> QToolButton:
    made = QToolButton(parent)
    made.setText(words)
    made.setToolTip(tip)
    made.setAccessibleName(tip)
    made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    made.setMenu(QMenu(made))
    from fsconsole.console.look.controls import set_look

    set_look(made, "boxed")
    return made
