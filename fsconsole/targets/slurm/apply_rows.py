"""Rows of the audit log for a change set that is applied."""

from __future__ import annotations

import time
from collections.abc import Sequence

from fsconsole.machine.audit import AuditRow
from fsconsole.slurm.change_set import ChangeSet
from fsconsole.targets.slurm.reports import ChangeReport, Result
from fsconsole.targets.slurm.tools import shown_command

_MOST_SHOWN = 200  # commands in the row of the audit log that comes before them


def audited(row: ChangeReport, prefix: Sequence[str], who: str, why: str) -> AuditRow:
    """The row of the audit log: what was called, and what came of it."""
    change = row.change
    said = (shown_command(prefix, change.command), str(row.result), row.text)
    return AuditRow(
        tick=int(time.time()),
        who=who,
        action=change.verb.lower(),
        on=change.on,
        before=change.before,
        after=change.after,
        done=row.result is Result.DONE,
        text=". ".join(part.rstrip(".") for part in said if part),
        why=why,
    )


def begun(changes: ChangeSet, cluster: str, prefix: Sequence[str], who: str, why: str) -> AuditRow:
    """The row before the first command: should the program be killed, the log says what was on its way."""
    commands = [shown_command(prefix, change.command) for change in changes.changes]
    more = len(commands) - _MOST_SHOWN
    said = "; ".join(commands[:_MOST_SHOWN]) + (f"; and {more} more" if more > 0 else "")
    return AuditRow(
        tick=int(time.time()),
        who=who,
        action="begin to apply",
        on=cluster,
        before="",
        after=f"{len(commands)} change{'' if len(commands) == 1 else 's'}",
        done=True,
        text=f"Begun, what came of it follows: {said}",
        why=why,
    )
