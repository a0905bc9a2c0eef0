"""Run fsconsole where Python lacks what Windows lacks: `python -m tests.without_posix` prints what it saw.

The modules, functions and constants of POSIX are hidden, and `sys.platform` names Windows. The standard
library and the other packages are imported before, as they choose their ways by the true system. A program
`taskkill` has to be on the PATH.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import locale
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

_PACKAGE = Path(__file__).parents[1] / "fsconsole"
_MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
_MEMBERS = {
    os: """
        O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC PRIO_PROCESS WNOHANG WUNTRACED chown
        confstr ctermid fchdir fchmod fchown fdatasync fork forkpty fwalk getegid geteuid getgid
        getgroups getloadavg getpgid getpgrp getpriority getsid getuid getxattr killpg lchown major
        makedev minor mkfifo mknod nice openpty pidfd_open pipe2 posix_fadvise posix_spawn pread pwrite
        readv sched_getaffinity sched_setaffinity sched_yield sendfile set_blocking setegid seteuid
        setgid setpgid setpriority setsid setuid statvfs sync sysconf tcgetpgrp tcsetpgrp ttyname uname
        wait wait3 wait4 writev""",
    signal: """
        ITIMER_REAL SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP SIGSYS
        SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ alarm
        pause pthread_kill pthread_sigmask setitimer siginterrupt sigpending sigtimedwait sigwait""",
    socket: "AF_UNIX SO_PEERCRED",
    select: "epoll poll",
    locale: "CODESET nl_langinfo",
    time: "clock_gettime tzset",
}


def _foreign_imports() -> set[str]:
    """Return the modules outside fsconsole that it imports anywhere, also within functions."""
    found: set[str] = set()
    for file in _PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
                found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name for name in found if not name.startswith("fsconsole") and name not in _MODULES}


def become_windows() -> None:
    """Hide what Windows lacks, and add the few constants that only it has, without effect here."""
    for name in (*sorted(_foreign_imports()), "asyncio", "concurrent.futures.process", "encodings.idna"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for module in (os, signal):  # The standard library itself starts processes as this system does.
        setattr(subprocess, module.__name__, SimpleNamespace(**vars(module)))
    socket.socketpair = partial(socket.socketpair, socket.AF_UNIX)
    for name in _MODULES:
        sys.modules[name] = None  # type: ignore[assignment] # Importing it raises ImportError.
    for module, names in _MEMBERS.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    for module, name in (
        (os, "O_BINARY"),
        (os, "O_NOINHERIT"),
        (subprocess, "CREATE_NEW_PROCESS_GROUP"),
        (subprocess, "CREATE_NO_WINDOW"),
    ):
        setattr(module, name, 0)
    sys.platform = "win32"


def _import_all() -> Iterator[tuple[str, str]]:
    """Import every module of fsconsole; yield those that fail, with the reason."""
    for info in pkgutil.walk_packages([str(_PACKAGE)], "fsconsole.", onerror=lambda _: None):
        if info.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(info.name)
        except Exception:  # noqa: BLE001 (each is reported)
            yield info.name, traceback.format_exc(limit=-2)


def _captured(work: Callable[[], int]) -> tuple[int, str, str]:
    """Return the exit status, output and errors of a program in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = work()
    return status, out.getvalue(), err.getvalue()


def _child() -> dict[str, object]:
    """Run a child that ends by itself, and one that has to be ended."""
    from fsconsole.targets.slurm.child import Bounds, run_child

    well = run_child(["sh", "-c", "echo out; echo err >&2; exit 3"], os.environ, Bounds(60.0, 1000))
    cut = run_child(["cat", "/dev/zero"], os.environ, Bounds(60.0, 1000))
    hung = run_child(["sleep", "600"], os.environ, Bounds(0.3, 1000))
    return {
        "well": [well.rc, well.stdout.decode(), well.stderr.decode()],
        "cut": [cut.was_cut, len(cut.stdout)],
        "hung": [hung.timed_out, hung.rc],
    }


def main() -> None:
    """Print the results of the command lines given, one JSON list each, as one JSON object.

    The console is opened last: set FSCONSOLE_QUIT_AFTER_FIRST_PAINT.
    """
    become_windows()
    results: dict[str, object] = {"failed": dict(_import_all())}
    results["modules"] = sum(name.startswith("fsconsole.") for name in sys.modules)
    results["child"] = _child()
    from fsconsole.cli.main import run

    results["commands"] = [_captured(partial(run, json.loads(line))) for line in sys.argv[1:]]
    from fsconsole.console.app import main as open_console

    results["console"] = _captured(open_console)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
