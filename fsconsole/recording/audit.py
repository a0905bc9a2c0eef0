"""The audit log: every action on a machine, with its author, its reason and its result."""

from __future__ import annotations

import getpass
from collections.abc import Collection
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

# These authors are not people: the near-dedicated controller and the scenario's timeline.
CONTROL, SCENARIO = "control", "scenario"


class Result(StrEnum):
    """Result of an action: the words of the log, the command line and the window."""

    DONE = "done"  # The change was read back.
    DESPITE = "done despite error"  # The change was read back, although the command failed.
    REFUSED = "refused"  # Slurm did not make the change, or its state or its rules do not allow it.
    DIFFERENT = "different"  # Something has changed, but the stored value is not the requested one.
    NOT_SENT = "not sent"  # The command did not reach the cluster: connection lost, stopped, not tried.
    UNKNOWN = "unknown"  # The command was sent, and its result could not be read back.
    DRY_RUN = "dry run"  # The command was only printed.

    @property
    def is_done(self) -> bool:
        """True if the change was made."""
        return self in (Result.DONE, Result.DESPITE)

    @property
    def is_well(self) -> bool:
        """True if nothing went wrong: the change was made, or only printed."""
        return self.is_done or self is Result.DRY_RUN


_WORST_FIRST = (
    Result.UNKNOWN,
    Result.REFUSED,
    Result.DIFFERENT,
    Result.NOT_SENT,
    Result.DESPITE,
    Result.DONE,
    Result.DRY_RUN,
)


def worst(results: Collection[Result]) -> Result:
    """Return the result that needs most attention; `done` without any."""
    return next((one for one in _WORST_FIRST if one in results), Result.DONE)


# Rows without these fields, as older logs have them, are complete.
_LATER = ("remote_user", "via", "checks", "undoes", "held", "act")


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One action with its result.

    Attributes:
        tick: time on the machine.
        who: a person, `control`, or `scenario`.
        action: its name, such as `kill job`.
        on: its object; before, after: state of the object.
        result: see `Result`; text: the machine's answer. why: the reason given.
        remote_user: the user that the command ran as, where it is another one; via: the command prefix.
        checks: tick of an earlier row of the same action on the same object, whose unknown result this one
            decides; 0 for all others.
        undoes: identity of an earlier row that this one rolls back, or of the apply that it belongs to; empty
            for all others.
        held: what an added or removed object has besides, as words that its way back reads; empty where it is
            not known, as in older logs.
        act: identity of the action, such as an apply, that all its rows share; empty in older logs.
    """

    tick: int
    who: str
    action: str
    on: str
    before: str
    after: str
    result: Result
    text: str
    why: str
    remote_user: str = ""
    via: str = ""
    checks: int = 0
    undoes: str = ""
    held: str = ""
    act: str = ""

    @property
    def done(self) -> bool:
        """Whether the action was done."""
        return self.result.is_done

    @property
    def author(self) -> str:
        """The author in words: `root as ssadm through ssh login1`."""
        as_user = f" as {self.remote_user}" if self.remote_user else ""
        through = f" through {self.via}" if self.via else ""
        return f"{self.who}{as_user}{through}"

    def to_json(self) -> dict[str, Any]:
        """Return the row as plain data for a line of the log."""
        return {
            name: str(value) if name == "result" else value
            for name, value in asdict(self).items()
            if value or name not in _LATER
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> AuditRow:
        """Return the row that `to_json` wrote, or an older version of it with `done` for the result.

        Raises:
            TypeError: the data is not a row.
            ValueError: the result is not known.
        """
        fields = dict(data)
        if "done" in fields:
            fields["result"] = Result.DONE if fields.pop("done") else Result.REFUSED
        return cls(**{**fields, "result": Result(fields["result"])} if "result" in fields else fields)


NOBODY = "somebody"


def login_name() -> str:
    """Return the login name of the user who runs this program; `somebody` if the system does not know it."""
    try:
        return getpass.getuser() or NOBODY
    except (OSError, KeyError, ImportError):  # The user may be missing, and no variable may name one.
        return NOBODY
