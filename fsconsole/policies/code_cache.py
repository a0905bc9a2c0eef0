"""The cache of compiled functions on disk, separate for each state of the sources.

It is in the user's cache folder, and not beside the sources, where numba would put it: checkouts with the
same contents share it, and an installation need not be writable. Files are pickles, which can run anything,
so only a folder that belongs to this user, and that no other user can write to, is used. Where that cannot
be, it is the user's own temporary folder. If that fails too, the program compiles at each start; nothing else
depends on the cache.

If several programs start at once, one compiles a function and the others wait for it.
"""

# mypy: disable-error-code="no-untyped-call, attr-defined"

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

from numba.core import config
from numba.core.caching import CacheImpl, IndexDataCacheFile, _CacheLocator
from numba.core.runtime.nrt import rtsys
from platformdirs import user_cache_path

from fsconsole.operating_system import user_id
from fsconsole.recording.run_lock import RunLock
from fsconsole.shares.files import make_own_folder

_log = logging.getLogger(__name__)
# If the compiling program hangs, the others compile too after this time.
_LONGEST_WAIT_S, _LOOK_S = 60.0, 0.05
_STATES = 4  # of the sources, whose compiled functions stay: of checkouts that are used in turns
_LONGEST_UNUSED_S = 90 * 86400.0
_DAMAGE = (OSError, EOFError, pickle.UnpicklingError)
_reported: list[str] = []


def keep_apart(kept: Any, stamp: str) -> None:
    """Have numba's cache of a function use files of their own for each state of the sources.

    numba compares only a function's own file: it would keep old versions of the functions that it calls, and
    it fails if a cached file names a deleted module. Files of the states used least recently are removed.
    """
    folder, name = Path(kept.cache_path), kept._impl.filename_base  # noqa: SLF001
    now = f"{name}-{stamp[:16]}"
    kept._cache_file = _KeptFile(str(folder), now, stamp)  # noqa: SLF001
    kept.load_overload, kept.save_overload = partial(_load, kept), partial(_save, kept)
    function, line_and_python = name.rsplit("-", 1)
    python = line_and_python.partition(".")[2]  # Files of other versions of Python stay.
    with suppress(OSError):
        os.utime(folder / f"{now}.nbi")
    with suppress(OSError):
        others = [path for path in folder.glob(f"{escape(function)}-*.{python}-*.nbi") if path.stem != now]
        for path in sorted(others, key=_used_s)[: -(_STATES - 1)]:
            _remove(path)


def _used_s(index: Path) -> float:
    return index.stat().st_mtime


def _remove(index: Path) -> None:
    """Remove the index of a function in a state, then what it lists."""
    index.unlink()
    for path in index.parent.glob(f"{escape(index.stem)}.*"):
        path.unlink()


def _remove_unused(folder: Path) -> None:
    """Remove functions that no program has used for long, such as those of modules that are gone."""
    with suppress(OSError):
        for index in folder.glob("*/*.nbi"):
            if time.time() - _used_s(index) > _LONGEST_UNUSED_S:
                _remove(index)


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
        _remove_unused(Path(kept.cache_path).parent)
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
    if user_id() is None:  # The temporary folder of Windows is the user's own, as is the cache folder.
        return None
    return _own(Path(tempfile.gettempdir()) / f"fsconsole-compiled-{user_id()}")


@cache
def _folder(chosen: str) -> Path | None:
    """Return the folder of all functions, below the one that the user has chosen; None if there is none."""
    number = user_id()
    base = Path(chosen) if chosen else user_cache_path("fsconsole")
    found = None
    if chosen or number in (None, _owner(base)):  # With sudo, the cache folder may be that of another user.
        found = _own(base / ("compiled" if number is None else f"compiled-{number}"))
    if found is None:
        found = fallback_folder()
        where = f"kept in {found}" if found is not None else "compiled again at each start"
        _say(f"Compiled functions: {base} is not a folder that you own and can write. They are {where}.")
    return found


def _owner(path: Path) -> int | None:
    """Return the number of the owner of a path, or of the first folder above that exists; None if hidden."""
    try:
        return next(one for one in (path, *path.parents) if one.exists()).stat().st_uid
    except OSError:  # The home that the environment names may be closed to this user.
        return None


def _own(path: Path) -> Path | None:
    """Make a folder that no other user can write; return None if it cannot be, or cannot be written."""
    try:
        make_own_folder(path)
        tempfile.TemporaryFile(dir=path).close()
    except OSError as error:
        _log.info("No folder for compiled functions: %s", error)
        return None
    return path


def _say(words: str) -> None:
    """Log a warning once per program, not in each process that a study starts."""
    if parent_process() is None and not _reported:
        _reported.append(words)
        _log.warning("%s", words)


class _Locator(_CacheLocator):
    """The place of a function, by the name of its module: the same from every checkout."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        self._line = str(function.__code__.co_firstlineno)
        folder = _folder(config.CACHE_DIR)
        self._path = str((folder or Path(os.devnull)) / function.__module__)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator:
        """Return a locator for any function."""
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        """Return the folder of the function's module."""
        return self._path

    def get_source_stamp(self) -> str:
        """Return nothing: `keep_apart` knows the state of all sources."""
        return ""

    def get_disambiguator(self) -> str:
        """Return the function's line."""
        return self._line


CacheImpl._locator_classes = [_Locator]  # noqa: SLF001
