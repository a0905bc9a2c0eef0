"""The cache of compiled functions on disk, separate for each state of the sources.

numba keeps them beside the sources or in the user's cache folder, and fails where neither can be written.
Here they go to the user's own temporary folder instead. If that fails too, the program compiles at each
start; nothing else depends on the cache.

If several programs start at once, one compiles a function and the others wait for it.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import logging
import os
import pickle
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from glob import escape
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

from numba.core.caching import CacheImpl, IndexDataCacheFile, UserWideCacheLocator
from numba.core.runtime.nrt import rtsys

from fsconsole.operating_system import user_id
from fsconsole.recording.run_lock import RunLock
from fsconsole.shares.files import make_own_folder

_log = logging.getLogger(__name__)
# If the compiling program hangs, the others compile too after this time.
_LONGEST_WAIT_S, _LOOK_S = 60.0, 0.05
_DAMAGE = (OSError, EOFError, pickle.UnpicklingError)
_reported: list[str] = []


def keep_apart(kept: Any, stamp: str) -> None:
    """Have numba's cache of a function use files of their own for each state of the sources.

    numba compares only a function's own file: it would keep old versions of the functions that it calls, and
    it fails if a cached file names a deleted module. Files of other states are removed.
    """
    folder, name = kept.cache_path, kept._impl.filename_base  # noqa: SLF001
    now = f"{name}-{stamp[:16]}"
    kept._cache_file = _KeptFile(folder, now, stamp)  # noqa: SLF001
    kept.load_overload, kept.save_overload = partial(_load, kept), partial(_save, kept)
    function, line_and_python = name.rsplit("-", 1)
    python = line_and_python.partition(".")[2]  # Files of other versions of Python stay.
    with suppress(OSError):
        for path in Path(folder).glob(f"{escape(function)}-*.{python}-*.nb[ic]"):
            if not path.name.startswith(f"{now}."):
                path.unlink()


def _load(kept: Any, signature: Any, context: Any) -> Any:
    """Load a cached function without numba's library of functions, which only compiling needs.

    The runtime has to be compiled first: without it a second policy, loaded in the same process, crashes.
    """
    rtsys.initialize(context)
    with kept._guard_against_spurious_io_errors():  # noqa: SLF001
        found = kept._load_overload(signature, context)  # noqa: SLF001
        if found is None and kept._cache_file.wait():  # noqa: SLF001
            found = kept._load_overload(signature, context)  # noqa: SLF001
        if found is not None:
            kept._cache_file.let_go()  # noqa: SLF001
        return found


def _save(kept: Any, signature: Any, compiled: Any) -> None:
    """Save a compiled function if its folder can be written."""
    if kept._impl.check_cachable(compiled):  # noqa: SLF001
        key = kept._index_key(signature, compiled.codegen)  # noqa: SLF001
        kept._cache_file.save(key, kept._impl.reduce(compiled))  # noqa: SLF001
    kept._cache_file.let_go()  # noqa: SLF001


class _KeptFile(IndexDataCacheFile):
    """Cache files in one folder, then in the fallback folder; faulty entries are compiled again."""

    def __init__(self, folder: str, name: str, stamp: str) -> None:
        make: Callable[..., None] = super().__init__
        make(folder, name, stamp)
        self._folder, self._rest = Path(folder), (name, stamp)
        self._lock_path = self._folder / f"{name}.lock"
        self._lock: RunLock | None = None

    def wait(self) -> bool:
        """Lock the function for compiling; return whether another program held the lock before."""
        ends, has_waited = time.monotonic() + _LONGEST_WAIT_S, False
        while self._lock is None and time.monotonic() < ends:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._lock_path.touch()
                self._lock = RunLock(self._lock_path)
            except BlockingIOError:
                has_waited = True
                time.sleep(_LOOK_S)
            except OSError:  # Nothing can be written here.
                break
        return has_waited

    def let_go(self) -> None:
        """Release the lock, so that other programs compile or load the function."""
        if self._lock is not None:
            with suppress(OSError):
                self._lock_path.unlink()
            self._lock.release()
            self._lock = None

    def load(self, key: Any) -> Any:
        """Load an entry; return None if it does not exist."""
        with suppress(*_DAMAGE):
            found = super().load(key)
            if found is not None:
                return found
        other = self._other()
        return other.load(key) if other is not None else None

    def save(self, key: Any, data: Any) -> None:
        """Write an entry if possible, otherwise log why not."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            super().save(key, data)
        except _DAMAGE as error:
            other, why = self._other(), getattr(error, "strerror", None) or str(error)
            if other is None:
                _say(f"{self._folder}: cannot store compiled functions ({why}). Each start compiles "
                     "them again. Set NUMBA_CACHE_DIR to a folder with free space.")  # fmt: skip
                return
            _say(f"{self._folder}: cannot store compiled functions ({why}). They are stored in "
                 f"{fallback_folder()}.")  # fmt: skip
            other.save(key, data)

    def _other(self) -> _KeptFile | None:
        """Return the file's twin in the fallback folder; None if this is the twin or no folder exists."""
        folder = fallback_folder()
        if folder is None or folder == self._folder.parent:
            return None
        return _KeptFile(str(folder / self._folder.name), *self._rest)


@cache
def fallback_folder() -> Path | None:
    """Create the user's own temporary folder, which no other user can write; return None if that fails."""
    number = user_id()
    if number is None:  # The temporary folder of Windows is the user's own, as is the cache folder.
        return None
    try:
        path = Path(tempfile.gettempdir()) / f"fsconsole-compiled-{number}"
        make_own_folder(path)
    except OSError as error:
        _log.info("No folder for compiled functions: %s", error)
        return None
    return path


def _say(words: str) -> None:
    """Log a warning once per program, not in each process that a study starts."""
    if parent_process() is None and not _reported:
        _reported.append(words)
        _log.warning("%s", words)


class _FallbackLocator(UserWideCacheLocator):
    """The last of numba's cache locations, used if the others are unwritable; it takes every function."""

    def __init__(self, function: Any, file: str) -> None:
        make: Callable[..., None] = super().__init__
        make(function, file)
        folder = fallback_folder()
        where = f"kept in {folder}" if folder is not None else "compiled again at each start"
        _say("Compiled functions: neither the program's folder nor your cache folder is writable. "
             f"They are {where}.")  # fmt: skip
        self._cache_path = str((folder or Path(os.devnull)) / self.get_suitable_cache_subpath(file))

    @classmethod
    def from_function(cls, function: Any, file: str) -> Any:
        """Return a locator for any function."""
        return cls(function, file)


CacheImpl._locator_classes = [*CacheImpl._locator_classes, _FallbackLocator]  # noqa: SLF001
