"""Reaching a cluster: its target reads in threads, and the window looks how far that has come."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.app.cluster.connection_check import Verdict, verdict
from fsconsole.console.connections import every
from fsconsole.console.kit.tasks import Task, Tasks
from fsconsole.targets.slurm.base import ClusterTarget
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.state import ClusterState

MakeTarget = Callable[[Location], ClusterTarget]

_LOOK_MS = 100


def slurm_target(place: Location) -> ClusterTarget:
    """Return the cluster at a place, through the tools of Slurm; not for the window's thread, as it imports
    much.
    """
    from fsconsole.targets.slurm.target import SlurmTarget

    return SlurmTarget(place)


def log_in(place: Location, task: Task) -> str:
    """Let ssh ask in a window until the task is cancelled; return why that failed, or an empty text."""
    from fsconsole.targets.slurm.login import log_in_by_window

    return log_in_by_window(place, task.is_cancelled)


class _TargetMaker:
    """Creates a target in a thread, and closes it there if the attempt has been ended."""

    def __init__(self, place: Location, make: MakeTarget) -> None:
        self._place, self._make = place, make
        self._holding = Lock()
        self._target: ClusterTarget | None = None

    def work(self, task: Task) -> None:
        """Make the target in a thread."""
        target = self._make(self._place)
        with self._holding:
            is_wanted = not task.is_cancelled()
            if is_wanted:
                self._target = target
        if not is_wanted:
            target.close()

    def take(self) -> ClusterTarget | None:
        """Hand the target over to the caller, who closes it."""
        with self._holding:
            target, self._target = self._target, None
        return target


class ConnectionAttempt(QObject):
    """An attempt to reach a cluster; it can be left at any time.

    Attributes:
        place: place of the cluster.
        state: the newest state; None before there is a target.
        verdict: progress of the attempt.
        fault: why there is no target, or why a login failed; empty without either.
        is_logging_in: whether ssh asks a person now.

    Signals: changed() with a new state or verdict.
    """

    changed = Signal()

    def __init__(self, place: Location, make: MakeTarget, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.place = place
        self.state: ClusterState | None = None
        self.verdict = Verdict.READING
        self.fault = ""
        self.is_logging_in = False
        self._target: ClusterTarget | None = None
        self._make = make
        self._maker = _TargetMaker(place, make)
        self._tasks = Tasks(self)
        self._timer = every(self, _LOOK_MS, self._on_timeout)

    def start(self) -> None:
        """Begin to connect, in a thread."""
        self._tasks.run_task(self._maker.work, self._on_made, self._on_failed)

    @property
    def can_log_in(self) -> bool:
        """True if a person who types a password or accepts a key can mend the fault."""
        fault = self.state.fault if self.state is not None else None
        return self.is_logging_in or (fault is not None and fault.can_ask)

    def log_in(self) -> None:
        """Let ssh ask in a window, then try again."""
        self.is_logging_in = True
        self._tasks.run_task(partial(log_in, self.place), self._on_logged_in, self._on_failed)
        self.changed.emit()

    @Slot(object)
    def _on_logged_in(self, problem: str) -> None:
        self.is_logging_in = False
        if self._target is not None and not problem:
            self._renew()
        self.fault = problem
        self.changed.emit()

    def _renew(self) -> None:
        """Begin again, so that nothing of the time before the login is shown."""
        if (target := self.take()) is not None:
            target.close()
        self.state, self.verdict = None, Verdict.READING
        self._maker = _TargetMaker(self.place, self._make)
        self.start()

    def take(self) -> ClusterTarget | None:
        """Return the target, for good: it is the caller's to close now."""
        self._timer.stop()
        taken, self._target = self._target, None
        return taken

    def leave(self) -> None:
        """End the attempt; its target is closed if it still comes."""
        self._timer.stop()
        self._tasks.cancel()
        for target in (self._maker.take(), self.take()):
            if target is not None:
                target.close()
        self.deleteLater()

    def _on_made(self, _: None) -> None:
        self._target = self._maker.take()
        if self._target is not None:
            self._timer.start()
            self._on_timeout()

    def _on_failed(self, error: Exception) -> None:
        self.is_logging_in = False
        self.fault, self.verdict = f"Cannot reach the cluster: {error}", Verdict.FAILED
        self.changed.emit()

    @Slot()
    def _on_timeout(self) -> None:
        """Update the state, and the time since the last query."""
        if self._target is not None:
            self.state = self._target.state()
            self.verdict = verdict(self.state)
            self.changed.emit()
