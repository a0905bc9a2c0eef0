"""Delivery of a command: whether it reached Slurm, from the exit status and the output.

Source: OpenSSH 9.2, clientloop.c, for messages after a session began, and what ssh and Slurm 22.05.8 were
seen to print.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from fsconsole.targets.slurm.ssh_faults import SSH_FAILED, FaultKind, faults_in

_NO_SHELL_FOUND = (126, 127)
# In its own lines alone: a banner may speak of passwords too.
_ASKS_PASSWORD = re.compile(
    r"^(?:sudo|doas): .*(?:password is required|terminal is required|no tty present)", re.MULTILINE
)
_UNREACHED = re.compile(
    r"Unable to contact slurm controller \(connect failure\)|"
    r"failed to open persistent connection to .*: Connection refused",
)

SETTLE_S = 2.0
"""Time after which a command whose connection was lost takes no effect any more; sacctmgr needs 0.3 s."""


class Delivery(StrEnum):
    """Whether a command reached Slurm."""

    ANSWERED = "answered"
    NOT_SENT = "not sent"  # It certainly did not.
    OPEN = "open"  # The connection was lost, or the tool was ended, on the way.


def delivery_of(prefix: Sequence[str], rc: int, stdout: str, stderr: str, own: str | None = None) -> Delivery:
    """Return the delivery of a command that ended by itself.

    `own` holds the messages of ssh itself, if they are apart from the output of the far end.
    """
    if rc == 0:
        return Delivery.ANSWERED
    if rc < 0:
        return Delivery.OPEN
    if rc in _NO_SHELL_FOUND or _UNREACHED.search(stderr):
        return Delivery.NOT_SENT
    if not prefix:
        return Delivery.ANSWERED
    if rc == SSH_FAILED and (own is not None or not _is_of_slurm(stderr)):
        faults = faults_in(stderr if own is None else own)
        is_certain = bool(faults) and FaultKind.CUT not in faults and not stdout.strip()
        return Delivery.NOT_SENT if is_certain else Delivery.OPEN
    return Delivery.NOT_SENT if _ASKS_PASSWORD.search(stderr) else Delivery.ANSWERED


def _is_of_slurm(stderr: str) -> bool:
    """Return True if a tool of Slurm has printed an error."""
    return re.search(r"^(?:s[a-z]+): (?:error|fatal): ", stderr, re.MULTILINE) is not None
