"""Rows of the audit log for an applied change set: one before and one after each command.

They show the state after a kill: commands that were sent and have no logged result.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fsconsole.recording.audit import AuditRow
from fsconsole.slurm.change_set import Change, ChangeSet, Verb, entries_of, entry_words
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.limits import Limit, limit_named
from fsconsole.slurm.names import in_words
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport, Result
from fsconsole.targets.slurm.tools import shown_command
from fsconsole.text import moments
from fsconsole.text.words import count_words, first_of

BEGIN, SEND, END = "start of apply", "send ", "end of apply"
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


def audited(row: ChangeReport, prefix: Sequence[str], who: str, why: str) -> AuditRow:
    """Return the row of the audit log: the command and its result."""
    change = row.change
    parts = (shown_command(prefix, change.command), str(row.result), row.text)
    return AuditRow(
        tick=int(time.time()),
        who=who,
        action=change.verb.lower(),
        on=change.on,
        before=change.before,
        after=change.after,
        done=row.result is Result.DONE,
        text=". ".join(part.rstrip(".") for part in parts if part),
        why=why,
    )


def begun(changes: ChangeSet, cluster: str, prefix: Sequence[str], who: str, why: str) -> AuditRow:
    """Return the row before the first command: if the program is killed, the log shows its intention."""
    commands = [shown_command(prefix, change.command) for change in changes.changes]
    shown = "; ".join(first_of(commands, _MOST_SHOWN))
    return AuditRow(
        tick=int(time.time()),
        who=who,
        action=BEGIN,
        on=cluster,
        before="",
        after=count_words(len(commands), "change"),
        done=True,
        text=f"Started, the result follows: {shown}",
        why=why,
    )


def sent(change: Change, prefix: Sequence[str], who: str, why: str) -> AuditRow:
    """Return the row before a command."""
    return AuditRow(
        tick=int(time.time()),
        who=who,
        action=f"{SEND}{change.verb.lower()}",
        on=change.on,
        before=change.before,
        after=change.after,
        done=True,
        text=shown_command(prefix, change.command),
        why=why,
    )


def ended(report: ApplyReport, cluster: str, who: str, why: str) -> AuditRow:
    """Return the row after the last command."""
    results = [str(row.result) for row in report.rows]
    counted = ", ".join(f"{results.count(one)} {one}" for one in dict.fromkeys(results))
    is_done = all(row.result is Result.DONE for row in report.rows)
    return AuditRow(int(time.time()), who, END, cluster, "", "", is_done, counted, why)


def compared(cluster: str, who: str, text: str, why: str, *, is_so: bool) -> AuditRow:
    """Return the row of fairshare held against its prediction; `is_so` where all of it is as predicted."""
    after = "as predicted" if is_so else "see text"
    return AuditRow(
        int(time.time()), who, COMPARE, cluster, "predicted", after, done=True, text=text, why=why
    )


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
    begun = f"{found.begun.who} began at {when} ({found.begun.after})"
    first = f"The apply started at {begun} has no end in the audit log."
    known = f"{found.known} results are in the log, but {len(found.sent)} commands were run without a result."
    lines = [f"Sent: {row.text}. {_now_words(row, tree)}" for row in found.sent[:_MOST_LISTED]]
    more = len(found.sent) - _MOST_LISTED
    return [first, known, *lines, *([f"{more} more are in the audit log."] if more > 0 else [])]


def _limit_of(row: AuditRow) -> Limit | None:
    """Return the limit of a row, such as `GrpJobs 8`, or `no GrpJobs`."""
    name = row.after.removeprefix("no ").partition(" ")[0]
    return limit_named(name, of_qos=row.on.startswith("QOS "))


def _now_words(row: AuditRow, tree: ClusterTree | None) -> str:
    verb = next((one for one in Verb if one.lower() == row.action.removeprefix(SEND)), None)
    if tree is None or not tree.is_complete or verb in (None, Verb.DEFAULT):
        return "Its result is unknown."
    entries = {in_words(key): entry for key, entry in entries_of(tree).items()}
    limit = _limit_of(row) if verb is Verb.LIMIT else None
    now = entry_words(verb, entries.get(row.on), limit)
    if now == row.after:
        return "It was done."
    return "It was not done." if now == row.before else f"It is {now or 'not there'} now."
