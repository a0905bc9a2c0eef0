"""Why there can be no login node here, in words."""

from __future__ import annotations

import os
import shutil
import sys

from tests.slurm.lab.daemons import has_namespaces
from tests.slurm.lab.root import PATH, ROOT

SHELLS = {
    "bash": "/bin/bash",
    "dash": "/bin/dash",
    "ksh": "/bin/ksh",
    "zsh": "/bin/zsh",
    "tcsh": "/bin/tcsh",
    "fish": "/usr/bin/fish",
}
"""Login shells of the node's users."""

PROGRAMS = {
    "sshd": "openssh-server",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "sudo": "sudo",
    "unshare": "util-linux",
    **dict(zip(SHELLS, SHELLS, strict=True)),
}
"""Programs that the node needs, and the packages of Debian and Ubuntu that have them."""


def program(name: str) -> str:
    """Return the absolute path of a program; LookupError where it is not installed."""
    found = shutil.which(name, path=f"{PATH}:/usr/local/bin")
    if not found:
        raise LookupError(f"{name} is not installed")
    return found


def what_is_missing() -> str:
    """Return the reason for having no login node here, or a remedy; empty where there can be one."""
    if os.environ.get("FSCONSOLE_NO_SSHD"):
        return "FSCONSOLE_NO_SSHD is set: no sshd comes up here"
    if sys.platform != "linux":
        return "a login node needs Linux: its users live in a mount namespace"
    absent = [name for name in PROGRAMS if not shutil.which(name, path=f"{PATH}:/usr/local/bin")]
    if absent:
        packages = " ".join(sorted({PROGRAMS[name] for name in absent}))
        return f"a login node needs {', '.join(absent)}: apt-get install {packages}"
    if os.geteuid() != 0:
        return "a login node needs root: its sshd starts shells of other users"
    if ROOT:
        return "FSCONSOLE_SLURM_ROOT is set: the login node is of this machine"
    if not has_namespaces():
        return "a login node needs namespaces of its own, which this container does not allow"
    return ""
