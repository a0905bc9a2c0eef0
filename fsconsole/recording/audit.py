"""The audit log: every action on a machine, who did it and why, and what came of it."""

from __future__ import annotations

import getpass
from dataclasses import asdict, dataclass
from typing import Any

# Who acts where it is nobody: the near-dedicated controller, and the scenario's own timeline.
CONTROL, SCENARIO = "control", "scenario"


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One action, done or refused.

    Attributes:
        tick: when, on the machine.
        who: a person, `control`, or `scenario`.
        action: its name, such as `kill job`.
        on: what it was done to; before, after: what that was, and what it is now.
        done: whether it was done; text: the answer. why: the reason given.
    """

    tick: int
    who: str
    action: str
    on: str
    before: str
    after: str
    done: bool
    text: str
    why: str

    def to_json(self) -> dict[str, Any]:
        """Plain data, a line of the log."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> AuditRow:
        """Return the row that `to_json` wrote; TypeError for anything else."""
        return cls(**data)


NOBODY = "somebody"


def login_name() -> str:
    """Return the login name of the user who runs this program; `somebody` where the system does not tell."""
    try:
        return getpass.getuser() or NOBODY
    except (OSError, KeyError, ImportError):  # no such user, no variable that names one
        return NOBODY
