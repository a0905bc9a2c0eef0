"""The audit log of a machine that somebody acts on live: what people did to it, over all sessions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fsconsole.recording.audit import CONTROL
from fsconsole.recording.audit_log import AuditLog, file_name

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

FOLDER = "audit"


def audit_path(machine: str) -> Path:
    """Where the log of a machine of that name is, in the user's state folder."""
    from platformdirs import user_state_path

    return user_state_path("fsconsole") / FOLDER / file_name(machine)


class AuditFile:
    """Writes what people do to one machine; a disk that fails does not stop the machine.

    Attributes:
        problem: why actions are not written yet; they are with the next one that can be. Else empty.
    """

    def __init__(self, machine: Machine) -> None:
        """Begin with what is done from now on."""
        self._machine = machine
        self._seen = len(machine.audit)
        self._log = AuditLog(audit_path(machine.spec.name), machine.spec.hz, machine.spec.start, private=True)
        self.problem = ""

    def heed(self) -> str:
        """Write what people have done since the last time; why that cannot be, empty where it can."""
        rows = [row for row in self._machine.audit[self._seen :] if row.who != CONTROL]
        seen = len(self._machine.audit)
        try:
            self._log.write(rows)
        except OSError as error:
            place = error.filename or self._log.path
            self.problem = f"not written into the audit log {place}: {error.strerror or error}"
            return self.problem
        self._seen, self.problem = seen, ""
        return ""
