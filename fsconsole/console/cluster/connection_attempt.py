"""Reaching a cluster: its target reads in threads, and the window looks how far that has come."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from fsconsole.console.background import Background, load
from fsconsole.console.cluster.connection_check import Verdict, verdict
from fsconsole.targets.slurm.base import ClusterTarget
from fsconsole.targets.slurm.place import Place
from fsconsole.targets.slurm.state import ClusterState

MakeTarget = Callable[[Place], ClusterTarget]

_LOOK_MS = 100
_TARGET = "fsconsole.targets.slurm.target"


def slurm_target(place: Place) -> ClusterTarget:
    """The cluster at a place, through the tools of Slurm; not for the window's thread, as it imports much."""
    load(_TARGET)
    from fsconsole.targets.slurm.target import SlurmTarget

    return SlurmTarget(place)


class _Making(Background):
    """The target on its way. Signals: made() or failed(sentence)."""

    made = Signal()
    failed = Signal(str)

    def __init__(self, place: Place, make: MakeTarget, parent: QObject) -> None:
        super().__init__(parent)
        self._place, self._make = place, make
        self._holding = Lock()
        self._target: ClusterTarget | None = None

    def abandon(self) -> None:
        """Nobody wants the target any more: it is closed, now or as soon as it is there."""
        self.cancel()
        with self._holding:
            target, self._target = self._target, None
        if target is not None:
            target.close()

    def take(self) -> ClusterTarget | None:
        """The target, for good."""
        with self._holding:
            target, self._target = self._target, None
        return target

    def work(self) -> None:
        """In the thread."""
        try:
            target = self._make(self._place)
        except Exception as error:  # noqa: BLE001 (said in the dialog)
            self.tell(self.failed, f"The cluster cannot be asked: {error}")
            return
        with self._holding:
            is_wanted = not self.is_cancelled()
            if is_wanted:
                self._target = target
        if is_wanted:
            self.tell(self.made)
        else:
            target.close()


class ConnectionAttempt(QObject):
    """One attempt to reach a cluster; it can be left at any time.

    Attributes:
        place: where.
        state: the newest state; None before there is a target.
        verdict: how far it has come.
        fault: why there is no target at all, else empty.

    Signals: changed() with a new state or verdict.
    """

    changed = Signal()

    def __init__(self, place: Place, make: MakeTarget, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.place = place
        self.state: ClusterState | None = None
        self.verdict = Verdict.READING
        self.fault = ""
        self._target: ClusterTarget | None = None
        self._making = _Making(place, make, self)
        self._making.made.connect(self._take)
        self._making.failed.connect(self._fail)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)

    def start(self) -> None:
        """Begin."""
        self._making.start()

    def take(self) -> ClusterTarget | None:
        """The target, for good: it is the caller's to close now."""
        self._timer.stop()
        taken, self._target = self._target, None
        return taken

    def leave(self) -> None:
        """Nobody waits any more: what was begun is ended."""
        self._timer.stop()
        self._making.abandon()
        if self._target is not None:
            self._target.close()
            self._target = None
        self.deleteLater()

    @Slot()
    def _take(self) -> None:
        self._target = self._making.take()
        if self._target is not None:
            self._timer.start()
            self._look()

    @Slot(str)
    def _fail(self, sentence: str) -> None:
        self.fault, self.verdict = sentence, Verdict.FAILED
        self.changed.emit()

    @Slot()
    def _look(self) -> None:
        """Also without news: it is said for how long something has been asked."""
        if self._target is not None:
            self.state = self._target.state()
            self.verdict = verdict(self.state)
            self.changed.emit()
