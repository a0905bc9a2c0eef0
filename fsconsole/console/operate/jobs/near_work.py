"""Works out the near-dedicated class in a thread: with thousands of jobs it takes too long for the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from fsconsole.console.background import Background
from fsconsole.slurm.near_dedicated_of import dedicated_view
from fsconsole.targets.slurm.state import ClusterState


class NearWork(Background):
    """Of one state. Signals: done(NearWork, DedicatedView)."""

    done = Signal(object, object)

    def __init__(self, state: ClusterState, now_s: float, parent: QObject) -> None:
        super().__init__(parent)
        self.state, self._now_s = state, now_s

    def work(self) -> None:
        """In the thread."""
        of = self.state
        view = dedicated_view(of.settings, of.partitions, of.nodes, of.jobs, of.reservations, self._now_s)
        self.tell(self.done, self, view)
