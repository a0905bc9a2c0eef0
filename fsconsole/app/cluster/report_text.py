"""Change sets and what came of them as text, to be pasted into a shell, a ticket or a mail."""

from __future__ import annotations

from fsconsole.slurm.change_set import ChangeSet
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport
from fsconsole.targets.slurm.tools import shown_command


def commands_text(changes: ChangeSet, prefix: tuple[str, ...] = ()) -> str:
    """One command a line, as typed into a shell where the prefix is run; what cannot be told is remarked."""
    lines = [f"# cannot be applied: {one.on}: {one.why}" for one in changes.refusals]
    lines += [shown_command(prefix, change.command) for change in changes.changes]
    return "".join(f"{line}\n" for line in lines)


def report_text(cluster: str, report: ApplyReport, prefix: tuple[str, ...] = ()) -> str:
    """What came of each change, with its command, and what would take it back."""
    lines = [f"Applied to {cluster}:"]
    for row in report.rows:
        lines += [row_words(row), f"    {shown_command(prefix, row.change.command)}"]
    if report.lag:
        lines.append(report.lag)
    lines += report.warnings
    if report.rollback.changes:
        lines += [
            "To take it back:",
            *(f"    {shown_command(prefix, one.command)}" for one in report.rollback.changes),
        ]
    return "".join(f"{line}\n" for line in lines)


def row_words(row: ChangeReport) -> str:
    """What came of one change, in a line."""
    change = row.change
    values = f": {change.before or 'nothing'} to {change.after or 'nothing'}"
    why = f" ({row.text})" if row.text else ""
    return f"{row.result}: {change.verb} {change.on}{values}{why}"
