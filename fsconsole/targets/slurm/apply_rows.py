"""Rows of the audit log for an applied change set: one before and one after each command.

They show the state after a kill: commands that were sent and have no logged result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fsconsole.recording.audit import AuditRow, Result, worst
from fsconsole.slurm.change_set import Change, ChangeSet, Verb
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.targets.slurm.audit_rows import SEND, Author
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport, result_counts
from fsconsole.targets.slurm.tools import shown_command
from fsconsole.targets.slurm.unknown_outcomes import stored_verdict
from fsconsole.text import moments
from fsconsole.text.words import count_words, first_of, plural

BEGIN, END = "start of apply", "end of apply"
COMPARE = "compare fairshare"
_MOST_SHOWN = 200  # The row before the commands lists at most this many of them.
_MOST_LISTED = 5


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Apply without an end in the log: it was killed, or continues in another process.

    Attributes:
        begun: its first row.
        sent: rows of sent commands without a result in the log.
        known: number of results in the log.
    """

    begun: AuditRow
    sent: tuple[AuditRow, ...]
    known: int


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


def unfinished(rows: Iterable[AuditRow]) -> Unfinished | None:
    """Return the last apply in a log that has no end there."""
    begun: AuditRow | None = None
    open_rows: dict[tuple[str, str, str], AuditRow] = {}
    known = 0
    verbs = {f"{SEND}{verb.lower()}" for verb in Verb}
    for row in rows:
        if row.action in (BEGIN, END):
            begun, known = (row if row.action == BEGIN else None), 0
            open_rows.clear()
        elif row.action in verbs:
            open_rows[row.action.removeprefix(SEND), row.on, row.after] = row
        elif open_rows.pop((row.action, row.on, row.after), None) is not None:
            known += 1
    return Unfinished(begun, tuple(open_rows.values()), known) if begun is not None else None


def unfinished_words(found: Unfinished, tree: ClusterTree | None) -> list[str]:
    """Return sentences on an apply without an end; `tree` is the tree stored now."""
    when = moments.whole(found.begun.tick)
    who, what = found.begun.who, found.begun.after
    first = f"The apply that {who} began at {when} ({what}) has no end in the audit log."
    sent = count_words(len(found.sent), "command")
    known = plural(
        found.known,
        f"1 result is in the log; {sent} ran without a result.",
        f"{found.known} results are in the log; {sent} ran without a result.",
    )
    lines = [f"Sent: {row.text}. {_now_words(row, tree)}" for row in found.sent[:_MOST_LISTED]]
    more = len(found.sent) - _MOST_LISTED
    return [first, known, *lines, *([f"{more} more are in the audit log."] if more > 0 else [])]


def _now_words(row: AuditRow, tree: ClusterTree | None) -> str:
    verdict = stored_verdict(row, tree) if tree is not None else None
    if verdict is None:
        return "Its result is unknown."
    result, now = verdict
    if result is Result.DONE:
        return "It was done."
    return "It was not done." if result is Result.NOT_SENT else f"It is {now} now."
