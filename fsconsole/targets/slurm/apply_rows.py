"""Rows of the audit log for an applied change set: one before and one after each command.

They show the state after a kill: commands that were sent and have no logged result. Two programs may apply at
the same time: the rows of one share their `act`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from fsconsole.recording.audit import AuditRow, Result, worst
from fsconsole.slurm.change_set import Change, ChangeSet, Verb
from fsconsole.targets.slurm.audit_rows import SEND, Author, action_of
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport, result_counts
from fsconsole.targets.slurm.tools import shown_command
from fsconsole.text.words import count_words, first_of

BEGIN, END = "start of apply", "end of apply"
COMPARE = "compare fairshare"
_MOST_SHOWN = 200  # The row before the commands lists at most this many of them.
_MOST_EARLIER = 500
_VERBS = frozenset(verb.lower() for verb in Verb)


def audited(row: ChangeReport, author: Author) -> AuditRow:
    """Return the row of the audit log: the command and its result."""
    change = row.change
    action = change.verb.lower()
    made = author.result(action, change.on, change.before, change.after, change.command, row.result, row.text)
    return replace(made, held=change.held)


def begun(changes: ChangeSet, cluster: str, author: Author) -> AuditRow:
    """Return the row before the first command: if the program is killed, the log shows its intention."""
    commands = [shown_command(author.prefix, change.command) for change in changes.changes]
    shown = "; ".join(first_of(commands, _MOST_SHOWN))
    count = count_words(len(commands), "change")
    return author.row(BEGIN, cluster, "", count, Result.DONE, f"Started, the result follows: {shown}")


def sent(change: Change, author: Author) -> AuditRow:
    """Return the row before a command."""
    made = author.sent(change.verb.lower(), change.on, change.before, change.after, change.command)
    return replace(made, held=change.held)


def ended(report: ApplyReport, cluster: str, author: Author) -> AuditRow:
    """Return the row after the last command."""
    results = [row.result for row in report.rows]
    return author.row(END, cluster, "", "", worst(results), result_counts(results))


def compared(cluster: str, author: Author, text: str, *, is_so: bool) -> AuditRow:
    """Return the row of fairshare held against its prediction; `is_so` where all of it is as predicted."""
    after = "as predicted" if is_so else "see text"
    return author.row(COMPARE, cluster, "predicted", after, Result.DONE, text)


def newest(rows: Sequence[AuditRow], most: int = _MOST_EARLIER) -> Sequence[AuditRow]:
    """Return the last `most` rows, and those before them from the first row of an apply that goes on there.

    The last apply is never left out: where it has no end, somebody has to look after it.
    """
    spans: list[list[int]] = []  # The first and the last row of each apply.
    of: dict[Hashable, list[int]] = {}
    for place, row in enumerate(rows):
        action = action_of(row)
        if row.action == BEGIN:
            spans.append([place, place])
            of[action] = spans[-1]
        elif action in of and (row.action == END or row.action.removeprefix(SEND) in _VERBS):
            of[action][1] = place
    cut = max(len(rows) - most, 0)
    begun = [first for first, last in spans if last >= cut]
    return rows[min([cut, *begun, *(first for first, _ in spans[-1:])]) :]
