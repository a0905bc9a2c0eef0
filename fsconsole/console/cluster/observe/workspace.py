"""The Observe workspace of a real cluster: associations, plots, partitions and nodes, Why."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.cluster.observe.clock_range import ClockRange
from fsconsole.console.cluster.observe.commands import cluster_observe_actions
from fsconsole.console.cluster.observe.controls import ClusterPlotControls
from fsconsole.console.cluster.observe.exports import ClusterExports
from fsconsole.console.cluster.observe.head import ClusterHead
from fsconsole.console.cluster.observe.legend import AssociationPanel, CurveChoice
from fsconsole.console.cluster.observe.partitions import PartitionPanel
from fsconsole.console.cluster.observe.plots import ClusterPlots
from fsconsole.console.cluster.observe.watch import Watch
from fsconsole.console.cluster.observe.why import ClusterWhy
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.workspace import Workspace
from fsconsole.targets.base import HOLD
from fsconsole.targets.slurm.state import Link, PartName
from fsconsole.text import numbers

_LEGEND_PX = 690
_NARROW_LEGEND_PX = 480
_BELOW_PX = 212
_LOW_BELOW_PX = 150


class ClusterObserveWorkspace(Workspace):
    """The cluster as it stands, and how it came there since it was connected."""

    id = "observe"
    title = "Observe"
    icon = "plots"
    explains = True

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._table: ActionTable | None = None
        self.watch = Watch(session, self)
        self.span = ClockRange(self)
        self.watch.begun.connect(self._begin)  # before the plots, which draw with its range
        self.head = ClusterHead(self.watch, self)
        self.legend = AssociationPanel(session, self.watch)
        self.panel = ClusterPlots(session, self.watch, self.span)
        self.partitions = PartitionPanel(session, self.watch)
        self.why = ClusterWhy(session, self.watch)
        self.exports = ClusterExports(session, self.watch, self.panel, self.span, self)
        self.setMenuWidget(self.head)
        self._make_docks()
        self.controls = ClusterPlotControls(
            session, self.watch, self.plots_dock.header, self.panel, self.span, self.exports
        )
        self.choice = CurveChoice(session, self.watch, self.legend_dock, self.plots_dock)
        self._listen()
        self._begin()
        self.keep_default_layout()

    # -- what the frame asks ------------------------------------------------------------------------------

    @property
    def table(self) -> ActionTable:
        """The actions of the window."""
        if self._table is None:
            raise RuntimeError("the window has not taken the workspace in yet")
        return self._table

    @table.setter
    def table(self, table: ActionTable) -> None:
        self._table = table
        self.addAction(table.qaction("cluster.observe.export"))
        for name in ("cursor_left", "cursor_right"):
            self.panel.addAction(table.qaction(f"cluster.observe.{name}"))
        table.refresh()

    def actions_of_workspace(self) -> list[Action]:
        """Hold, range, cursor, export."""
        return cluster_observe_actions(self)

    def status_text(self) -> str:
        """How large the cluster is and what it does."""
        digest = self.watch.digest
        if digest is None or digest.index is None:
            return ""
        settings = digest.state.settings
        facts = [f"{numbers.thousands(len(digest.index.tree.nodes))} associations"]
        if len(digest.running):
            facts.append(f"{numbers.thousands(digest.running[0])} jobs running")
            facts.append(f"{numbers.thousands(digest.waiting[0])} pending")
        if settings is not None:
            facts.append(settings.rule[0].upper() + settings.rule[1:])
            facts.append(f"Slurm {settings.version}")
        return "   ".join(facts)

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Fewer words in a narrow window, lower plots in a low one."""
        self.head.set_narrow(narrow=narrow)
        self.legend.view.set_narrow(narrow=narrow)
        self.partitions.set_narrow(narrow=narrow)
        self.panel.set_low(low=low)
        self.controls.set_low(low=low)
        self.why.set_low(low=low)

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """The plots get what the others leave."""
        width = _NARROW_LEGEND_PX if narrow else _LEGEND_PX
        self.resizeDocks([self.legend_dock], [width], Qt.Orientation.Horizontal)
        height = _LOW_BELOW_PX if low else _BELOW_PX
        self.resizeDocks([self.partition_dock], [height], Qt.Orientation.Vertical)

    # -- what the actions do ------------------------------------------------------------------------------

    def is_open(self) -> bool:
        """Whether there is a cluster."""
        return self.watch.cluster is not None

    def is_held(self) -> bool:
        """Whether what is shown stays."""
        hold = self.session.offer(HOLD)
        return hold is not None and hold.is_held

    def hold(self) -> None:
        """Hold what is shown, or go on."""
        hold = self.session.offer(HOLD)
        if hold is not None:
            hold.hold(is_held=not hold.is_held)
            self.session.look_again()
            self.head.refresh()
            self._refresh_actions()

    def read_now(self) -> None:
        """Read what may be read now."""
        cluster = self.watch.cluster
        if cluster is not None:
            cluster.target.refresh()
            self.session.message.emit("Reading the cluster; usage waits for the site's period")

    def show_why(self) -> None:
        """Bring the explanation of the selected association into sight."""
        self.why_dock.show()
        self.why_dock.raise_()
        self.why.refresh()

    # -- inside -------------------------------------------------------------------------------------------

    def _make_docks(self) -> None:
        self.plots_dock = Dock("cluster.observe.plots", "Plots", self.panel, self)
        self.plots_dock.setFeatures(Dock.DockWidgetFeature.NoDockWidgetFeatures)
        self.setCentralWidget(self.plots_dock)
        self.legend_dock = Dock("cluster.observe.associations", "Associations", self.legend, self)
        self.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, self.legend_dock)
        self.partition_dock = Dock(
            "cluster.observe.partitions", "Partitions and nodes", self.partitions, self, collapses=True
        )
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.partition_dock)
        self.why_dock = Dock("cluster.observe.why", "Why", self.why, self)
        self.tabifyDockWidget(self.partition_dock, self.why_dock)
        self.partition_dock.raise_()
        self.partitions.told = self.partition_dock.header.set_remark
        self.legend.view.menu_of = self._node_menu

    def _listen(self) -> None:
        self.watch.changed.connect(self._follow)
        self.panel.menu_wanted.connect(lambda name, at: self.exports.menu(name).popup(at))
        self.head.hold_wanted.connect(self.hold)
        self.head.refresh_wanted.connect(self.read_now)

    @Slot()
    def _begin(self) -> None:
        history = self.watch.history
        if history is not None:
            self.span.begin_at(history.began_s, history.base_s)
        self._follow()
        self._refresh_actions()

    @Slot()
    def _follow(self) -> None:
        """Say in the docks what cannot be read, and that nothing was read yet."""
        digest = self.watch.digest
        is_empty = digest is None or digest.index is None
        for dock in (self.legend_dock, self.partition_dock):
            if is_empty and self.is_open():
                dock.body.show_empty("The cluster is being read.")
            else:
                dock.body.show_content()
        self._say_problem(self.plots_dock, PartName.USAGE, PartName.JOBS)
        self._say_problem(self.legend_dock, PartName.TREE)
        self._say_problem(self.partition_dock, PartName.PARTITIONS, PartName.NODES)
        self.facts_changed.emit()

    def _say_problem(self, dock: Dock, *names: PartName) -> None:
        problem = next((part.problem for name in names if (part := self.watch.part(name)).problem), "")
        cluster = self.watch.cluster
        is_all = cluster is not None and cluster.state.link is Link.NO_ANSWER  # the strip above says it
        if problem and not is_all:
            dock.body.show_error(problem, self.read_now)
        else:
            dock.body.clear_error()

    def _node_menu(self, node: int, at: QPoint) -> None:
        if node not in self.session.selection:
            self.session.select((node,))
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Why", self.show_why)
        menu.addAction("Draw alone", lambda: self.session.show_nodes(self.session.selection))
        menu.popup(at)

    @Slot()
    def _refresh_actions(self) -> None:
        if self._table is not None:
            self._table.refresh()
