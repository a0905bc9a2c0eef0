"""Places of the sockets of running consoles: a folder that only its user may enter."""

from __future__ import annotations

import contextlib
import socket
import struct
import warnings
from pathlib import Path

from fsconsole.operating_system import user_id
from fsconsole.shares.files import make_own_folder

_SUFFIX = ".sock"
_CONNECT_S = 2.0
LOCAL = getattr(socket, "AF_UNIX", socket.AF_UNSPEC)  # Python on Windows has no local sockets.
HAS_SOCKETS = LOCAL is not socket.AF_UNSPEC


class PlaceError(Exception):
    """The folder cannot be used; the message gives the reason."""


def folder() -> Path:
    """Return the folder, there or not."""
    from platformdirs import user_runtime_path

    with warnings.catch_warnings():
        # It warns of a folder in place of the usual one; `made_folder` checks its owner.
        warnings.simplefilter("ignore")
        return user_runtime_path("fsconsole") / "consoles"


def made_folder() -> Path:
    """Make the folder if it is missing.

    Raises:
        PlaceError: other users could look into it.
    """
    try:
        path = folder()
        make_own_folder(path)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        msg = f"{place}{error.strerror or error}"
        raise PlaceError(msg) from error
    return path


def socket_of(pid: int) -> Path:
    """Return the socket of the console with a process id."""
    return folder() / f"{pid}{_SUFFIX}"


def sockets() -> list[Path]:
    """Return all sockets by process id, also those of consoles that have ended."""
    with contextlib.suppress(OSError):
        found = [path for path in folder().iterdir() if path.suffix == _SUFFIX and path.stem.isdecimal()]
        return sorted(found, key=lambda path: int(path.stem))
    return []


def connected(path: Path) -> socket.socket | None:
    """Return a connection to a console of this user. If none listens, remove the socket and return None."""
    made = socket.socket(LOCAL, socket.SOCK_STREAM)
    made.settimeout(_CONNECT_S)
    try:
        made.connect(str(path))
    except ConnectionRefusedError:  # A console that was killed has left it.
        made.close()
        path.unlink(missing_ok=True)
        return None
    except OSError:
        made.close()
        return None
    if not is_of_this_user(made):
        made.close()
        return None
    return made


def remove_stale() -> None:
    """Remove sockets that killed consoles have left."""
    for path in sockets():
        found = connected(path)
        if found is not None:
            found.close()


def peer(connection: socket.socket) -> tuple[int, int] | None:
    """Return process and user id of the other side; None where the system does not report them."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    data = connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i"))
    pid, uid, _ = struct.unpack("3i", data)
    return pid, uid


def is_of_this_user(connection: socket.socket) -> bool:
    """Return True if the other side is a program of this user.

    If the system does not report that, the folder's mode must protect the socket.
    """
    found = peer(connection)
    return found is None or found[1] == user_id()
