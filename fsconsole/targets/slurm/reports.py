"""Results of changes to a cluster: rc 0 proves nothing, so everything is read back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from fsconsole.recording.audit import Result
from fsconsole.slurm.change_set import Change, ChangeSet
from fsconsole.slurm.parsers.sprio import JobPriority
from fsconsole.text.numbers import thousands


def result_counts(results: Iterable[Result] | Counter[Result]) -> str:
    """Return the number of each result in words: `2 933 done, 1 refused`."""
    counts = Counter(results)
    return ", ".join(f"{thousands(counts[result])} {result}" for result in Result if counts[result])


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """One change: its result, in the cluster's or our words; the duration of the command."""

    change: Change
    result: Result
    text: str = ""
    took_s: float = 0.0

    @property
    def query(self) -> tuple[str, ...]:
        """Command that shows whether the change was made; empty if the result is known."""
        return self.change.query if self.result is Result.UNKNOWN else ()


@dataclass(frozen=True, slots=True)
class ApplyReport:
    """A change set that was applied.

    Attributes:
        rows: one for each change, in order.
        rollback: what would bring back what was before, of what was done or is different now.
        lag: where sshare does not show what is stored, in a sentence; else empty.
        warnings: what is left as nobody asked for, and what a rollback would not bring back; in sentences.
        record: identity of its record in the audit log; empty if it has none.
    """

    rows: tuple[ChangeReport, ...]
    rollback: ChangeSet
    lag: str = ""
    warnings: tuple[str, ...] = ()
    record: str = ""


@dataclass(frozen=True, slots=True)
class ActionReport:
    """One label of jobs, or one node of the cluster, with the result of the action.

    Attributes:
        on: the job as squeue shows it, or the name of the node.
        command: what was called, or would have been.
        before, after: the job's state or time limit, or the node's state with its reason; in words.
        kind: `job` or `node`.
        count: how many jobs the label means; each pending task of an array is one.
    """

    on: str
    result: Result
    text: str
    command: tuple[str, ...]
    before: str = ""
    after: str = ""
    kind: str = "job"
    count: int = 1

    @property
    def query(self) -> tuple[str, ...]:
        """Command that shows whether it was done; empty if the result is known."""
        name = re.split(r"[_+]", self.on)[0] if self.kind == "job" else self.on
        return ("scontrol", "show", self.kind, name) if self.result is Result.UNKNOWN else ()


@dataclass(frozen=True, slots=True)
class PriorityReport:
    """Parts of the priority of a pending job.

    Attributes:
        job: as it was asked for.
        rows: weighted numbers, the highest priority first; one for each partition that it waits for (and each
            record, of an array). They are compared with the weights of the settings.
        reason: why there are none, in sentences; empty where there are some.
        as_of_s: when it was asked, seconds since 1970.
    """

    job: str
    rows: tuple[JobPriority, ...] = ()
    reason: str = ""
    as_of_s: float = 0.0
