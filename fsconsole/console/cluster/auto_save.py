"""Keeps what is staged for a cluster on the disk, and offers what earlier consoles have left there."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from platformdirs import user_state_path
from PySide6.QtCore import QLockFile, QObject, Signal

from fsconsole.app.cluster.saved_edits import FORMAT, SavedEdits, read_stored, rows_of, stored
from fsconsole.console.files.file_controller import sentence_of
from fsconsole.console.files.locks import hold_left, hold_new
from fsconsole.console.kit.tasks import Task, Tasks
from fsconsole.shares.files import write_atomic
from fsconsole.shares.stored_format import FormatError
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.targets.slurm.kept_places import store_name

_CLOSE_WITHIN_S = 5.0
_log = logging.getLogger(__name__)


def saved_edits_folder(cluster: str, place: str = "") -> Path:
    """Return the folder of saved edits, staged for a cluster at a place of `kept_places.place_key`."""
    return user_state_path("fsconsole") / "staged" / store_name(cluster, place)


class SavedEditsFile:
    """One file, held by a lock.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, lock: QLockFile) -> None:
        self.path = path
        self._gone = Event()  # Set when there are no more edits to save.
        self._lock = lock

    @classmethod
    def begin(cls, folder: Path) -> SavedEditsFile:
        """Make a place for staged changes; OSError where the folder cannot be written."""
        return cls(*hold_new(folder, ".json"))

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Put rows there, from any thread; nothing stays of it where it was removed before. OSError."""
        if self._gone.is_set():
            return
        found = stored(rows, datetime.now().astimezone())
        write_atomic(self.path, json.dumps(found, indent=1) + "\n", private=True)
        if self._gone.is_set():
            self.path.unlink(missing_ok=True)

    def read(self) -> SavedEdits:
        """Return the stored edits; OSError or FormatError if they cannot be read."""
        return FORMAT.read(self.path, read_stored)

    def remove(self) -> None:
        """Delete the saved edits and release the file."""
        self._gone.set()
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("cannot delete the saved copy of staged edits: %s", error)
        self._lock.unlock()

    def release(self) -> None:
        """Leave it for another time."""
        self._lock.unlock()


def left_files(
    folder: Path, report: Callable[[str], object] = lambda _problem: None
) -> list[tuple[SavedEditsFile, SavedEdits]]:
    """Return files that no living console holds, the newest first, each held by this one now.

    Files that cannot be read are reported, and stay.
    """
    found = []
    for path, lock in hold_left(folder, ".json"):
        file = SavedEditsFile(path, lock)
        try:
            kept = file.read()
        except (OSError, FormatError) as error:
            report(f"{error}. The staged edits in it wait there.")
            file.release()
            continue
        if kept.rows:
            found.append((file, kept))
        else:
            file.release()
    return sorted(found, key=lambda pair: pair[1].when, reverse=True)


class EditsAutoSave(QObject):
    """Keeps what is staged for one cluster, beside what earlier consoles have left until that is answered.

    Signals: changed() when one of those is answered; failed(sentence) when edits cannot be read or kept.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, cluster: str, parent: QObject, place: str = "") -> None:
        super().__init__(parent)
        self._folder = saved_edits_folder(cluster, place)
        self._left: list[tuple[SavedEditsFile, SavedEdits]] | None = None
        self._taken: list[SavedEditsFile] = []
        self._own: SavedEditsFile | None = None
        self._tasks = Tasks(self)
        self._writing: Task | None = None
        self._next: tuple[ClusterTree, ShareTree] | None = None

    @property
    def offered(self) -> SavedEdits | None:
        """Newest edits that an earlier console has left; None without any."""
        # Read at the first use, because the console may discard some edits itself before that.
        if self._left is None:
            self._left = left_files(self._folder, self.failed.emit)
        return self._left[0][1] if self._left else None

    def keep(self, base: ClusterTree, wanted: ShareTree) -> None:
        """Write what is staged now."""
        if self._tasks.is_busy():
            self._next = (base, wanted)
            return
        try:
            self._own = self._own or SavedEditsFile.begin(self._folder)
        except OSError as error:
            self._report(error)
            return
        self._writing = self._tasks.run(
            partial(_write, self._own, base, wanted),
            partial(self._on_written, len(self._taken)),
            self._on_failed,
        )

    def forget(self) -> None:
        """Remove the saved edits, since none are staged any more."""
        self._next = None
        self._tasks.cancel()
        self._forget_taken(len(self._taken))
        if self._own is not None:
            self._own.remove()
            self._own = None

    def take(self) -> SavedEdits | None:
        """Return the offered edits. They stay on disk until they are stored again."""
        if not self._left:
            return None
        file, kept = self._left.pop(0)
        self._taken.append(file)
        self.changed.emit()
        return kept

    def discard(self) -> None:
        """Discard what is offered."""
        if self._left:
            file, _ = self._left.pop(0)
            file.remove()
            self.changed.emit()

    def close(self) -> None:
        """Close in good order: only what was not answered stays."""
        writing = self._writing
        self.forget()
        if writing is not None:
            writing.wait(_CLOSE_WITHIN_S)
        self._release_left()

    def leave(self) -> None:
        """Leave all edits on the disk for another time, the newest too, because nobody can be asked."""
        following, self._next = self._next, None
        if self._writing is not None:
            self._writing.wait(_CLOSE_WITHIN_S)
        self._tasks.cancel()
        if following is not None and self._own is not None:
            try:
                _write(self._own, *following)
            except OSError as error:
                _log.warning("staged edits were not saved: %s", error)
        for file in (*self._taken, *([] if self._own is None else [self._own])):
            file.release()
        self._taken, self._own = [], None
        self._release_left()

    def _release_left(self) -> None:
        for file, _ in self._left or ():
            file.release()
        self._left = []

    def _forget_taken(self, count: int) -> None:
        for file in self._taken[:count]:
            file.remove()
        del self._taken[:count]

    def _on_written(self, taken: int, _: None) -> None:
        """Note that the first `taken` files of earlier consoles are part of what was written."""
        self._forget_taken(taken)
        self._keep_next()

    def _on_failed(self, error: Exception) -> None:
        self._report(error)
        self._keep_next()

    def _report(self, error: Exception) -> None:
        _log.warning("cannot keep staged edits: %s", error)
        self.failed.emit(f"Staged edits cannot be kept for the next start: {sentence_of(error)}.")

    def _keep_next(self) -> None:
        if self._next is not None:
            following, self._next = self._next, None
            self.keep(*following)


def _write(file: SavedEditsFile, base: ClusterTree, wanted: ShareTree) -> None:
    file.write(rows_of(base, wanted))
