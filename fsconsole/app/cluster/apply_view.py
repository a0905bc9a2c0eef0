"""Texts for a change set that is applied: before, during and after."""

from __future__ import annotations

from dataclasses import dataclass

from fsconsole.app.cluster.connection_check import sentence
from fsconsole.app.cluster.preview import ChangeSetPreview, applied_words
from fsconsole.recording.audit import Result
from fsconsole.slurm.change_set import ChangeSet
from fsconsole.targets.slurm.link_words import at
from fsconsole.targets.slurm.reports import ApplyReport, result_counts
from fsconsole.text.words import capitalised, count_words

_MOST_NOTES = 3


@dataclass(frozen=True, slots=True)
class ApplyView:
    """State of an apply at one moment.

    Attributes:
        cluster: name of the cluster.
        staged: staged changes with their obstacles.
        report: results; None before the apply.
        is_running: whether the apply runs.
        is_rollback: whether it restores earlier values.
        of: when what it rolls back was done, in words; empty for the apply that has just ended.
        left: what it leaves out, and why; sentences.
        is_computing: whether the change set is still being computed.
        problem: sentence on why the change set cannot be computed.
        stale: why the data of the cluster are old.
        insists: whether changes with expected failures are sent too.
    """

    cluster: str
    staged: ChangeSetPreview
    report: ApplyReport | None = None
    is_running: bool = False
    is_rollback: bool = False
    is_computing: bool = False
    problem: str = ""
    stale: str = ""
    insists: bool = False
    of: str = ""
    left: tuple[str, ...] = ()

    @property
    def changes(self) -> ChangeSet:
        """Changes that the view lists."""
        return self.staged.changes

    @property
    def is_open(self) -> bool:
        """True until the operator has decided."""
        return self.report is None and not self.is_running

    @property
    def can_be_sent(self) -> bool:
        """True if anything would be sent."""
        is_known = self.is_rollback or not self.is_computing
        is_free = self.insists or len(self.changes.blocked) < len(self.changes.changes)
        return self.is_open and self.changes.can_be_applied and is_free and is_known

    @property
    def count(self) -> int:
        """How many changes would be sent."""
        blocked = 0 if self.insists else len(self.changes.blocked)
        return len(self.changes.changes) - blocked

    @property
    def verb(self) -> str:
        """Text of the button that sends them."""
        return f"&{'Roll back' if self.is_rollback else 'Apply'} {count_words(self.count, 'change')}"

    @property
    def heading(self) -> str:
        """Action and cluster; a question before the apply."""
        what = count_words(len(self.changes.changes), "change")
        if self.report is not None:
            return applied_words(self.cluster, self.report, is_rollback=self.is_rollback)
        if self.is_rollback:
            if self.of:
                return f"Roll back {what} of {self.of} on {self.cluster}?"
            return f"Roll back {what} on {self.cluster}?"
        return f"Applying {what} to {self.cluster}" if self.is_running else f"Apply {what} to {self.cluster}?"

    @property
    def explanation(self) -> str:
        """Effects, and facts to know before the apply."""
        refused = len(self.changes.refusals)
        if self.report is not None:
            return _explanation_of(self.report)
        if self.is_running:
            return "You can keep using the window. Stop skips the commands that have not started."
        if refused:
            edits = count_words(refused, "edit cannot", "edits cannot")
            return f"{edits} be applied. Undo or revert the marked edits first."
        if self.is_computing and not self.is_rollback:
            return "Computing the change set…"
        if self.problem:
            return self.problem
        begun = "The commands run in this order. None has run yet."
        if self.is_rollback:
            begun = f"The cluster still has what was applied, so nothing that others did is lost. {begun}"
        return "\n".join((f"{begun}{self._basis()}", *self._left_out(), *self._notes()))

    @property
    def obstacles(self) -> str:
        """Changes that would not be sent, with the reasons; empty without obstacles."""
        blocked = self.changes.blocked
        if not blocked or not self.is_open:
            return ""
        count = count_words(len(blocked), "change is", "changes are")
        more = len(blocked) - _MOST_NOTES
        lines = [f"{one.verb} {one.on}: {one.obstacle}" for one in blocked[:_MOST_NOTES]]
        others = [f"{more} more: see their tooltips."] if more > 0 else []
        what = f"{count} expected to fail{'' if self.insists else ' and skipped'}:"
        return "\n".join((what, *lines, *others))

    def _basis(self) -> str:
        """Describe the age of the fairshares in the table, and why they are old."""
        usage_s = self.staged.usage_s
        shown = f" FairShare is predicted from the usage of {at(usage_s)}." if usage_s is not None else ""
        shown += f" {self.staged.places}" if self.staged.places else ""
        return f"{shown}\n{self.stale}" if self.stale else shown

    def _left_out(self) -> list[str]:
        more = len(self.left) - _MOST_NOTES
        others = [f"{more} more are left out."] if more > 0 else []
        return [*(f"Left out: {text}" for text in self.left[:_MOST_NOTES]), *others]

    def _notes(self) -> list[str]:
        notes = [f"{one.on}: {'; '.join(one.notes)}." for one in self.changes.changes if one.notes]
        more = len(notes) - _MOST_NOTES
        others = [f"{more} more have notes, in their tooltips."] if more > 0 else []
        return [*notes[:_MOST_NOTES], *others]


def _explanation_of(report: ApplyReport) -> str:
    """Describe how the results are known."""
    unknown = [row for row in report.rows if row.result is Result.UNKNOWN]
    if unknown:
        count = count_words(len(unknown), "change was", "changes were")
        lines = (
            f"{count} sent but not read back. {sentence(unknown[0].text)}",
            "The console checks and logs the results when the cluster responds again. Commands to check:",
        )
        return "\n".join(lines)
    if all(row.result is Result.NOT_SENT for row in report.rows):
        return "No command reached the cluster."
    return "The console has read each sent change back from the cluster."


def outcome(report: ApplyReport) -> tuple[str, str]:
    """Return a sentence about the result of a change set, and its colour."""
    results = {row.result for row in report.rows}
    words = f"{capitalised(result_counts(row.result for row in report.rows))}."
    text = " ".join(filter(None, (words, sentence(report.lag), *report.warnings)))
    if Result.REFUSED in results:
        return text, "danger"
    is_good = results <= {Result.DONE} and not (report.lag or report.warnings)
    return text, "ok" if is_good else "warn"
