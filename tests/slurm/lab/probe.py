"""Whether a Slurm cluster comes up on this machine, or why not: `python -m tests.slurm.lab.probe`."""

from __future__ import annotations

import subprocess
import sys

from tests.slurm.lab.daemons import LabError
from tests.slurm.lab.lab import Lab


def why_not() -> str:
    """Why no cluster comes up here; empty where one does."""
    if reason := Lab.missing():
        return reason
    try:
        with Lab() as lab:
            lab.run("sshare")
    except (LabError, OSError, subprocess.SubprocessError) as error:
        return str(error)
    return ""


def main() -> int:
    """Say so; the exit status."""
    reason = why_not()
    if reason:
        print(f"Tests with a real Slurm will skip: {reason}", file=sys.stderr)
    return 1 if reason else 0


if __name__ == "__main__":
    raise SystemExit(main())
