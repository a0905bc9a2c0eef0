"""Where staged edits survive the program: a file for each console that stages. No Qt but its lock files.

Each is NAME.json in a folder of the cluster; NAME.lock is held by the console that writes it, so that another
console, which may stage for the same cluster, neither offers nor removes it while the first one lives.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from threading import Event
from typing import Any

from platformdirs import user_state_path
from PySide6.QtCore import QLockFile

from fsconsole.app.cluster.saved_edits import Kept
from fsconsole.recording.audit_log import file_name
from fsconsole.shares.files import make_private_folder, write_atomic
from fsconsole.shares.input_files import read_json

_log = logging.getLogger(__name__)


def kept_folder(cluster: str) -> Path:
    """Where staged edits of a cluster are kept."""
    return user_state_path("fsconsole") / "staged" / file_name(cluster).removesuffix(".jsonl")


class KeptFile:
    """One file, held by a lock.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, lock: QLockFile) -> None:
        self.path = path
        self._gone = Event()  # for good
        self._lock = lock

    @classmethod
    def begin(cls, folder: Path) -> KeptFile:
        """Room for what is staged here; OSError where the folder cannot be written."""
        make_private_folder(folder)
        path = folder / f"{uuid.uuid4().hex[:12]}.json"
        lock = _lock(path)
        if not lock.tryLock(0):
            raise OSError(f"{folder} cannot be written")
        return cls(path, lock)

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Put rows there, from any thread; nothing stays of it where it was removed meanwhile. OSError."""
        if self._gone.is_set():
            return
        found = {"when": datetime.now().astimezone().isoformat(), "rows": list(rows)}
        write_atomic(self.path, json.dumps(found, indent=1) + "\n", private=True)
        if self._gone.is_set():
            self.path.unlink(missing_ok=True)

    def read(self) -> Kept | None:
        """What it holds; None where it has gone, or holds nothing that can be read."""
        try:
            found = read_json(self.path)
            rows = tuple(row for row in found["rows"] if isinstance(row, dict))
            when = datetime.fromisoformat(found["when"]).astimezone()
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return Kept(when, rows) if rows else None

    def remove(self) -> None:
        """Forget what it holds, and let go of it."""
        self._gone.set()
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("staged edits cannot be forgotten: %s", error)
        self._lock.unlock()

    def release(self) -> None:
        """Leave it for another time."""
        self._lock.unlock()


def left_files(folder: Path) -> list[tuple[KeptFile, Kept]]:
    """Those that no living console holds, the newest first, each held by this one now."""
    found = []
    for path in sorted(folder.glob("*.json")):
        lock = _lock(path)
        if not lock.tryLock(0):
            continue
        file = KeptFile(path, lock)
        kept = file.read()
        if kept is None:
            file.release()
        else:
            found.append((file, kept))
    return sorted(found, key=lambda pair: pair[1].when, reverse=True)


def _lock(path: Path) -> QLockFile:
    made = QLockFile(str(path.with_suffix(".lock")))
    made.setStaleLockTime(0)  # only a dead owner lets go: a console may stay open for weeks
    return made
