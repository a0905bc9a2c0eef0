"""Differences between Linux, macOS and Windows: what each of them has, and how it ends processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

if sys.platform != "win32":
    import fcntl

# Signals that ask this program to end. Windows has no SIGHUP.
ENDING_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
# A closed terminal and Ctrl+C send these to all processes of a command; its first process handles them.
TERMINAL_SIGNALS = tuple(number for number in ENDING_SIGNALS if number != signal.SIGTERM)
KILLED = -9  # Exit status of a killed process, with the number of SIGKILL, which Windows does not have.
_TASKKILL_S = 5.0


def has_master_connections() -> bool:
    """Return True if sessions of `ssh` can share a connection: Windows' OpenSSH has no ControlMaster."""
    return sys.platform != "win32"


def has_control_groups() -> bool:
    """Return True if the kernel may have control groups: Linux alone has them."""
    return sys.platform == "linux"


def user_id() -> int | None:
    """Return the number of the user whose rights this program has; None on Windows, where users have none."""
    number: int | None = None
    if sys.platform != "win32":
        number = os.geteuid()
    return number


def usable_cpus() -> set[int]:
    """Return the CPUs that this program may use; all of them where the system binds no program to CPUs."""
    cpus = set(range(os.cpu_count() or 1))
    if sys.platform == "linux":
        cpus = os.sched_getaffinity(0)
    return cpus


def open_without_waiting(path: Path) -> int:
    """Open a file for reading without waiting for the other end of a pipe; return its descriptor."""
    flags = os.O_RDONLY
    if sys.platform == "win32":
        flags |= os.O_BINARY | os.O_NOINHERIT
    else:
        flags |= os.O_CLOEXEC | os.O_NONBLOCK
    return os.open(path, flags)


def wait_for_lock(file: int) -> None:
    """Lock an open file against other programs until it is closed; Windows locks nothing."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):  # Some network file systems have no locks.
            fcntl.flock(file, fcntl.LOCK_EX)


def leave_signals_to_parent() -> None:
    """Ignore Ctrl+C and SIGHUP in a worker process; its parent process handles them."""
    for number in TERMINAL_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def own_group() -> dict[str, Any]:
    """Return the arguments of `Popen` for a process that `end_group` can end as a whole.

    It has no terminal, so it cannot ask for a password there.
    """
    arguments: dict[str, Any] = {}
    if sys.platform == "win32":
        arguments["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    else:
        arguments["start_new_session"] = True
    return arguments


def end_group(process: subprocess.Popen[bytes], *, by_force: bool) -> None:
    """End a process of `own_group` with all that it has started.

    Windows ends by force alone, and leaves what an ended process has started.
    """
    if sys.platform != "win32":
        # The group has the number of its first process, which stays reserved while the group has processes.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL if by_force else signal.SIGTERM)
    elif process.poll() is None:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                ("taskkill", "/T", "/F", "/PID", str(process.pid)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                creationflags=subprocess.CREATE_NO_WINDOW,
                timeout=_TASKKILL_S,
                check=False,
            )
