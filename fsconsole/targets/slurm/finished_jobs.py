"""Jobs that have ended, as slurmdbd remembers them, through sacct."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.parsers.marks import new_mark
from fsconsole.slurm.parsers.sacct import FIELDS, FinishedJob, read_sacct
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.targets.slurm.tools import TIMES, Run, ToolError
from fsconsole.text.words import first_of

LIMIT_S = 120.0  # A database with years of jobs responds slowly.
_MOST_NOTES = 5
_NO_DATABASE = frozenset(("accounting_storage/none", "(null)", ""))
_UNMEASURED = ("jobacct_gather/none", "(null)")  # These are the values of 22.05, and of 24.11 and later.


@dataclass(frozen=True, slots=True)
class FinishedJobs:
    """Jobs that ended in a span of time.

    Attributes:
        jobs: the last one to end first.
        since_s, until_s: the span, seconds since 1970.
        notes: what is left out, hidden or not measured, in sentences.
    """

    jobs: tuple[FinishedJob, ...]
    since_s: float
    until_s: float
    notes: tuple[str, ...] = ()


def command(
    since_s: float, before_s: float = 0.0, mark: str = "", *, with_steps: bool = True
) -> tuple[str, ...]:
    """Return the command for sacct: jobs of all users that were there at any time since then, with
    their steps.

    Of a job alone sacct prints no CPU time, and all else alike; slurmdbd takes several times as long for
    steps. A mark (see `marks`) stands behind each field. Begin and end are said as seconds before now, as
    sacct reads dates in the zone of its own machine.
    """
    end = ("-E", f"now-{math.floor(before_s)}seconds") if before_s >= 1 else ()
    begin = ("-S", f"now-{max(round(since_s), 1)}seconds")
    form = ("-p", f"--delimiter={mark}") if mark else ("-P",)
    kinds = () if with_steps else ("-X",)
    return (*TIMES, "sacct", "-a", *kinds, *form, *begin, *end, "-o", ",".join(FIELDS))


def read_finished(
    run: Run,
    span_s: float,
    now_s: float,
    settings: SlurmConfig | None = None,
    *,
    until_s: float | None = None,
) -> FinishedJobs:
    """Read the jobs that ended in the `span_s` seconds before `until_s`, by default now.

    ToolError, in a sentence, where that cannot be.
    """
    until_s = now_s if until_s is None else min(until_s, now_s)
    since_s = until_s - span_s
    reason = without_database(settings)
    if reason:
        raise ToolError(reason)
    mark, is_measured = new_mark(), not _is_unmeasured(settings)
    answer = run(command(now_s - since_s, now_s - until_s, mark, with_steps=is_measured), limit_s=LIMIT_S)
    if answer.problem:
        raise ToolError(answer.problem)
    try:
        listing = read_sacct(answer.stdout, mark)
    except ScenarioError as error:
        first = error.problems[0]
        raise ToolError(f"what sacct printed cannot be read: line {first.line}: {first.text}") from error
    # The clock of the cluster may be ahead of the local one.
    latest_s = until_s if until_s < now_s else math.inf
    ended = [
        one for one in listing.items if one.job.is_finished and since_s <= (one.job.end_s or 0) <= latest_s
    ]
    jobs = tuple(ended if is_measured else map(_unmeasured, ended))
    left_out = first_of([f"Line {one.line}: {one.text}." for one in listing.problems], _MOST_NOTES)
    notes = (*_notes(settings), *left_out)
    return FinishedJobs(tuple(sorted(jobs, key=_latest_first)), since_s, until_s, notes)


def without_database(settings: SlurmConfig | None) -> str:
    """Return the reason why a cluster keeps no finished jobs, in a sentence; empty where it may."""
    kept = "" if settings is None else settings.values.get("accountingstoragetype")
    if kept is None or kept not in _NO_DATABASE or settings is None:
        return ""
    return f"This cluster has no slurmdbd (AccountingStorageType={kept}), so it stores no finished jobs"


def _notes(settings: SlurmConfig | None) -> Sequence[str]:
    if settings is None:
        return ()
    notes = []
    if "jobs" in settings.private:  # There is another PrivateData in slurmdbd.conf, which no command shows.
        notes.append("PrivateData may hide jobs of other users from non-operators.")
    if _is_unmeasured(settings):
        gathered = settings.values["jobacctgathertype"]
        notes.append(f"CPU time is not measured here (JobAcctGatherType={gathered}).")
    return notes


def _is_unmeasured(settings: SlurmConfig | None) -> bool:
    return settings is not None and settings.values.get("jobacctgathertype") in _UNMEASURED


def _unmeasured(one: FinishedJob) -> FinishedJob:
    """Drop the 0 that sacct prints where nothing was measured."""
    return FinishedJob(one.job, one.cancelled_by, one.step_exit_code, one.allocated_s)


def _latest_first(one: FinishedJob) -> tuple[int, int]:
    return -(one.job.end_s or 0), -one.job.job_id
