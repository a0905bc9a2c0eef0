"""Explanation why one association goes before another, and the parts of a pending job's priority."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.insight import Level, Measured, why
from fsconsole.slurm.job_labels import JobIndex, read_label
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import DamagedError, in_output
from fsconsole.slurm.parsers.marks import new_mark
from fsconsole.slurm.parsers.scontrol_config import UNKNOWN_RULE, WEIGHTS, SlurmConfig
from fsconsole.slurm.parsers.scontrol_job import read_scontrol_job
from fsconsole.slurm.parsers.sprio import FORMAT, JobPriority, read_sprio
from fsconsole.slurm.parsers.squeue_text import format_of, read_squeue_text
from fsconsole.targets.slurm.replay import NO_ANSWER
from fsconsole.targets.slurm.reports import PriorityReport
from fsconsole.targets.slurm.summary import ClusterSummary
from fsconsole.targets.slurm.tools import TIMES, TIMES_KEY, Answer, Run
from fsconsole.text import numbers


@dataclass(frozen=True, slots=True)
class ClusterExplanation:
    """Explanation why one association goes before another; see `targets.base.Explained`."""

    rule: str
    rule_title: str
    levels: tuple[Level, ...]
    leaf: int
    verdict: str
    standing: str
    compared: tuple[str, ...] = ()
    factors: tuple[Any, ...] = ()
    leaves_out_system: bool = False


def explain(digest: ClusterSummary | None, node: int, other: int | None, stale: str) -> ClusterExplanation:
    """Explain two associations; `stale` has the time of their usage where it is old.

    LookupError with the reason where there is no explanation.
    """
    measured = None if digest is None else _measured(digest)
    if digest is None or measured is None or digest.index is None:
        raise LookupError("the usage has not been read yet")
    settings = digest.state.settings
    if settings is not None and settings.is_depth_oblivious:
        raise LookupError(f"cannot order users: {UNKNOWN_RULE}")
    rows = [None if one is None else digest.index.row_of.get(one) for one in (node, other)]
    if rows[0] is None or rows[1] is None or rows[0] == rows[1]:
        raise LookupError("select two associations of the cluster")
    reason = why(measured, rows[0], rows[1])
    return ClusterExplanation(
        "fair_tree" if measured.is_fair_tree else "classic",
        "Fair Tree" if measured.is_fair_tree else "Classic fairshare",
        reason.levels,
        node,
        f"{reason.verdict} {reason.because}".strip(),
        " ".join(filter(None, _remarks(digest, reason.levels, stale))),
    )


def weight_words(settings: SlurmConfig) -> str:
    """Return the weight of fairshare in a job's priority, in words; empty where nothing has any."""
    if lacking := settings.lacking(*WEIGHTS):
        return f"The weight of fairshare in a job's priority is unknown without {lacking}."
    total, fairshare = sum(settings.weights.values()), settings.weights.get("fairshare")
    if not fairshare:
        return "Fairshare has no weight in the priority of jobs here." if total else ""
    others = [name for name, weight in settings.weights.items() if weight and name != "fairshare"]
    most = f"{numbers.thousands(fairshare)} of {numbers.thousands(total)}"
    rest = f" (other factors: {', '.join(others)})" if others else ""
    return f"In a job's priority, fairshare gives up to {most} points{rest}."


def _remarks(digest: ClusterSummary, levels: tuple[Level, ...], stale: str) -> list[str]:
    """Return remarks on the age of the values, on lags, and on the weight of fairshare."""
    standing, settings = digest.state.standing, digest.state.settings
    remarks = [f"{stale[0].upper()}{stale[1:]}."] if stale else []
    if standing is not None and {level.node for level in levels} & standing.lagging.keys():
        remarks.append("Some of these numbers lag behind. See the marks in the associations.")
    return [*remarks, "" if settings is None else weight_words(settings)]


def _measured(digest: ClusterSummary) -> Measured | None:
    """Return the input of the comparison, as sshare prints it."""
    standing, index, settings = digest.state.standing, digest.index, digest.state.settings
    if standing is None or index is None or len(standing.norm_usage) != len(index.tree.nodes):
        return None
    return Measured(
        index.tree.stored.tree,
        index.above,
        index.level_shares,
        standing.norm_usage,
        standing.printed,
        settings is not None and settings.is_fair_tree,
        index.tree.nodes,
    )


LIMIT_S = 15.0  # Clients stop after 9 s if slurmctld does not respond.
_MOST = 100  # More records of an array are not requested.


def read_tres(run: Run) -> Mapping[int, str]:
    """Return the resources of jobs by scontrol, by number; empty where it does not respond."""
    mark = new_mark()
    answer = run(("env", f"{TIMES_KEY}{mark}", "scontrol", "-a", "show", "job"))
    if answer.problem:
        return {}
    try:
        jobs = read_scontrol_job(answer.stdout, mark=mark).items
        return {job.job_id: job.tres for job in jobs if job.tres}
    except ScenarioError:
        return {}


def read_tasks(run: Run, job: Job) -> tuple[Job, ...]:
    """Read the pending tasks of an array one by one; empty where that fails, as from a capture."""
    mark = new_mark()
    words = ("squeue", "-r", "-h", "-a", "-t", "PD", "-j", str(job.array_job_id), "-O", format_of(mark=mark))
    answer = run((*TIMES, *words))
    if answer.problem or NO_ANSWER in answer.stderr:
        return ()
    try:
        return read_squeue_text(answer.stdout, time.time(), mark=mark).items
    except ScenarioError:
        return ()


def read_priority(
    run: Run,
    label: str,
    known: Sequence[Job] = (),
    *,
    limit_s: float = LIMIT_S,
    now_s: Callable[[], float] = time.time,
) -> PriorityReport:
    """Read the priority of one job; no output of the cluster raises an exception.

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
        return without("The job is not pending. Only pending jobs have a priority that is computed.")
    try:
        found = _read(run, waiting, numbers, limit_s)
    except _NoPrioritiesError as error:
        return without(str(error))
    rows = sorted(found, key=lambda row: -(row.priority or 0.0))
    return PriorityReport(label, tuple(rows), as_of_s=began_s) if rows else without(_why_none(waiting))


def read_all_priorities(run: Run) -> tuple[tuple[JobPriority, ...], str]:
    """Return the priorities of all pending jobs, and why some or all of them are missing, else empty."""
    answer = run(("sprio", "-o", FORMAT))
    if answer.problem:
        return (), answer.problem
    try:
        listing = read_sprio(answer.stdout)
    except ScenarioError as error:
        return (), in_output("sprio", error.problems[0])
    return listing.items, next((in_output("sprio", one) for one in listing.problems), "")


def read_priorities(run: Run, jobs: Sequence[Job]) -> Sequence[JobPriority]:
    """Ask sprio once for several jobs that wait; nothing of those that it does not know."""
    numbers = sorted({job.job_id for job in jobs if job.is_pending})[:_MOST]
    try:
        return _read(run, jobs, numbers, LIMIT_S) if numbers else ()
    except _NoPrioritiesError:
        return ()


class _NoPrioritiesError(Exception):
    """A sentence why sprio gave none."""


def _read(run: Run, waiting: Sequence[Job], numbers: Sequence[int], limit_s: float) -> Sequence[JobPriority]:
    answer = _asked(run, ",".join(map(str, numbers)), limit_s)
    if NO_ANSWER in answer.stderr:
        msg = "This capture folder has no parts of priorities, because an older fsconsole made it."
        raise _NoPrioritiesError(msg)
    if answer.problem:
        msg = f"{answer.problem.rstrip('.')}."
        raise _NoPrioritiesError(msg)
    meant = {number for job in waiting for number in (job.job_id, job.array_job_id, job.het_job_id)}
    try:
        return read_sprio(answer.stdout, only=meant.union(numbers)).items
    except ScenarioError as error:
        msg = f"What sprio printed cannot be read: {error.problems[0].text.rstrip('.')}."
        raise _NoPrioritiesError(msg) from None


def _asked(run: Run, numbers: str, limit_s: float) -> Answer:
    answer = run(("sprio", "-j", numbers, "-o", FORMAT), limit_s=limit_s)
    if "nvalid job format" in answer.stderr:  # This version does not know a letter of the format.
        return run(("sprio", "-j", numbers, "-l"), limit_s=limit_s)
    return answer


def _why_none(waiting: Sequence[Job]) -> str:
    """Return the reason why sprio lists nothing, by the known state of the job."""
    if not waiting:
        return "Slurm has no such pending job."
    if all(job.is_held for job in waiting):
        return "The job is held, and has no priority until it is released."
    reason = waiting[0].reason
    because = f" ({reason})" if reason and reason != "None" else ""
    return f"sprio shows no priority of the job while it waits for something else{because}."
