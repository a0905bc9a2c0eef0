"""Keeps what is staged for a cluster on the disk, and offers what earlier consoles have left there."""

from __future__ import annotations

import logging
from functools import partial

from PySide6.QtCore import QObject, Signal

from fsconsole.app.cluster.saved_edits import Kept, rows_of
from fsconsole.console.cluster.saved_edits_file import KeptFile, kept_folder, left_files
from fsconsole.console.kit.tasks import Task, Tasks
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.cluster_tree import ClusterTree

_CLOSE_WITHIN_S = 5.0
_log = logging.getLogger(__name__)


class EditsAutoSave(QObject):
    """Keeps what is staged for one cluster, beside what earlier consoles have left until that is answered.

    Signals: changed() when one of those is answered.
    """

    changed = Signal()

    def __init__(self, cluster: str, parent: QObject) -> None:
        super().__init__(parent)
        self._folder = kept_folder(cluster)
        self._left: list[tuple[KeptFile, Kept]] | None = None
        self._taken: list[KeptFile] = []
        self._own: KeptFile | None = None
        self._tasks = Tasks(self)
        self._writing: Task | None = None
        self._next: tuple[ClusterTree, ShareTree] | None = None

    @property
    def offered(self) -> Kept | None:
        """The newest that an earlier console has left; None where there is nothing, or no more."""
        if self._left is None:  # not before it is asked: the console may be about to let go of some itself
            self._left = left_files(self._folder)
        return self._left[0][1] if self._left else None

    def keep(self, base: ClusterTree, wanted: ShareTree) -> None:
        """Write what is staged now."""
        if self._tasks.is_busy():
            self._next = (base, wanted)
            return
        try:
            self._own = self._own or KeptFile.begin(self._folder)
        except OSError as error:
            _log.warning("staged edits cannot be kept: %s", error)
            return
        self._writing = self._tasks.run(
            partial(_write, self._own, base, wanted),
            partial(self._on_written, len(self._taken)),
            self._on_failed,
        )

    def forget(self) -> None:
        """Nothing is staged any more."""
        self._next = None
        self._tasks.cancel()
        self._forget_taken(len(self._taken))
        if self._own is not None:
            self._own.remove()
            self._own = None

    def take(self) -> Kept | None:
        """What is offered; it goes from the disk once it is kept again."""
        if not self._left:
            return None
        file, kept = self._left.pop(0)
        self._taken.append(file)
        self.changed.emit()
        return kept

    def discard(self) -> None:
        """What is offered is not wanted."""
        if self._left:
            file, _ = self._left.pop(0)
            file.remove()
            self.changed.emit()

    def close(self) -> None:
        """The person has left in good order: what was not answered alone stays."""
        writing = self._writing
        self.forget()
        if writing is not None:
            writing.wait(_CLOSE_WITHIN_S)
        for file, _ in self._left or ():
            file.release()
        self._left = []

    def _forget_taken(self, count: int) -> None:
        for file in self._taken[:count]:
            file.remove()
        del self._taken[:count]

    def _on_written(self, taken: int, _: None) -> None:
        """The first `taken` files of earlier consoles are part of what was written."""
        self._forget_taken(taken)
        self._keep_next()

    def _on_failed(self, error: Exception) -> None:
        _log.warning("staged edits were not kept: %s", error)
        self._keep_next()

    def _keep_next(self) -> None:
        if self._next is not None:
            following, self._next = self._next, None
            self.keep(*following)


def _write(file: KeptFile, base: ClusterTree, wanted: ShareTree) -> None:
    file.write(rows_of(base, wanted))
