"""The cluster that is looked at, whichever that is: its newest digest, its curves, the time."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.cluster.observe.clock_range import clock_of
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.session import ConsoleSession
from fsconsole.targets.slurm.digest import Digest
from fsconsole.targets.slurm.history import ClusterHistory
from fsconsole.targets.slurm.source import ClusterSource
from fsconsole.targets.slurm.state import Link, Part, PartName


class Watch(QObject):
    """What the views of this workspace listen to; clusters come and go.

    Signals: begun() when another cluster is looked at, none, or another document of it;
    changed() after other values are to be shown.
    """

    begun = Signal()
    changed = Signal()

    def __init__(
        self, session: ConsoleSession, parent: QObject | None = None, *, follows_hold: bool = True
    ) -> None:
        """`follows_hold`: whether values stay while Observe holds them."""
        super().__init__(parent)
        self._follows_hold = follows_hold
        self._session = session
        self._cluster: ClusterSession | None = None
        session.document_changed.connect(self._begin)
        self._begin()

    @property
    def cluster(self) -> ClusterSession | None:
        """The cluster; None while none is open."""
        return self._cluster

    @property
    def source(self) -> ClusterSource | None:
        """What views see of it."""
        return self._cluster.source if self._cluster is not None else None

    @property
    def digest(self) -> Digest | None:
        """What is to be shown; None until something is known."""
        source = self.source
        if source is None:
            return None
        return source.shown if self._follows_hold else source.newest

    @property
    def history(self) -> ClusterHistory | None:
        """Its curves."""
        return self._cluster.source.history if self._cluster is not None else None

    @property
    def now_s(self) -> float:
        """Seconds since 1970."""
        return self._cluster.source.now() if self._cluster is not None else time.time()

    @property
    def now_x(self) -> float:
        """The present as the curves count time."""
        return self.now_s - self._cluster.source.history.base_s if self._cluster is not None else 0.0

    def part(self, name: PartName) -> Part:
        """How the reading of a part goes: as it is now, also while what is shown is held."""
        return self._cluster.state.parts.get(name, Part()) if self._cluster is not None else Part()

    def stale_words(self, name: PartName) -> str:
        """As of when a part is, where that is not now: it failed, or nothing answers; else empty."""
        part = self.part(name)
        is_gone = self._cluster is not None and self._cluster.state.link is Link.NO_ANSWER
        if part.as_of_s is None or not (part.problem or is_gone):
            return ""
        return f"as of {clock_of(part.as_of_s)}: {part.problem or 'the cluster does not answer'}"

    @Slot()
    def _begin(self) -> None:
        """Another document may well be of the same cluster."""
        before, self._cluster = self._cluster, self._session.offer(CLUSTER)
        if self._cluster is not None and self._cluster is not before:
            (self._cluster.shown if self._follows_hold else self._cluster.renewed).connect(self.changed)
        self.begun.emit()
