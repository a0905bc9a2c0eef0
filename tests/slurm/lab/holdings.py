"""What servers of a test hold on this machine: a folder and a block of ports, given back whatever happens."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import tempfile
from pathlib import Path
from typing import TextIO

from tests.slurm.lab.daemons import LabError, is_free

_HELD = "held"


def sweep(prefix: str) -> None:
    """Remove folders whose process was killed; its servers went with it."""
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        try:
            with (folder / _HELD).open() as held:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # its process lives, or has just removed it


def new_folder(prefix: str) -> tuple[Path, TextIO]:
    """Make a folder that `sweep` leaves alone while this process has the file open.

    Not in pytest's own: ordinary users may not go in there, and a socket's path is short.
    """
    made = Path(tempfile.mkdtemp(prefix=f".{prefix}"))
    held = (made / _HELD).open("w")
    fcntl.flock(held, fcntl.LOCK_EX)
    return made.rename(made.with_name(made.name.removeprefix("."))), held


def take_ports(size: int, first: int, last: int) -> tuple[socket.socket, int]:
    """Find a block of free ports; the first stays bound, so that no two take the same block.

    Returns:
        The socket that holds the block, and the first port.

    Raises:
        LabError: no such block is free.
    """
    for base in range(first, last, size):
        guard = socket.socket()
        try:
            guard.bind(("127.0.0.1", base))
        except OSError:
            guard.close()
            continue
        if all(is_free(base + port) for port in range(1, size)):
            return guard, base
        guard.close()
    raise LabError(f"no {size} ports in a row are free between {first} and {last}")


def pids_that_mention(folder: str) -> list[int]:
    """Return the processes, other than this one, that were started with a folder's name among their words."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if pid != os.getpid() and folder.encode() in _words(pid)]


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
