"""Writing files so that a crash never leaves half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write_atomic(path: Path, data: str | bytes) -> None:
    """Write to a temporary beside `path`, then rename; OSError about `path` leaves the old file as it was.

    What is no file (a device, a pipe) is written to instead: a rename would put a file in its place.
    """
    payload = data.encode() if isinstance(data, str) else data
    try:
        if _is_device_or_pipe(path):
            path.write_bytes(payload)
        else:
            _write_and_rename(Path(os.path.realpath(path)), payload)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _is_device_or_pipe(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


def _write_and_rename(target: Path, payload: bytes) -> None:
    start = target.name[:60]  # the temporary's name must not be too long where the target's is not
    handle, temporary = tempfile.mkstemp(prefix=f".{start}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(payload)
            stream.flush()
            os.fsync(stream.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def append_lines(path: Path, lines: Iterable[str]) -> None:
    """Append whole lines and see them to the disk; a crash may cut the last of them short."""
    text = "".join(f"{line}\n" for line in lines)
    if not text:
        return
    with path.open("a", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
