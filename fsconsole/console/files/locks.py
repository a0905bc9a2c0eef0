"""Files that survive the program, each held by the console that writes it.

NAME.lock beside a file is the lock: another console neither offers nor removes the file while the first
one lives.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QLockFile

from fsconsole.shares.files import make_private_folder


def hold_new(folder: Path, suffix: str) -> tuple[Path, QLockFile]:
    """Return the path of a file to be written, held; OSError where the folder cannot be written."""
    make_private_folder(folder)
    path = folder / f"{uuid.uuid4().hex[:12]}{suffix}"
    lock = _lock(path)
    if not lock.tryLock(0):
        try:
            path.touch()  # The error of a lock lacks the reason.
            path.unlink()
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(folder)) from error
        raise OSError(f"cannot write to {folder}")
    return path, lock


def hold_left(folder: Path, suffix: str) -> Iterator[tuple[Path, QLockFile]]:
    """Yield the files that no living console holds, each held by this one now.

    Where no lock can be made, as on a full disk, a file is yielded too: nobody holds it.
    """
    for path in sorted(folder.glob(f"*{suffix}")):
        lock = _lock(path)
        if lock.tryLock(0) or lock.error() is not QLockFile.LockError.LockFailedError:
            yield path, lock


def _lock(path: Path) -> QLockFile:
    made = QLockFile(str(path.with_suffix(".lock")))
    made.setStaleLockTime(0)  # A lock expires only with its process, since a console may stay open for weeks.
    return made
