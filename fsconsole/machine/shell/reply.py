"""The answer of a command, and its errors."""

from __future__ import annotations

from dataclasses import dataclass

from fsconsole.machine.operate import Refused

__all__ = ["DONE", "MISUSED", "REFUSED", "Misused", "Refused", "Reply"]

DONE, REFUSED, MISUSED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Reply:
    """The text of an answer, without a line end after its last line.

    `status` is 0 for done, 1 for refused, 2 for an invalid command line; `user` is the user that `sl` has
    chosen, empty for the shell's own user.
    """

    text: str
    status: int = DONE
    user: str = ""


class Misused(Exception):  # noqa: N818 (an answer, not a fault)
    """A command line is not valid."""
