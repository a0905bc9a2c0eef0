"""What a command answers, and how it says no."""

from __future__ import annotations

from dataclasses import dataclass

from fsconsole.machine.operate import Refused

__all__ = ["DONE", "MISUSED", "REFUSED", "Misused", "Refused", "Reply"]

DONE, REFUSED, MISUSED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Reply:
    """The text of an answer, without a line end after its last line.

    `status` is 0 for done, 1 for refused, 2 for a command line that cannot be understood; `user` is whom `sl`
    has made the shell, empty where it is its own user's.
    """

    text: str
    status: int = DONE
    user: str = ""


class Misused(Exception):  # noqa: N818 (an answer, not a fault)
    """A command line that cannot be understood."""
