"""The report on reading a trace: dropped and repaired jobs, and the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words, plural

_MOST_LINES = 5


class TraceError(ValueError):
    """A trace cannot be used; the message names the file, the fault and its line."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A job that was dropped or repaired.

    Attributes:
        job_id: the job's number in the trace; None if the line does not have one.
        line: line of the file, from 1.
        kind: the reason in a few words without numbers, the same for all such jobs.
        reason: fault of this job, and its repair if any.
    """

    job_id: int | None
    line: int
    kind: str
    reason: str

    def __str__(self) -> str:
        job = "a job without a number" if self.job_id is None else f"job {self.job_id}"
        return f"line {self.line}: {job}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The report on a trace's jobs.

    Attributes:
        name: name of the trace, usually a file.
        found: number of lines with jobs.
        kept: number of jobs kept.
        dropped: the other jobs, in the order of their lines.
        repaired: jobs that were kept after a repair; a job may occur twice.
        notes: remarks on the trace as a whole.
    """

    name: str
    found: int
    kept: int
    dropped: tuple[Finding, ...] = ()
    repaired: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """Return the number of dropped jobs for each kind of reason, the most frequent first."""
        return _counts(self.dropped)

    def repairs(self) -> dict[str, int]:
        """Return the number of repaired jobs for each kind of reason, the most frequent first."""
        return _counts(self.repaired)

    def lines(self) -> list[str]:
        """Return the report in words, a few lines for any number of jobs."""
        texts = [f"{self.name}: {thousands(self.kept)} of {count_words(self.found, 'job')} read"]
        texts += [
            _findings_text("dropped", kind, count, self.dropped) for kind, count in self.counts().items()
        ]
        texts += [
            _findings_text("repaired", kind, count, self.repaired) for kind, count in self.repairs().items()
        ]
        return [*texts, *self.notes]


def _counts(findings: Iterable[Finding]) -> dict[str, int]:
    return dict(Counter(finding.kind for finding in findings).most_common())


def _findings_text(done: str, kind: str, count: int, findings: tuple[Finding, ...]) -> str:
    places = [str(finding.line) for finding in findings if finding.kind == kind][:_MOST_LINES]
    more = ", …" if count > len(places) else ""
    word = plural(count, "line")
    return f"{count_words(count, 'job')} {done}: {kind} ({word} {', '.join(places)}{more})"
