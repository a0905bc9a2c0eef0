"""Change sets and what came of them as text, to be pasted into a shell, a ticket or a mail. No Qt here."""

from __future__ import annotations

import shlex

from fsconsole.slurm.change_set import ChangeSet
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport


def commands_text(changes: ChangeSet, prefix: tuple[str, ...] = ()) -> str:
    """One command a line, as typed into a shell where the prefix is run; what cannot be told is remarked."""
    lines = [f"# cannot be applied: {one.on}: {one.why}" for one in changes.refusals]
    lines += [_typed(change.command, prefix) for change in changes.changes]
    return "".join(f"{line}\n" for line in lines)


def report_text(cluster: str, report: ApplyReport, prefix: tuple[str, ...] = ()) -> str:
    """What came of each change, with its command, and what would take it back."""
    lines = [f"Applied to {cluster}:"]
    for row in report.rows:
        lines += [_row_words(row), f"    {_typed(row.change.command, prefix)}"]
    if report.lag:
        lines.append(report.lag)
    lines += report.warnings
    if report.rollback.changes:
        lines += [
            "To take it back:",
            *(f"    {_typed(one.command, prefix)}" for one in report.rollback.changes),
        ]
    return "".join(f"{line}\n" for line in lines)


def _row_words(row: ChangeReport) -> str:
    change = row.change
    values = f": {change.before or 'nothing'} to {change.after or 'nothing'}"
    why = f" ({row.text})" if row.text else ""
    return f"{row.result}: {change.verb} {change.on}{values}{why}"


def _typed(command: tuple[str, ...], prefix: tuple[str, ...]) -> str:
    """A remote shell reads what ssh hands it once more, so that is one word."""
    if prefix and prefix[0].rsplit("/", 1)[-1] == "ssh":
        return shlex.join([*prefix, shlex.join(command)])
    return shlex.join([*prefix, *command])
