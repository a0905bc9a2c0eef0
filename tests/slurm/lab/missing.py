"""Why there can be no test cluster here, in words."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.slurm.lab.daemons import has_namespaces
from tests.slurm.lab.keeper import REAL
from tests.slurm.lab.root import ROOT, search_path

PACKAGES = {
    "munged": "munge",
    "mariadbd": "mariadb-server",
    "mariadb-install-db": "mariadb-server",
    "mariadb": "mariadb-client",
    "slurmdbd": "slurmdbd",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "sacctmgr": "slurm-client",
    "sshare": "slurm-client",
    "sbatch": "slurm-client",
    "unshare": "util-linux",
    "setpriv": "util-linux",
}
"""Programs that a cluster needs, and the packages of Debian and Ubuntu that have them."""

_EMULATOR = "-emulator"


def tool(name: str) -> str:
    """Where a program of the cluster is, as seen from its root; LookupError where it is not installed."""
    found = shutil.which(name, path=search_path())
    if not found:
        raise LookupError(f"{name} is not installed")
    return f"/{Path(found).relative_to(ROOT or '/')}"


def is_there(name: str) -> bool:
    """Return True if a program is installed, and is not an emulator that has taken its name over.

    Where Debian's slurm-wlm-emulator is installed, slurmctld and slurmd are links to it, and the real ones
    have names with -wlm; `keeper.py` gives these their plain names back.
    """
    found = shutil.which(name, path=search_path())
    if shutil.which(name + REAL, path=search_path()):
        return found is not None
    return found is not None and not Path(found).resolve().name.endswith(_EMULATOR)


def what_is_missing() -> str:
    """Why no cluster can be brought up here, or what to do about it; empty where it can."""
    if os.environ.get("FSCONSOLE_NO_SLURM"):
        return "FSCONSOLE_NO_SLURM is set: no Slurm cluster comes up here"
    absent = [name for name in PACKAGES if not is_there(name)]
    if absent:
        packages = " ".join(sorted({PACKAGES[name] for name in absent}))
        return f"a real Slurm needs {', '.join(absent)}: apt-get install {packages}"
    if os.geteuid() != 0:
        return "a Slurm test cluster needs root: its daemons run jobs as other users"
    if not has_namespaces():
        return "a Slurm test cluster needs namespaces of its own, which this container does not allow"
    return ""
