"""What the states of a cluster come to, worked out in a thread, and kept as curves over time."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from fsconsole.targets.slurm.digest import Digest, digest_of
from fsconsole.targets.slurm.history import ClusterHistory
from fsconsole.targets.slurm.state import ClusterState

_LOOK_MS = 20


class Digests(QObject):
    """Follows the states of one cluster, one at a time; a state that another one overtakes is left out.

    Attributes:
        history: what was read since the cluster was connected; it goes on while what is shown is held.
        digest: what Observe shows, which can be held; None until the first state is worked out.
        newest: that of the newest state, whatever is held; None until there is one.
        clock: seconds since 1970.

    Signals: changed() after another digest is shown, or it is held, or no longer; renewed() after another
    newest one.
    """

    changed = Signal()
    renewed = Signal()

    def __init__(self, parent: QObject, clock: Callable[[], float] = time.time) -> None:
        super().__init__(parent)
        self.clock = clock
        self.history = ClusterHistory(clock())
        self.digest: Digest | None = None
        self.newest: Digest | None = None
        self._is_held = False
        self._next: ClusterState | None = None
        self._working: Future[Digest] | None = None
        self._worker = ThreadPoolExecutor(1, "digest")
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)

    @property
    def is_held(self) -> bool:
        """Whether what is shown stays, whatever is read."""
        return self._is_held

    def hold(self, *, is_held: bool) -> None:
        """Show no other values from now on, or the newest ones again."""
        if is_held != self._is_held:
            self._is_held = is_held
            self.digest = self.digest if is_held else self.newest
            self.changed.emit()

    @Slot(object)
    def take(self, state: ClusterState) -> None:
        """Work a state out as soon as the one before is done."""
        self._next = state
        if self._working is None:
            self._begin()

    def close(self) -> None:
        """No more of it."""
        self._timer.stop()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _begin(self) -> None:
        state, self._next = self._next, None
        if state is not None:
            self._working = self._worker.submit(self._work, state, self.newest)
            self._timer.start()

    def _work(self, state: ClusterState, before: Digest | None) -> Digest:
        """In the thread."""
        digest = digest_of(state, before)
        self.history.take(digest, self.clock())
        return digest

    @Slot()
    def _look(self) -> None:
        if self._working is None or not self._working.done():
            return
        self._timer.stop()
        done, self._working = self._working, None
        self._begin()
        self.newest = done.result()
        self.renewed.emit()
        if not self._is_held:
            self.digest = self.newest
            self.changed.emit()
