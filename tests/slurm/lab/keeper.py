"""Keeps the daemons of a test cluster: the first process of a PID namespace of their own.

Lines of JSON come in on stdin, one answer a line goes out on stdout. When the input ends, however the one who
wrote it came to an end, this process ends too; and with the first process of a namespace the kernel kills all
others in it: daemons, job steps and what they run. So nothing is ever left. Standard library alone.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

REAL = "-wlm"
_DAEMONS = Path("/usr/sbin")
_LOOK_S = 0.01


class Keeper:
    """Starts and stops daemons by name."""

    def __init__(self) -> None:
        self._running: dict[str, int] = {}
        self._ended: set[int] = set()
        signal.signal(signal.SIGCHLD, self._reap)

    def _reap(self, *_: object) -> None:
        """Take in whoever has ended: the daemons, and orphans of theirs, which are handed to this process."""
        while True:
            try:
                pid, _status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._ended.add(pid)

    def start(self, name: str, argv: list[str], env: dict[str, str], out: str) -> None:
        """Start a daemon beside the file to whose end it prints."""
        with Path(out).open("ab") as log:
            daemon = subprocess.Popen(
                argv,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=Path(out).parent,
                start_new_session=True,
            )
        self._running[name] = daemon.pid

    def stop(self, name: str, number: int, within_s: float) -> bool:
        """Signal a daemon and wait for its end; whether it has ended in time."""
        if name not in self.running():
            return True
        os.kill(self._running[name], number)
        end = time.monotonic() + within_s
        while name in self.running() and time.monotonic() < end:
            time.sleep(_LOOK_S)
        return name not in self.running()

    def running(self) -> list[str]:
        """The names of those that have not ended."""
        return [name for name, pid in self._running.items() if pid not in self._ended]

    def end(self) -> None:
        """Kill all in this namespace and wait for them, so that their processor time counts for the tests."""
        if os.getpid() != 1:  # without a namespace of its own, `all` would be the machine
            return
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        with suppress(ChildProcessError):
            while True:
                os.wait()

    def do(self, order: dict[str, Any]) -> object:
        """Carry out one line."""
        match order:
            case {"do": "start", "name": name, "argv": argv, "env": env, "out": out}:
                self.start(name, argv, env, out)
                return None
            case {"do": "stop", "name": name, "signal": number, "within_s": within_s}:
                return self.stop(name, number, within_s)
            case {"do": "running"}:
                return self.running()
        raise ValueError(f"what is {order}?")


def use_real_daemons(folder: Path) -> None:
    """Have the plain names in a folder mean the real daemons, in this mount namespace.

    Debian's slurm-wlm-emulator takes these names over, by links through /etc/alternatives. The real ones have
    names with -wlm, but none of them runs under such a name, and slurmd starts slurmstepd by the plain one.
    """
    for real in folder.glob(f"*{REAL}"):
        plain = real.with_name(real.name.removesuffix(REAL))
        if plain.exists() and not plain.samefile(real):
            subprocess.run(("mount", "--bind", real, plain.resolve()), check=True)


def main() -> None:
    """Answer lines until there are no more."""
    socket.sethostname("localhost")
    if len(sys.argv) == 1:  # no emulator gets into a root of our own
        use_real_daemons(_DAEMONS)
    for root in sys.argv[1:]:  # whose /proc is to be of this namespace too
        subprocess.run(("mount", "-t", "proc", "proc", f"{root}/proc"), check=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # slurmdbd may abort where its database went away first
    keeper = Keeper()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        try:
            answer = {"is": keeper.do(json.loads(line))}
        except (OSError, ValueError) as error:
            answer = {"error": str(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    keeper.end()


if __name__ == "__main__":
    main()
