"""Audit log of all changes to the groups of a root, from the console and the command line."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from fsconsole.linux.share_tree_groups import HeldError
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.recording.audit_log import AuditLog
from fsconsole.targets.record import audit_path
from fsconsole.text.words import capitalised

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_ROWS = 500
_BEGUN = "begun"


class LinuxError(RuntimeError):
    """An action on this machine failed; the message is a sentence with the action and the reason."""


class GroupsAudit:
    """Logs changes of the groups of one root: a row before each, and one after it.

    Attributes:
        rows: what was done through it, oldest first.
        problem: why the last row could not be written, in a sentence; empty if it was.
    """

    def __init__(self, root: str, log: Path | None = None) -> None:
        """Open the audit log `log`, by default that of the root in the state folder."""
        self._root = root
        self._log = AuditLog(log or audit_path(f"linux-{root}"), 1, _EPOCH, private=True)
        self.rows: tuple[AuditRow, ...] = ()
        self.problem = ""

    def change(
        self, action: str, work: Callable[[], str], who: str, why: str = "", *, after: str = "", on: str = "",
        must_log: bool = True,
    ) -> str:  # fmt: skip
        """Make and log a change; return a description. LinuxError if it cannot be begun or made.

        A change that is made, but cannot be logged afterwards, is described as made; see `problem`.

        Args:
            action: description of the action.
            work: function that makes the change and describes it.
            who: user who makes the change.
            why: the user's reason.
            after: parameters of the change.
            on: node of the change; by default the root.
            must_log: whether to refuse the change if it cannot be logged.
        """

        def row(text: str, result: Result) -> AuditRow:
            return AuditRow(int(time.time()), who, action, on or self._root, "", after, result, text, why)

        self._keep(row(_BEGUN, Result.DONE))
        if self.problem and must_log:
            raise LinuxError(
                f"{capitalised(action)} was not begun, because it must be logged. {self.problem}"
            )
        text = self._done(work, row)
        self._keep(row(text, Result.DONE))
        return text

    def note(self, action: str, before: str, after: str, who: str, why: str) -> None:
        """Log an action of the console itself."""
        self._keep(AuditRow(int(time.time()), who, action, self._root, before, after, Result.DONE, "", why))

    def _keep(self, row: AuditRow) -> None:
        """Add a row to the log; set `problem`."""
        try:
            self._log.write((row,))
            self.problem = ""
        except OSError as error:
            self.problem = f"The audit log {self._log.path} cannot be written: {error_words(error)}."
        if row.text != _BEGUN:
            self.rows = (*self.rows, row)[-_MOST_ROWS:]

    def _done(self, work: Callable[[], str], row: Callable[[str, Result], AuditRow]) -> str:
        try:
            return work()
        except LinuxError as error:
            self._keep(row(str(error), Result.REFUSED))
            raise
        except (OSError, HeldError, ValueError) as error:
            text = error_words(error)
            self._keep(row(text, Result.REFUSED))
            raise LinuxError(f"{capitalised(text)}.") from error


def error_words(error: Exception) -> str:
    """Return the reason of a failure, without a full stop."""
    return (error.strerror if isinstance(error, OSError) and error.strerror else str(error)).rstrip(".")
