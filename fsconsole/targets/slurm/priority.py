"""What the priority of a waiting job is made of, asked of sprio when somebody wants to know."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.job_labels import JobIndex, read_label
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.sprio import read_sprio
from fsconsole.targets.slurm.reports import PriorityReport
from fsconsole.targets.slurm.tools import Answer, Run

LIMIT_S = 15.0  # clients give up after 9 s where slurmctld does not answer
_FORMAT = "%i|%r|%u|%Y|%S|%A|%B|%F|%J|%P|%Q|%N|%T"  # names whole, unlike those of -l
_MOST = 100  # records of an array that are asked for


def read_priority(
    run: Run,
    label: str,
    known: Sequence[Job] = (),
    *,
    limit_s: float = LIMIT_S,
    now_s: Callable[[], float] = time.time,
) -> PriorityReport:
    """Ask for one job; nothing that the cluster may do or say is an exception.

    Args:
        run: runs a command where the cluster is.
        label: the job as squeue shows it: 7, 7_3, 7_[1-5] or 7+1.
        known: jobs as they were read last: sprio takes bare numbers, and lists only jobs that wait.
        limit_s: time limit of a command.
        now_s: the cluster's clock.
    """
    began_s = now_s()

    def without(reason: str) -> PriorityReport:
        return PriorityReport(label, reason=reason, as_of_s=began_s)

    try:
        records = JobIndex(known).find(label)
        waiting = [job for job in records if job.is_pending]
        numbers = sorted({job.job_id for job in waiting})[:_MOST] or [read_label(label).number]
    except DamagedError as error:
        return without(f"{error}.")
    if records and not waiting:
        return without("It does not wait: only jobs that wait have a priority that is computed.")
    answer = _asked(run, ",".join(map(str, numbers)), limit_s)
    if answer.problem:
        return without(f"{answer.problem.rstrip('.')}.")
    try:
        listing = read_sprio(answer.stdout)
    except ScenarioError as error:
        return without(f"What sprio printed cannot be read: {error.problems[0].text.rstrip('.')}.")
    rows = sorted(listing.items, key=lambda row: -(row.priority or 0.0))
    return PriorityReport(label, tuple(rows), as_of_s=began_s) if rows else without(_why_none(waiting))


def _asked(run: Run, numbers: str, limit_s: float) -> Answer:
    answer = run(("sprio", "-j", numbers, "-o", _FORMAT), limit_s=limit_s)
    if "nvalid job format" in answer.stderr:  # a version that does not know a letter of it
        return run(("sprio", "-j", numbers, "-l"), limit_s=limit_s)
    return answer


def _why_none(waiting: Sequence[Job]) -> str:
    """Why sprio lists nothing, by what is known of the job."""
    if not waiting:
        return "Slurm knows no such job that waits."
    if all(job.is_held for job in waiting):
        return "It is held, and has no priority until it is released."
    reason = waiting[0].reason
    because = f" ({reason})" if reason and reason != "None" else ""
    return f"It has no priority yet: it waits for something else first{because}."
