"""Actions of an operator on jobs: their conditions, commands and visible results.

Source: scancel(1), scontrol(1), and what Slurm 22.05.8 was seen to do. Its exit status proves nothing: to
kill what has ended, or to suspend what is suspended, is silent. Some of what it does is refused here by rules
of ours, because it is not what anybody wants: to add to no time limit makes one of 4 minutes, to take all of
it off leaves a limit of 0, and to hold a running job only holds it should it be requeued.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from fsconsole.slurm.job_labels import JobIndex, label_count, read_label
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.preemption import is_stopped_by_slurm
from fsconsole.text.durations import slurm_limit

_MINUTE_S = 60.0
# With a longer limit, scontrol of Slurm 22.05.8 wraps around, with exit status 0.
_MOST_S = 35_791_393 * _MINUTE_S
_TOO_LONG = f"The time limit is too long. Slurm allows at most {slurm_limit(_MOST_S)}."


class JobVerb(StrEnum):
    """Kinds of actions on a job."""

    KILL = "kill"
    EXTEND = "extend"
    SUSPEND = "suspend"
    RESUME = "resume"
    HOLD = "hold"
    RELEASE = "release"
    REQUEUE = "requeue"


@dataclass(frozen=True, slots=True)
class JobChange:
    """One change of some jobs.

    Attributes:
        jobs: labels that Slurm's tools take, such as 7 or 7_3 (`Job.label`).
        by_s: for EXTEND: so many seconds more (less, where negative); whole minutes.
        insisted: label of a job and reason, for each danger that the person has confirmed (`only_insisted`).
        was: for EXTEND: the time limit that alone is changed, as `status_words` has it; empty for any.
    """

    verb: JobVerb
    jobs: tuple[str, ...]
    by_s: float = 0.0
    insisted: frozenset[tuple[str, str]] = frozenset()
    was: str = ""


class Seen(StrEnum):
    """Effect of an action, as the record of the job shows it."""

    DONE = "done"
    NOT_YET = "not yet"
    OTHERWISE = "otherwise"  # The job is neither as before nor as wanted, and will not become so.


def why_not(change: JobChange, job: Job) -> str:
    """Return the reason why the job, as it is now, does not allow it, in a sentence; empty where it does."""
    if change.verb is JobVerb.EXTEND and (fault := _fault_of_length(change.by_s)):
        return fault
    if _is_ending(job):
        return "The job is already ending."
    if job.is_finished and change.verb is not JobVerb.REQUEUE:
        return f"The job has ended ({job.state})."
    return _WHY_NOT[change.verb](change, job)


def count_of(change: JobChange, known: Iterable[Job]) -> int:
    """Return the number of jobs that a change acts on; that of its labels where none of these is known."""
    index, count = JobIndex(known), 0
    for text in dict.fromkeys(change.jobs):
        with suppress(DamagedError):
            meant = [job for job in index.find(text) if not why_not(change, job)]
            count += label_count(read_label(text), meant) if meant else 0
    return count or len(change.jobs)


def only_insisted(change: JobChange, job: Job, now_s: float | None = None) -> str:
    """Return the reason why a change needs confirmation by the operator, as a sentence; empty if it does not.

    Args:
        change: intended change.
        job: record of the job.
        now_s: time of the cluster, for records without a run time.
    """
    stopped = is_stopped_by_slurm(job)
    if change.verb is JobVerb.SUSPEND and stopped:
        return "Slurm suspended the job. With this it stays suspended until you resume it."
    if change.verb is JobVerb.RESUME and stopped:
        return "Slurm suspended the job for another one. Both would run on the same CPUs."
    if change.verb is JobVerb.REQUEUE and job.is_finished:
        return f"The job has ended ({job.state}). This would run it again from the start."
    if change.verb is JobVerb.EXTEND and _would_end(change, job, now_s):
        return "The job has run longer than that. It would end within a minute, with its time limit reached."
    return ""


def unconfirmed(change: JobChange, jobs: Iterable[Job]) -> str:
    """Return the first reason why a change of jobs needs a confirmation that it does not have; empty without
    any.
    """
    reasons = ((job.label, only_insisted(change, job)) for job in jobs)
    return next((why for label, why in reasons if why and (label, why) not in change.insisted), "")


def command(change: JobChange, ids: Sequence[str], limit_s: float | None = None) -> tuple[str, ...]:
    """Return the argument list that does it to some jobs.

    Args:
        change: what is done; its `jobs` do not matter.
        ids: numbers as tools take them (`JobLabel.text`); one where a time limit is changed.
        limit_s: the time limit now; scontrol adds to no tasks that wait together and no part of a het job, so
            that theirs is set.
    """
    if change.verb is JobVerb.KILL:
        return ("scancel", *ids)
    if change.verb is not JobVerb.EXTEND:
        return ("scontrol", change.verb.value, ",".join(ids))
    (one,) = ids
    minutes = round(change.by_s / _MINUTE_S)
    limit = f"{minutes:+}"
    if ("[" in one or "+" in one) and limit_s is not None:
        limit = str(round(limit_s / _MINUTE_S) + minutes)
    return ("scontrol", "update", f"JobId={one}", f"TimeLimit={limit}")


def seen(change: JobChange, before: Job, after: Job | None) -> Seen:
    """Return the effect of a change by old and new records of a job; None for one that slurmctld forgot."""
    if change.verb is JobVerb.KILL:
        return Seen.DONE if after is None or after.is_finished or _is_ending(after) else Seen.NOT_YET
    if after is None:
        return Seen.OTHERWISE
    if change.verb is JobVerb.EXTEND:
        return _seen_limit(change, before, after)
    if change.verb is JobVerb.REQUEUE:
        restarts = (before.restarts, after.restarts)
        is_known = None not in restarts
        again = after.is_pending or (is_known and (restarts[1] or 0) > (restarts[0] or 0))
        return Seen.DONE if again else Seen.NOT_YET
    if after.is_finished:
        return Seen.OTHERWISE
    if change.verb is JobVerb.SUSPEND:
        return Seen.DONE if after.state == "SUSPENDED" and not after.priority else Seen.NOT_YET
    if change.verb is JobVerb.RESUME:
        return Seen.DONE if after.state == "RUNNING" else Seen.NOT_YET
    if change.verb is JobVerb.HOLD:
        return Seen.DONE if after.is_held else Seen.NOT_YET if after.is_pending else Seen.OTHERWISE
    return Seen.NOT_YET if after.has_held else Seen.DONE


def status_words(change: JobChange, job: Job | None) -> str:
    """Return the part of a job that the change is about, in words: its time limit, or its state."""
    if job is None:
        return "unknown to slurmctld"
    if change.verb is JobVerb.EXTEND:
        return slurm_limit(job.time_limit_s)
    held = " (held)" if job.is_held else " (some held)" if job.has_held else ""
    by_slurm = " (by Slurm itself)" if is_stopped_by_slurm(job) else ""
    return f"{'+'.join(job.states)}{held}{by_slurm}"


def jobs_status(change: JobChange, jobs: Iterable[Job]) -> str:
    """Return `status_words` of several records, each one once."""
    return ", ".join(dict.fromkeys(status_words(change, job) for job in jobs))


def new_limit_s(change: JobChange, job: Job) -> float | None:
    """Return the time limit after an EXTEND; None if the present one is unknown."""
    return None if job.time_limit_s is None else job.time_limit_s + change.by_s


def _is_ending(job: Job) -> bool:
    return "COMPLETING" in job.states


def _fault_of_length(by_s: float) -> str:
    if not math.isfinite(by_s) or by_s % _MINUTE_S:
        return "Slurm's time limits are whole minutes."
    if abs(by_s) > _MOST_S:
        return _TOO_LONG
    return "" if by_s else "The job would not change."


def _no_kill(_change: JobChange, _job: Job) -> str:
    return ""


def _no_extend(change: JobChange, job: Job) -> str:
    limit_s = job.time_limit_s
    if change.was not in ("", now := slurm_limit(limit_s)):
        return f"The time limit has changed since: it is {now} now."
    if limit_s is None:
        return ""
    if math.isinf(limit_s):
        return "The job has no time limit. Slurm 22.05 would set one of a few minutes."
    if limit_s + change.by_s > _MOST_S:
        return _TOO_LONG
    if limit_s + change.by_s < _MINUTE_S:
        return f"The time limit is {slurm_limit(limit_s)}. At least one minute must remain."
    return ""


def _would_end(change: JobChange, job: Job, now_s: float | None) -> bool:
    limit_s = new_limit_s(change, job)
    ran_s = job.elapsed_s if now_s is None else job.ran_s(now_s)
    return change.by_s < 0 and limit_s is not None and ran_s is not None and limit_s <= ran_s


def _no_suspend(_change: JobChange, job: Job) -> str:
    if job.state == "SUSPENDED":
        return "" if is_stopped_by_slurm(job) else "The job is already suspended."
    return _not_a_whole(job) if job.state == "RUNNING" else f"The job is not running ({job.state})."


def _no_resume(_change: JobChange, job: Job) -> str:
    return _not_a_whole(job) if job.state == "SUSPENDED" else f"The job is not suspended ({job.state})."


def _no_hold(_change: JobChange, job: Job) -> str:
    if job.is_held:
        return "The job is already held."
    return "" if job.is_pending else f"The job has started ({job.state}). Only pending jobs can be held."


def _no_release(_change: JobChange, job: Job) -> str:
    return "" if job.has_held else "The job is not held."


def _no_requeue(_change: JobChange, job: Job) -> str:
    if job.is_pending:
        return "The job is already pending."
    if job.may_requeue is False:
        return "The job was submitted with --no-requeue."
    return _not_a_whole(job)


def _not_a_whole(job: Job) -> str:
    """Return the reason why a job cannot be changed as a whole: Slurm changes a het job by its first
    component alone.
    """
    if job.het_job_id and job.het_offset:
        return (
            f"The job is a component of the het job {job.het_job_id}. Use its first component: that "
            "changes all."
        )
    return ""


_WHY_NOT = {
    JobVerb.KILL: _no_kill,
    JobVerb.EXTEND: _no_extend,
    JobVerb.SUSPEND: _no_suspend,
    JobVerb.RESUME: _no_resume,
    JobVerb.HOLD: _no_hold,
    JobVerb.RELEASE: _no_release,
    JobVerb.REQUEUE: _no_requeue,
}


def _seen_limit(change: JobChange, before: Job, after: Job) -> Seen:
    wanted_s = new_limit_s(change, before)
    if after.time_limit_s is not None and wanted_s in (after.time_limit_s, None):
        return Seen.DONE
    return Seen.NOT_YET if after.time_limit_s == before.time_limit_s else Seen.OTHERWISE
