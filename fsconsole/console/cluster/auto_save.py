"""Keeps what is staged for a cluster on the disk, and offers what earlier consoles have left there."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.background import Background
from fsconsole.console.cluster.saved_edits import rows_of
from fsconsole.console.cluster.saved_edits_file import Kept, KeptFile, kept_folder, left_files
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.cluster_tree import ClusterTree

_log = logging.getLogger(__name__)


class _Writing(Background):
    """Rows on their way to the disk. Signals: ended(self)."""

    ended = Signal(object)

    def __init__(
        self, file: KeptFile, base: ClusterTree, wanted: ShareTree, taken: int, parent: QObject
    ) -> None:
        """`taken` is how many files of earlier consoles this writes again."""
        super().__init__(parent)
        self._file, self._base, self._wanted = file, base, wanted
        self.taken = taken
        self.is_done = False

    def work(self) -> None:
        """In the thread."""
        try:
            self._file.write(rows_of(self._base, self._wanted))
            self.is_done = True
        except OSError as error:
            _log.warning("staged edits were not kept: %s", error)
        self.tell(self.ended, self)

    def wait(self) -> None:
        """Until the disk has it, at most some seconds."""
        self._thread.join(timeout=5)


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
        self._writing: _Writing | None = None
        self._next: tuple[ClusterTree, ShareTree] | None = None

    @property
    def offered(self) -> Kept | None:
        """The newest that an earlier console has left; None where there is nothing, or no more."""
        if self._left is None:  # not before it is asked: the console may be about to let go of some itself
            self._left = left_files(self._folder)
        return self._left[0][1] if self._left else None

    def keep(self, base: ClusterTree, wanted: ShareTree) -> None:
        """Write what is staged now."""
        if self._writing is not None:
            self._next = (base, wanted)
            return
        try:
            self._own = self._own or KeptFile.begin(self._folder)
        except OSError as error:
            _log.warning("staged edits cannot be kept: %s", error)
            return
        self._writing = _Writing(self._own, base, wanted, len(self._taken), self)
        self._writing.ended.connect(self._end)
        self._writing.start()

    def forget(self) -> None:
        """Nothing is staged any more."""
        self._next = None
        if self._writing is not None:
            self._writing.let_go()
            self._writing = None
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
            writing.wait()
        for file, _ in self._left or ():
            file.release()
        self._left = []

    def _forget_taken(self, count: int) -> None:
        for file in self._taken[:count]:
            file.remove()
        del self._taken[:count]

    @Slot(object)
    def _end(self, writing: _Writing) -> None:
        if writing is not self._writing:
            return
        self._writing = None
        writing.let_go()
        if writing.is_done:
            self._forget_taken(writing.taken)
        if self._next is not None:
            following, self._next = self._next, None
            self.keep(*following)
