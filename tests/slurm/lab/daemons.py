"""The daemons of a test cluster, seen from outside: started, stopped, waited for, their logs shown."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.slurm.lab.root import PATH, ROOT, via

# Of their own: PIDs (all die with the keeper), the machine's name (Slurm binds to it), mounts (/proc of those
# PIDs).
NAMESPACES = ("unshare", "--pid", "--uts", "--mount", "--fork", "--kill-child", "--mount-proc")

_KEEPER = Path(__file__).with_name("keeper.py")
_PATIENCE_S = 120.0  # a loaded machine takes its time; a quiet one is done within a second
_LOOK_S = 0.02
_LAST_LINES = 15


class LabError(Exception):
    """The cluster did not come up, or did not do what it was told; with the last lines of logs."""


class Daemons:
    """The processes of one cluster, in a namespace that ends with this object or with this process."""

    def __init__(self, log_of: Callable[[str], Path], environment: Mapping[str, str]) -> None:
        """Open the namespace.

        Args:
            log_of: the file of a daemon's log, by the daemon's name.
            environment: what every daemon gets beside PATH and a few more.
        """
        self._log_of = log_of
        self._environment = environment
        self._keeper = subprocess.Popen(
            (*NAMESPACES, sys.executable, "-IS", str(_KEEPER), *([ROOT] if ROOT else [])),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl+C at a terminal is not meant for the daemons
        )
        if not self._line():
            self.close()
            raise LabError(f"the keeper of the daemons did not start (exit status {self._keeper.returncode})")

    def start(self, name: str, argv: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        """Start a daemon in the foreground, with little more than PATH in its environment."""
        own = {"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8"}
        whole = {**own, **self._environment, **(env or {})}
        out = str(self._log_of(name).with_suffix(".out"))
        self._do({"do": "start", "name": name, "argv": [*via(), *argv], "env": whole, "out": out})

    def stop(self, name: str, number: signal.Signals = signal.SIGTERM) -> None:
        """End a daemon, by force where it does not go; LabError where even that does not help."""
        for one in (number, signal.SIGKILL):
            order = {"do": "stop", "name": name, "signal": int(one), "within_s": _PATIENCE_S / 4}
            if self._do(order):
                return
        raise LabError(f"{name} does not end")

    @property
    def running(self) -> tuple[str, ...]:
        """The names of the daemons that run."""
        return tuple(self._do({"do": "running"}))

    @property
    def namespace(self) -> str:
        """The PID namespace that they live in, as the kernel names it."""
        return str(Path(f"/proc/{self._keeper.pid}/ns/pid_for_children").readlink())

    def await_(self, name: str, is_ready: Callable[[], bool]) -> None:
        """Wait until a daemon is ready; LabError where it ends before, or never is."""
        end = time.monotonic() + _PATIENCE_S
        while not is_ready():
            if name not in self.running:
                raise LabError(f"{name} ended at its start\n{self.last_lines(name)}")
            if time.monotonic() > end:
                raise LabError(f"{name} is not ready after {_PATIENCE_S:g} s\n{self.last_lines(name)}")
            time.sleep(_LOOK_S)

    def last_lines(self, name: str) -> str:
        """The end of what a daemon has printed and logged."""
        found = []
        for path in (self._log_of(name).with_suffix(".out"), self._log_of(name)):
            lines = path.read_text(errors="replace").splitlines() if path.exists() else []
            found += [f"{path.name}: {line}" for line in lines[-_LAST_LINES:]]
        return "\n".join(found)

    def close(self) -> None:
        """End all of them, job steps too, at once."""
        assert self._keeper.stdin is not None
        assert self._keeper.stdout is not None
        with suppress(BrokenPipeError):  # it has ended already
            self._keeper.stdin.close()
        self._keeper.wait(_PATIENCE_S)
        self._keeper.stdout.close()

    def _do(self, order: Mapping[str, object]) -> Any:
        assert self._keeper.stdin is not None
        try:
            self._keeper.stdin.write(json.dumps(order) + "\n")
            self._keeper.stdin.flush()
        except BrokenPipeError:
            raise LabError("the keeper of the daemons has ended") from None
        line = self._line()
        if not line:
            raise LabError("the keeper of the daemons has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise LabError(answer["error"])
        return answer["is"]

    def _line(self) -> str:
        assert self._keeper.stdout is not None
        return self._keeper.stdout.readline()


def answers(port: int) -> bool:
    """Return True if somebody listens at a port of this machine."""
    with socket.socket() as asking:
        asking.settimeout(1.0)
        return asking.connect_ex(("127.0.0.1", port)) == 0


def is_free(port: int) -> bool:
    """Return True if a port can be bound."""
    with socket.socket() as trying:
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trying.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def has_namespaces() -> bool:
    """Return True if this process may make the namespaces: as root, where no container forbids it."""
    made = subprocess.run((*NAMESPACES, "true"), capture_output=True, check=False)
    return os.geteuid() == 0 and made.returncode == 0
