"""The nodes of a cluster: a map of them above a table, with what drains and resumes those selected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.app.jobs.nodes import (
    NodeSort,
    NodeTable,
    NodeView,
    cpus_of_node,
    node_table,
    sort_of_node,
    state_of_node,
)
from fsconsole.console.actions import Action
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.operate.job_card import enable
from fsconsole.console.operate.jobs.controller import JobController, is_same
from fsconsole.console.operate.jobs.node_dialog import NodeDialog
from fsconsole.console.operate.jobs.node_map import NodeMap
from fsconsole.console.operate.jobs.verbs import NODE_VERBS
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.dock_states import EmptyNotice
from fsconsole.console.widgets.labels import InkLabel
from fsconsole.console.widgets.scrolling import scrolling
from fsconsole.slurm.host_list import hosts_or_none
from fsconsole.slurm.node_change import NodeChange, NodeVerb, why_not
from fsconsole.targets.slurm.state import PartName

_ICONS: dict[NodeSort, tuple[str, str]] = {
    NodeSort.IDLE: ("ok", "muted"),
    NodeSort.BUSY: ("run", "ok"),
    NodeSort.DRAINING: ("warning", "warn"),
    NodeSort.DRAINED: ("pause", "warn"),
    NodeSort.DOWN: ("warning", "danger"),
    NodeSort.OTHER: ("waiting", "muted"),
}
_MAP_PX = 120
_NODES = "nodes"


class NodesPanel(QWidget):
    """One selection in map and table; the jobs on the selected nodes can be looked for."""

    def __init__(
        self, controller: JobController, find: Callable[[str], object], parent: QWidget | None = None
    ) -> None:
        """`find` shows the jobs that a filter finds."""
        super().__init__(parent)
        self._controller, self._find = controller, find
        self._nodes = NodeTable()
        self._read_of: tuple[object, ...] = ()
        self._wanted: Sequence[str] = ()
        self._tasks = Tasks(self)
        self.map = NodeMap(self, _COLUMNS)
        self.remark = InkLabel(self, "muted")
        self.drain, self.resume, self.jobs = (
            QPushButton(words, self) for words in ("Drain…", "Resume…", "Find jobs")
        )
        self.jobs.setToolTip("Show the jobs on the selected nodes")
        model = RowModel(_COLUMNS, key=lambda view: view.node.name)
        self.table = Table(model, "Nodes", self, controller.session.preferences, "cluster/nodes", sorts=True)
        self.empty = EmptyNotice(self.table)
        self._build_ui()
        self.drain.clicked.connect(lambda: self.ask(NodeVerb.DRAIN))
        self.resume.clicked.connect(lambda: self.ask(NodeVerb.RESUME))
        self.jobs.clicked.connect(self._find_jobs)
        self.map.chosen.connect(self.table.select)
        self.table.selectionModel().selectionChanged.connect(self._follow)
        for signal in (controller.changed, controller.chosen, controller.armed):
            signal.connect(self._refresh)

    @property
    def selected(self) -> tuple[NodeView, ...]:
        """The nodes that are selected."""
        return tuple(self.table.selected())

    def select(self, names: Sequence[str]) -> None:
        """Select nodes by their names, once they are shown."""
        self._wanted = names
        self._refresh()
        if not self._tasks.is_busy():
            self._select_wanted()

    def ask(self, verb: NodeVerb) -> None:
        """Ask for confirmation before the selected nodes are drained or resumed."""
        if not self.why_not(verb):
            names = tuple(view.node.name for view in self.selected)
            NodeDialog(self._controller, verb, names, self.window()).open()

    def why_not(self, verb: NodeVerb) -> str:
        """Return the reason why an action is not possible on any selected node; empty if it is on one of
        them.
        """
        if hindrance := self._controller.hindrance():
            return hindrance
        first, change = "", NodeChange(verb, (), "a reason")
        for view in self.selected:
            reason = why_not(change, view.node)
            if not reason:
                return ""
            first = first or reason
        return first or "Select a node"

    def node_actions(self) -> list[Action]:
        """Return actions on the selected nodes."""
        return [
            Action(
                f"cluster.{verb.value}_nodes", NODE_VERBS[verb].menu,
                lambda verb=verb: self.ask(verb), menu="Target", group="nodes", tip=NODE_VERBS[verb].tip,  # type: ignore[misc]
                enabled=lambda verb=verb: not self.why_not(verb),  # type: ignore[misc]
                why_not=lambda verb=verb: self.why_not(verb),  # type: ignore[misc]
                words="node drain resume scontrol slurm", needs=CLUSTER, acts=True,
            )
            for verb in NodeVerb
        ]  # fmt: skip

    # -- inside ---------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        foot = hbox((self.remark, 1), margins=(12, 4, 8, 6), spacing=8)
        for button in (self.jobs, self.resume, self.drain):
            foot.addWidget(button)
        around = scrolling(self.map)
        around.setMaximumHeight(_MAP_PX)
        vbox(around, foot, (self.table, 1), on=self)

    @Slot()
    def _refresh(self) -> None:
        state = self._controller.state
        if not self.isVisible():
            return
        parts = (state.nodes, state.jobs, state.reservations) if state is not None else ((), (), ())
        if not is_same(self._read_of, parts):
            self._read_of = parts
            self._tasks.run(partial(node_table, *parts), self._take, latest=_NODES)
        elif not self._tasks.is_busy():
            self._show_why_empty()
            self._follow()

    def _take(self, nodes: NodeTable) -> None:
        self._nodes = nodes
        self.table.rows.set_rows(nodes.views)
        self._show_why_empty()
        self._select_wanted()
        self._follow()

    def _select_wanted(self) -> None:
        if self._wanted:
            self.table.select(self._wanted)
            self._wanted = ()

    def _show_why_empty(self) -> None:
        if self._nodes.views:
            self.empty.hide()
        elif self._controller.was_read(PartName.NODES):
            self.empty.say("No nodes to show: the cluster has none, or its partitions are hidden.")
        else:
            self.empty.say("Nodes have not been read yet.")

    @Slot()
    def _follow(self) -> None:
        """Show the map and the buttons for the selection, and the jobs that are selected."""
        selected, views = self.selected, self._nodes.views
        of_jobs = frozenset(
            name
            for job in self._controller.jobs
            if job.nodes and not job.is_pending and not job.is_finished
            for name in hosts_or_none(job.nodes)
        )
        names = frozenset(view.node.name for view in selected)
        self.map.show_nodes(views, names, of_jobs, self._controller.now_s)
        trouble = self._trouble()
        self.remark.say(trouble or self._nodes.words, "danger" if trouble else "muted")
        for button, verb in ((self.drain, NodeVerb.DRAIN), (self.resume, NodeVerb.RESUME)):
            enable(button, self.why_not(verb), self._controller.read_only)
        self.jobs.setEnabled(any(view.jobs for view in selected))

    def _trouble(self) -> str:
        state = self._controller.state
        part = state.parts.get(PartName.NODES) if state is not None else None
        return part.problem if part is not None else ""

    @Slot()
    def _find_jobs(self) -> None:
        names = ",".join(view.node.name for view in self.selected)
        self._find(f"node:{names}")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()


def _busy_cpus(view: NodeView) -> int:
    """Return the number for sorting: -1 for an unknown one, which comes before 0."""
    return -1 if view.node.busy_cpus is None else view.node.busy_cpus


def _jobs(view: NodeView) -> str:
    return ", ".join(f"{job.label} ({job.user})" for job in view.jobs)


_COLUMNS: tuple[Column[NodeView], ...] = (
    Column("Node", lambda view: view.node.name, is_name=True, width=100),
    Column("State", lambda view: state_of_node(view.node),
           icon=lambda view: _ICONS[sort_of_node(view.node)], width=150),
    Column("CPUs", lambda view: cpus_of_node(view.node), is_number=True,
           about="Allocated divided by all", order=_busy_cpus, width=90),
    Column("Reason", lambda view: view.node.reason, width=200),
    Column("Jobs", _jobs, width=220),
    Column("Reservations", lambda view: ", ".join(one.name for one in view.reservations), width=110),
    Column("Partitions", lambda view: ", ".join(sorted(view.node.partitions))),
)  # fmt: skip
