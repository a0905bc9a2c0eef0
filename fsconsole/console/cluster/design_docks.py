"""What Design shows of a cluster: the change set, what follows from it, and what cannot be applied."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from operator import is_
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Signal, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.tree.source import Source
from fsconsole.console.cluster.change_set_worker import STAGING, ChangeSetWorker
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.lazy_widget import LazyWidget
from fsconsole.shares.scenario.problems import Problem
from fsconsole.targets.slurm.link_words import stale_words
from fsconsole.targets.slurm.state import ClusterState

if TYPE_CHECKING:
    from fsconsole.console.cluster.change_panel import ChangeSetPanel


_LEAST = QSize(200, 60)
# Parts of a cluster arrive one after another. A call that has begun would not stop for the next one, and
# several at once keep the window's thread from the interpreter.
_EXAMINE_AFTER_MS = 250


def _findings(state: ClusterState) -> tuple[Problem, ...]:
    from fsconsole.app.doctor.problems import problems_of_cluster

    return problems_of_cluster(state)


class ClusterDesignDocks(QObject):
    """What is staged for a cluster.

    Attributes:
        late_changes: the change set.
        late_gains: the fairshares to be expected.

    Signals: count_changed(int) with the number of rows of the change set; faults_changed() when something
    else cannot be told to the cluster; troubled(sentence) with why the cluster's figures are old, empty
    where they are not.
    """

    count_changed = Signal(int)
    faults_changed = Signal()
    troubled = Signal(str)

    def __init__(self, session: ConsoleSession, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.late_changes = LazyWidget(self._made_changes, _LEAST)
        self.late_gains = LazyWidget(self._made_gains, _LEAST)
        self._watched: ChangeSetWorker | None = None
        self._cluster: ClusterSession | None = None
        self._tasks = Tasks(self)
        self._found: tuple[Problem, ...] = ()
        self._examined: tuple[object, ...] = ()
        session.document_changed.connect(self._watch)
        self._watch()

    def checked(self, source: Source) -> Source:
        """Return the findings of a check; for a cluster, failing changes and findings of the doctor."""
        staging = self._session.offer(STAGING)
        if staging is None:
            return source
        problems = tuple(
            Problem(f"{one.on} cannot be applied: {one.why}", line=source.line_of(one.node), node=one.node)
            for one in staging.staged.changes.refusals
        )
        found = tuple(replace(one, line=source.line_of(one.node)) for one in self._found)
        return replace(source, problems=(*problems, *found))

    @Slot()
    def _watch(self) -> None:
        """Watch the document's signals, and those of the one before no longer."""
        cluster, staging = self._session.offer(CLUSTER), self._session.offer(STAGING)
        if staging is not None and staging is not self._watched:
            staging.changed.connect(self.faults_changed)
        self._watched = staging
        if cluster is not None and cluster is not self._cluster:
            cluster.changed.connect(self._on_changed)
        self._cluster = cluster
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        self.troubled.emit(stale_words(self._cluster.state) if self._cluster is not None else "")
        self._examine()

    def _examine(self) -> None:
        """Run the doctor on new data."""
        state = self._cluster.state if self._cluster is not None else None
        parts = (state.tree, state.standing, state.settings, state.partitions, state.nodes) if state else ()
        if len(parts) == len(self._examined) and all(map(is_, parts, self._examined)):
            return
        self._examined = parts
        self._tasks.cancel()
        if state is None:
            self._found = ()
        else:
            self._tasks.run(partial(_findings, state), self._take, after_ms=_EXAMINE_AFTER_MS)

    def _take(self, found: tuple[Problem, ...]) -> None:
        if found != self._found:
            self._found = found
            self.faults_changed.emit()

    def retry(self) -> None:
        """Query the cluster again at once."""
        if self._cluster is not None:
            self._cluster.target.refresh()

    def _made_changes(self, parent: QWidget) -> ChangeSetPanel:
        from fsconsole.console.cluster.change_panel import ChangeSetPanel

        made = ChangeSetPanel(self._session, parent)
        made.count_changed.connect(self.count_changed)
        return made

    def _made_gains(self, parent: QWidget) -> QWidget:
        from fsconsole.console.cluster.gains_panel import GainsPanel

        return GainsPanel(self._session, parent)
