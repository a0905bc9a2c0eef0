"""The audit log: every action on a machine, with its author, its reason and its result."""

from __future__ import annotations

import getpass
from dataclasses import asdict, dataclass
from typing import Any

# These authors are not people: the near-dedicated controller and the scenario's timeline.
CONTROL, SCENARIO = "control", "scenario"


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One action, accepted or refused.

    Attributes:
        tick: time on the machine.
        who: a person, `control`, or `scenario`.
        action: its name, such as `kill job`.
        on: its object; before, after: state of the object.
        done: whether it was done; text: the machine's answer. why: the reason given.
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
        """Return the row as plain data for a line of the log."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> AuditRow:
        """Return the row that `to_json` wrote.

        Raises:
            TypeError: the data is not a row.
        """
        return cls(**data)


NOBODY = "somebody"


def login_name() -> str:
    """Return the login name of the user who runs this program; `somebody` if the system does not know it."""
    try:
        return getpass.getuser() or NOBODY
    except (OSError, KeyError, ImportError):  # The user may be missing, and no variable may name one.
        return NOBODY
