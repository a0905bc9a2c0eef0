"""The displayed cluster: its newest digest, its curves, the time."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.session import ConsoleSession
from fsconsole.targets.slurm.gaps import stale_since
from fsconsole.targets.slurm.source import ClusterSource
from fsconsole.targets.slurm.state import Part, PartName
from fsconsole.targets.slurm.summary import ClusterSummary


class CurrentCluster(QObject):
    """The common source of this workspace's views, for any cluster.

    Signals: begun() when another cluster is looked at, none, or another document of it;
    changed() after other values are to be shown.
    """

    begun = Signal()
    changed = Signal()

    def __init__(self, session: ConsoleSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._cluster: ClusterSession | None = None
        session.document_changed.connect(self._on_document_changed)
        self._on_document_changed()

    @property
    def cluster(self) -> ClusterSession | None:
        """The cluster; None while none is open."""
        return self._cluster

    @property
    def source(self) -> ClusterSource | None:
        """What views see of it."""
        return self._cluster.source if self._cluster is not None else None

    @property
    def digest(self) -> ClusterSummary | None:
        """What is to be shown, which stays while it is held; None until something is known."""
        return self.source.shown if self.source is not None else None

    @property
    def now_s(self) -> float:
        """Time of the cluster, s since 1970."""
        return self._cluster.source.now() if self._cluster is not None else time.time()

    def part(self, name: PartName) -> Part:
        """Return the progress of reading a part, as it is now even while the display is held."""
        return self._cluster.state.parts.get(name, Part()) if self._cluster is not None else Part()

    def stale_words(self, name: PartName) -> str:
        """Return since when a part is stale, after a failure or without an answer; otherwise empty."""
        return "" if self._cluster is None else stale_since(self._cluster.state, name)

    @Slot()
    def _on_document_changed(self) -> None:
        """Follow the cluster of another document, which may be the same one."""
        before, self._cluster = self._cluster, self._session.offer(CLUSTER)
        if self._cluster is not None and self._cluster is not before:
            self._cluster.shown.connect(self.changed)
        self.begun.emit()
