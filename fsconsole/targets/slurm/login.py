"""Login by hand: ssh asks a person once, and the connection stays open for the commands to come."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

from fsconsole.shares.files import make_own_folder, make_private_folder
from fsconsole.shares.input_files import read_whole
from fsconsole.targets.slurm.child import Bounds, run_child
from fsconsole.targets.slurm.location import RUN_MODULE, Location
from fsconsole.targets.slurm.ssh_faults import FaultKind
from fsconsole.targets.slurm.tools import Tools, connections_folder
from fsconsole.text.words import capitalised

_NOT_ACCEPTED = (FaultKind.ASKS, FaultKind.LOCKED_KEY, FaultKind.REFUSED_LOGIN, FaultKind.NO_KEY)
_LIMIT_S = 180.0  # A person looks for the telephone with the code.
_OUTPUT_BYTES = 1 << 16
_ASKPASS = (*RUN_MODULE, "fsconsole.console.cluster.askpass")
NO_SHARING = "The login cannot be kept for later commands: {lack}."


def log_in_by_window(place: Location, is_stopped: Callable[[], bool]) -> str:
    """Log in, while ssh asks in small windows; return the reason if that failed, or an empty text.

    Args:
        place: the cluster; its prefix has an ssh.
        is_stopped: whether to end the login now; asked ten times a second.
    """
    tools = Tools(place)
    argv = tools.login_argv()
    if not argv:
        return NO_SHARING.format(lack=tools.shared.lack or "the command prefix has no ssh")
    try:
        own = {"SSH_ASKPASS": str(_askpass()), "SSH_ASKPASS_REQUIRE": "force"}
        display = {"DISPLAY": os.environ.get("DISPLAY", ":0")}  # OpenSSH before 8.4 asks only with one.
        bounds = Bounds(_LIMIT_S, _OUTPUT_BYTES, is_stopped)
        ended = run_child(argv, {**os.environ, **display, **own}, bounds)
    except OSError as error:
        return f"ssh cannot ask for a password: {error.strerror or error}"
    if ended.timed_out:
        return f"The login took longer than {_LIMIT_S:g} s and was ended."
    if ended.must_end or ended.rc < 0:
        return "The login was ended."
    fault = tools.login_fault(ended.rc, ended.stderr.decode("utf-8", "replace"))
    if fault is not None and fault.kind in _NOT_ACCEPTED:
        return f"{tools.prefix.host} did not accept the answer. A site may lock out a user after a few."
    return "" if fault is None else f"{capitalised(fault.sentence)}."


def log_in_by_terminal(tools: Tools) -> bool:
    """Log in, while ssh asks in the terminal of this program; return whether that went well."""
    argv = tools.login_argv()
    return bool(argv) and subprocess.run(argv, check=False).returncode == 0


def _askpass() -> Path:
    """Return the program that ssh runs to ask, a script, as ssh takes a program without arguments."""
    folder = connections_folder()
    make_private_folder(folder.parent)
    make_own_folder(folder)
    path = folder / "askpass"
    text = f'#!/bin/sh\nexec {shlex.join(_ASKPASS)} "$@"\n'
    if not path.is_file() or read_whole(path) != text.encode():
        path.write_text(text, encoding="utf-8")
    path.chmod(0o700)
    return path
