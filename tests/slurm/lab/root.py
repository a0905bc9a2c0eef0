"""Whose Slurm the cluster is of: this machine's, or that of a Debian in a folder (see releases.py)."""

from __future__ import annotations

import os

ROOT = os.environ.get("FSCONSOLE_SLURM_ROOT", "")
"""The folder; empty for this machine."""

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"  # daemons are not on everybody's PATH


def via() -> tuple[str, ...]:
    """The words before every command of the cluster: none, or a change of root."""
    return ("chroot", ROOT) if ROOT else ()


def search_path() -> str:
    """Where its programs are, as seen from this machine."""
    return ":".join(ROOT + folder for folder in PATH.split(":"))
