"""Rows of a cluster's audit log: author and prefix of a command, before it is sent and with its result."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from fsconsole.recording.audit import AuditRow, Result
from fsconsole.targets.slurm.tools import shown_command

SEND = "send "
_ACT_BYTES = 5


@dataclass(frozen=True, slots=True)
class Author:
    """Author of one action, and how its commands reach the cluster.

    Attributes:
        who: login name here.
        why: the reason given.
        prefix: command prefix before each tool.
        remote_user: user whom the commands run as; empty if it is not known.
        undoes: identity of the record that the changes roll back; empty if they do not.
        act: identity of the action: two programs may act at the same time.
    """

    who: str
    why: str = ""
    prefix: tuple[str, ...] = ()
    remote_user: str = ""
    undoes: str = ""
    act: str = field(default_factory=lambda: os.urandom(_ACT_BYTES).hex())

    def sent(self, action: str, on: str, before: str, after: str, command: Sequence[str]) -> AuditRow:
        """Return the row before a command."""
        text = shown_command(self.prefix, command)
        return self.row(f"{SEND}{action}", on, before, after, Result.DONE, text)

    def result(
        self, action: str, on: str, before: str, after: str, command: Sequence[str], result: Result, text: str
    ) -> AuditRow:
        """Return the row after a command; the command is empty where none was sent."""
        parts = (shown_command(self.prefix, command) if command else "", text)
        return self.row(
            action, on, before, after, result, ". ".join(part.rstrip(".") for part in parts if part)
        )

    def row(self, action: str, on: str, before: str, after: str, result: Result, text: str) -> AuditRow:
        """Return a row of now."""
        via = shlex.join(self.prefix)
        now = int(time.time())
        return AuditRow(
            now, self.who, action, on, before, after, result, text, self.why, self.remote_user, via,
            undoes=self.undoes, act=self.act,
        )  # fmt: skip


def action_of(row: AuditRow) -> Hashable:
    """Return the identity of a row's action; in older logs others of its author may have the same."""
    return row.act or (row.who, row.why, row.remote_user, row.via, row.undoes)
