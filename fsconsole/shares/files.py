"""Writing files so that a crash never leaves half of one, and private files that only their user can read."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from fsconsole.operating_system import user_id, wait_for_lock

_OTHERS = 0o077
_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name a file in an OSError without a file name, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def trouble_with(path: Path) -> str:
    """Return the reason why a path cannot be checked, such as too long a name; empty if it can."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return error.strerror or str(error)
    except ValueError:  # Python raises this for a NUL byte in a path.
        return "The name has a character that file names cannot have"
    return ""


def is_there(path: Path) -> bool:
    """Return True if a path exists; False if it cannot be checked (`Path.exists` raises there)."""
    return not trouble_with(path) and path.exists()


def is_there_as_file(path: Path) -> bool:
    """Return True if a path is a file; False if it cannot be checked."""
    return not trouble_with(path) and path.is_file()


def is_there_as_folder(path: Path) -> bool:
    """Return True if a path is a folder; False if it cannot be checked."""
    return not trouble_with(path) and path.is_dir()


def write_atomic(
    path: Path, data: str | bytes | Iterable[bytes], *, private: bool = False, sync: bool = True
) -> None:
    """Write to a temporary file in the same folder, then rename it.

    Raises:
        OSError: about `path`; the old file stays unchanged.

    Data may come in blocks. An existing file keeps its owner, group and mode; a private file is its user's
    alone, whatever it was before. A file with several names (hard links), or of another owner that only root
    could give back, is written in place once the new text is complete beside it. Without `sync` a power
    failure may leave an empty file, a crash of the program does not.
    What is not a file (a device, a pipe) is written to instead: a rename would put a file in its place.
    """
    text = data.encode() if isinstance(data, str) else data
    payload = (text,) if isinstance(text, bytes) else text
    try:
        if is_device_or_pipe(path):
            with path.open("wb") as stream:
                stream.writelines(payload)
        else:
            _write_and_rename(Path(os.path.realpath(path)), payload, private=private, sync=sync)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def is_device_or_pipe(path: Path) -> bool:
    """Return True if a path has something that is neither a file nor a folder."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _write_and_rename(target: Path, payload: Iterable[bytes], *, private: bool, sync: bool) -> None:
    start = target.name[:60]  # The temporary name must not be too long where the target's name is not.
    handle, temporary = tempfile.mkstemp(prefix=f".{start}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(payload)
            stream.flush()
            if sync:
                os.fsync(stream.fileno())
        found = target.stat() if target.exists() else None
        if found is not None and (found.st_nlink > 1 or not _is_given(Path(temporary), found)):
            _write_in_place(target, Path(temporary), private=private, sync=sync)
            return
        if not private:  # mkstemp creates private files.
            Path(temporary).chmod(found.st_mode & 0o777 if found is not None else 0o666 & ~_umask())
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _is_given(path: Path, found: os.stat_result) -> bool:
    """Give a file the owner and group of another one; return False if that is not allowed."""
    own = path.stat()
    if sys.platform != "win32" and (own.st_uid, own.st_gid) != (found.st_uid, found.st_gid):
        try:
            os.chown(path, found.st_uid, found.st_gid)
        except OSError:
            return False
    return True


def _write_in_place(target: Path, complete: Path, *, private: bool, sync: bool) -> None:
    """Copy a complete file into an existing one, which stays the same file, and remove it.

    Raises:
        OSError: the file cannot be written; if it was begun, the complete one stays beside it.
    """
    with complete.open("rb") as source, target.open("r+b") as stream:
        try:
            if private:
                restrict_to_owner(target)
            shutil.copyfileobj(source, stream)
            stream.truncate()
            stream.flush()
            if sync:
                os.fsync(stream.fileno())
        except OSError as error:
            kept = complete.with_suffix(".kept")
            complete.replace(kept)
            msg = f"{error.strerror or error}. The new text is in {kept}"
            raise OSError(error.errno, msg, str(target)) from error
    complete.unlink()


def append_lines(path: Path, lines: Iterable[str], *, private: bool = False) -> None:
    """Append whole lines and see them to the disk; a crash may cut the last of them short.

    Programs that append to one file wait for each other. A line that was cut short before is ended first, so
    that new lines start on their own.
    """
    data = "".join(f"{line}\n" for line in lines).encode()
    if not data:
        return
    opener = private_opener if private else None
    with naming(path), open(path, "ab+", buffering=0, opener=opener) as stream:
        if private:
            restrict_to_owner(path)
        wait_for_lock(stream.fileno())
        if size := os.fstat(stream.fileno()).st_size:
            stream.seek(size - 1)
            data = data if stream.read(1) == b"\n" else b"\n" + data
        while data:
            data = data[stream.write(data) or 0 :]
        os.fsync(stream.fileno())


def open_private(path: Path) -> TextIO:
    """Open a private file to append text; a file that others can read becomes private."""
    stream = open(path, "a", encoding="utf-8", opener=private_opener)  # noqa: SIM115 (handed on)
    restrict_to_owner(path)
    return stream


def private_opener(path: str, flags: int) -> int:
    """Open a file for `open`; one that is made is private."""
    return os.open(path, flags, _PRIVATE_FILE)


def make_private_folder(path: Path) -> None:
    """Make a folder that only its user can enter, and its parents; restrict an existing open one.

    Raises:
        NotADirectoryError: a file has its name; other OSErrors if it cannot be made.
    """
    for part in (*reversed(path.parents), path):
        if not part.exists():
            with suppress(FileExistsError):  # Another program was faster.
                part.mkdir(mode=_PRIVATE_FOLDER)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "not a folder", str(path))
    restrict_to_owner(path)


def make_own_folder(path: Path) -> None:
    """Make a private folder in a shared place.

    Raises:
        OSError: it belongs to another user.
    """
    if not path.parent.exists():
        make_private_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir(mode=_PRIVATE_FOLDER)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or user_id() not in (None, found.st_uid):
        raise PermissionError(errno.EPERM, "not a folder of this user", str(path))
    path.chmod(_PRIVATE_FOLDER)


def restrict_to_owner(path: Path) -> None:
    """Make a file or folder private, if it is this user's; leave what is missing, or neither of them."""
    with suppress(OSError):
        found = path.stat()
        if found.st_mode & _OTHERS and (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
            path.chmod(_PRIVATE_FOLDER if stat.S_ISDIR(found.st_mode) else _PRIVATE_FILE)


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
