"""Who writes a run folder holds it, so that no other program replaces it; a kill lets go of it."""

from __future__ import annotations

import contextlib
import os
import sys
import weakref
from pathlib import Path

if sys.platform != "win32":  # which does without: it has no such locks
    import fcntl


class RunLock:
    """Holds a folder until `release`, or until nobody has the lock any more."""

    def __init__(self, path: Path) -> None:
        """Hold a folder that is there; BlockingIOError where another does."""
        self._release: weakref.finalize[[int], RunLock] | None = None
        if sys.platform == "win32":
            return
        handle = os.open(path, os.O_RDONLY)
        self._release = weakref.finalize(self, os.close, handle)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise
        except OSError:  # some network file systems know no locks
            self.release()

    def release(self) -> None:
        """Let go; a second time does nothing."""
        if self._release is not None:
            self._release()


def is_held(path: Path) -> bool:
    """Return whether a program is writing the folder just now."""
    with contextlib.suppress(FileNotFoundError):
        try:
            RunLock(path).release()
        except BlockingIOError:
            return True
    return False
