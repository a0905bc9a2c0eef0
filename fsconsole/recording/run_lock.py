"""The lock of the program that writes a run folder; a kill releases it."""

from __future__ import annotations

import contextlib
import os
import sys
import weakref
from pathlib import Path

if sys.platform != "win32":
    import fcntl


class RunLock:
    """A lock on a folder until `release`, or until its process ends. On Windows it locks nothing."""

    def __init__(self, path: Path) -> None:
        """Lock an existing folder.

        Raises:
            BlockingIOError: another program holds the lock.
        """
        self._release: weakref.finalize[[int], RunLock] | None = None
        if sys.platform != "win32":
            handle = os.open(path, os.O_RDONLY)
            self._release = weakref.finalize(self, os.close, handle)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.release()
                raise
            except OSError:  # Some network file systems have no locks.
                self.release()

    def release(self) -> None:
        """Release the lock; a second call does nothing."""
        if self._release is not None:
            self._release()


def is_held(path: Path) -> bool:
    """Return True if a program is writing the folder."""
    with contextlib.suppress(FileNotFoundError):
        try:
            RunLock(path).release()
        except BlockingIOError:
            return True
    return False
