"""Commands started below a leaf: their process is in its group before it runs any code."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence

Move = Callable[[Iterable[int]], list[str]]
# The child waits for a byte, then becomes the command, or writes why it cannot.
_WAIT_AND_BECOME = (
    "import os, sys\n"
    "ready, fault = int(sys.argv[1]), int(sys.argv[2])\n"
    "if os.read(ready, 1):\n"
    "    os.set_inheritable(fault, False)\n"
    "    os.close(ready)\n"
    "    try:\n"
    "        os.execvp(sys.argv[3], sys.argv[3:])\n"
    "    except OSError as error:\n"
    "        os.write(fault, str(error.errno).encode())\n"
    "os._exit(127)\n"
)


def start(words: Sequence[str], move: Move) -> int:
    """Start a command in its own session once `move` has put it into a group; return its process id.

    The command outlives this program.

    Raises:
        OSError: the command cannot be started or moved; it does not run then.
    """
    ready, go = os.pipe()
    faults, fault = os.pipe()
    program = [sys.executable, "-I", "-S", "-c", _WAIT_AND_BECOME, str(ready), str(fault), *words]
    try:
        process = subprocess.Popen(
            program, pass_fds=(ready, fault), start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError:
        os.close(go)
        os.close(faults)
        raise
    finally:
        os.close(ready)
        os.close(fault)
    try:
        problems = move([process.pid])
        if not problems:
            os.write(go, b"1")
    except OSError:
        os.close(faults)
        raise
    finally:
        os.close(go)  # Without the byte it ends by itself.
    with os.fdopen(faults, "rb") as pipe:
        failed = pipe.read()
    if problems or failed:
        process.wait()
        code = int(failed or errno.EPERM)
        raise OSError(code, problems[0] if problems else f"{words[0]}: {os.strerror(code)}")
    process.returncode = 0  # The command may outlive us; `has_ended` asks the kernel.
    return process.pid


def has_ended(pid: int) -> bool:
    """Return True if a command that was started here has ended; reap it then."""
    with contextlib.suppress(ChildProcessError):
        if sys.platform != "win32":
            return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True


def scope(unit: str, words: Sequence[str]) -> list[str]:
    """Return the command that runs another one in a slice of systemd."""
    return ["systemd-run", "--scope", "--collect", f"--slice={unit}", "--", *words]
