"""A fake tool of Slurm on the login node: as tests/slurm/fake has it, and it can cut its own connection.

Standard library alone. `remote_slurm.py` writes `cut.json` beside the tool's rules.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Literal

from tests.slurm.fake import tool

Moment = Literal["before", "in", "after", "gone"]


def main() -> int:
    """Answer as the fake tool does; where this call is to be cut, end the connection at its moment."""
    os.umask(0)  # one user's call goes on with what another's has left
    folder = Path(sys.argv[0]).parent.parent
    _record_environment(folder)
    moment = _moment(folder)
    if not moment:
        return tool.main()
    if moment == "before":
        _cut(with_listener=False)
        return 1
    if moment == "in":
        _cut(with_listener=False)
    sys.stdout, stdout = io.StringIO(), sys.stdout  # nothing of the answer comes through
    rc = tool.main()
    sys.stdout = stdout
    if moment != "in":
        _cut(with_listener=moment == "gone")
    return rc


def _record_environment(folder: Path) -> None:
    line = json.dumps({"tool": Path(sys.argv[0]).name, "argv": " ".join(sys.argv[1:]), **os.environ}) + "\n"
    log = os.open(folder / "environments.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.write(log, line.encode())
    os.close(log)


def _moment(folder: Path) -> Moment | None:
    """Return the moment at which this call is to be cut; each order is for one call."""
    order = folder / "cut.json"
    if not order.exists():
        return None
    wanted = json.loads(order.read_text())
    rest = iter([Path(sys.argv[0]).name, *sys.argv[1:]])
    if not all(any(word == argument for argument in rest) for word in wanted["words"]):
        return None
    try:
        (folder / "cut-taken").mkdir()
    except FileExistsError:
        return None
    moment: Moment = wanted["moment"]
    return moment


def _cut(*, with_listener: bool) -> None:
    """Kill the sshd processes above this one: those of the connection, the listener only on demand."""
    chain = []
    pid = os.getppid()
    while pid > 1:
        name, after = Path(f"/proc/{pid}/stat").read_text(errors="replace").partition("(")[2].rsplit(")", 1)
        if name.startswith("sshd"):
            chain.append(pid)
        pid = int(after.split()[1])
    if with_listener:
        subprocess.run(("sudo", "-n", "kill", "-KILL", *map(str, reversed(chain))), check=True)
        return
    for pid in chain:
        try:
            os.kill(pid, signal.SIGKILL)
        except (PermissionError, ProcessLookupError):
            return  # root's: it ends with the one below, and may have ended
