"""An apply without an end in the audit log, in words: it was killed, or still runs in another program."""

from __future__ import annotations

from fsconsole.app.cluster.records import Record
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.targets.slurm.unknown_outcomes import stored_verdict
from fsconsole.text import moments
from fsconsole.text.words import count_words

_MOST_LISTED = 5


def unfinished_words(record: Record, tree: ClusterTree | None) -> list[str]:
    """Return sentences on an apply without an end; `tree` is the tree stored now."""
    began = f"{record.row.who} began at {moments.whole(record.row.tick)}"
    first = (
        f"The apply of {record.row.after} that {began} has no end in the audit log. It was killed, or still "
        "runs in another program."
    )
    sent = [step.row for step in record.steps if not step.is_answered]
    known = f"The log has {count_words(len(record.steps) - len(sent), 'result')}."
    if sent:
        known += f" {count_words(len(sent), 'command was', 'commands were')} sent without a result in it."
    lines = [f"Sent: {row.text}. {_now_words(row, tree)}" for row in sent[:_MOST_LISTED]]
    more = len(sent) - _MOST_LISTED
    return [first, known, *lines, *([f"{more} more are in the audit log."] if more > 0 else [])]


def _now_words(row: AuditRow, tree: ClusterTree | None) -> str:
    verdict = stored_verdict(row, tree) if tree is not None else None
    if verdict is None:
        return "Its result is unknown."
    result, now = verdict
    if result is Result.DONE:
        return "It was done."
    return "It was not done." if result is Result.NOT_SENT else f"It is {now} now."
