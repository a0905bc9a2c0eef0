"""What Observe shows of a cluster: how it answers above, partitions and nodes, Why."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot

from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.live.cluster.current_cluster import CurrentCluster
from fsconsole.console.live.cluster.head import ClusterHead
from fsconsole.console.live.cluster.partitions import PartitionPanel
from fsconsole.console.live.side import LiveFrame, Side
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.slurm.jobs import Sort
from fsconsole.targets.base import REFRESH
from fsconsole.targets.slurm.state import PartName
from fsconsole.text import numbers


class ClusterSide(Side):
    """The docks of a cluster's present state."""

    needs = CLUSTER
    name = "cluster"
    legend_px, legend_percent, below_px = (690, 480), 47, (212, 150)
    head: ClusterHead

    def __init__(self, session: ConsoleSession, workspace: LiveFrame) -> None:
        super().__init__(session, workspace)
        self.watch = CurrentCluster(session, self)
        self.head = ClusterHead(self.watch, workspace)
        self.partitions = PartitionPanel(session, self.watch)
        self._make_docks()
        self.watch.changed.connect(self._on_cluster_changed)
        self.watch.begun.connect(self._on_cluster_changed)
        self.head.hold_wanted.connect(lambda: workspace.table.trigger("observe.hold"))
        self.head.refresh_wanted.connect(self.read_now)

    def status_text(self) -> str:
        """Return the size of the cluster and its activity."""
        digest = self.watch.digest
        if digest is None or digest.index is None:
            return ""
        settings = digest.state.settings
        facts = [f"{numbers.thousands(len(digest.index.tree.nodes))} associations"]
        jobs = digest.state.parts.get(PartName.JOBS)
        if jobs is not None and jobs.as_of_s is not None:
            facts.append(f"{numbers.thousands(digest.counts[Sort.RUNNING])} jobs running")
            facts.append(f"{numbers.thousands(digest.counts[Sort.WAITING])} pending")
        if settings is not None:
            facts.append(settings.rule[0].upper() + settings.rule[1:])
            facts.append(f"Slurm {settings.version}")
        return "   ".join(facts)

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Show fewer words in a narrow window and lower rows in a low one."""
        self.head.set_narrow(narrow=narrow)
        self.partitions.set_narrow(narrow=narrow)

    def begin(self) -> None:
        """Show the state of another cluster."""
        self._on_cluster_changed()

    def follow(self) -> None:
        """Show changed or held values."""
        self.head.refresh()

    @Slot()
    def read_now(self) -> None:
        """Read what may be read now."""
        refresh = self.session.offer(REFRESH)
        if refresh is not None:
            refresh.refresh()
            self.session.message.emit(
                "Reading the cluster. Usage changes only once per calculation period of the site"
            )

    # -- inside -------------------------------------------------------------------------------------------

    def _make_docks(self) -> None:
        workspace = self.workspace
        self.partition_dock = Dock("observe.partitions", "Partitions and nodes", self.partitions, workspace)
        workspace.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.partition_dock)
        self.partitions.counted.connect(self.partition_dock.header.set_remark)
        self.docks = [self.partition_dock]

    @Slot()
    def _on_cluster_changed(self) -> None:
        """Show in the docks which data cannot be read, or have not been read yet."""
        if not self.is_present:
            return
        digest, workspace = self.watch.digest, self.workspace
        is_empty = digest is None or digest.index is None
        for dock in (workspace.legend_dock, self.partition_dock):
            if is_empty:
                dock.body.show_empty("Reading the cluster…")
            else:
                dock.body.show_content()
        reported: set[str] = set()
        for dock, names in (
            (workspace.plots_dock, (PartName.USAGE, PartName.JOBS)),
            (workspace.legend_dock, (PartName.TREE,)),
            (self.partition_dock, (PartName.PARTITIONS, PartName.NODES)),
        ):
            self._show_problem(dock, names, reported)
        workspace.facts_changed.emit()

    def _show_problem(self, dock: Dock, names: Sequence[PartName], reported: set[str]) -> None:
        """Show why a part cannot be read, unless a dock before reports the same cause."""
        problem = next((part.problem for name in names if (part := self.watch.part(name)).problem), "")
        cause = problem.partition(":")[0]
        if problem and cause not in reported:
            reported.add(cause)
            dock.body.show_error(problem, self.read_now)
        else:
            dock.body.clear_error()
