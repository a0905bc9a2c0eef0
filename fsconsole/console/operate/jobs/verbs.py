"""What can be done to jobs, as buttons and sentences have it. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from fsconsole.slurm.job_change import JobChange, JobVerb, why_not
from fsconsole.slurm.jobs import Job

TITLES = {verb: verb.value.capitalize() for verb in JobVerb}
DOING = {
    JobVerb.KILL: "Killing",
    JobVerb.EXTEND: "Extending",
    JobVerb.SUSPEND: "Suspending",
    JobVerb.RESUME: "Resuming",
    JobVerb.HOLD: "Holding",
    JobVerb.RELEASE: "Releasing",
    JobVerb.REQUEUE: "Requeueing",
}
ICONS = {
    JobVerb.KILL: "kill",
    JobVerb.EXTEND: "extend",
    JobVerb.SUSPEND: "pause",
    JobVerb.RESUME: "run",
    JobVerb.HOLD: "locked",
    JobVerb.RELEASE: "armed",
    JobVerb.REQUEUE: "requeue",
}
_ALWAYS_ASKS = (JobVerb.KILL, JobVerb.EXTEND, JobVerb.REQUEUE)
_SOME_S = 3600.0  # any length will do to ask whether a limit can be changed at all


def asks(verb: JobVerb) -> bool:
    """Whether a dialog always comes first; else what can be taken back is done at once to a single job."""
    return verb in _ALWAYS_ASKS


def change_of(
    verb: JobVerb, jobs: Sequence[Job], by_s: float = 0.0, *, is_insisted: bool = False
) -> JobChange:
    """What is asked of the target."""
    return JobChange(verb, tuple(job.label for job in jobs), by_s, is_insisted)


def sifted(change: JobChange, jobs: Sequence[Job]) -> tuple[tuple[Job, ...], tuple[tuple[Job, str], ...]]:
    """The jobs that it can be done to, and the others with why not."""
    whys = [(job, why_not(change, job)) for job in jobs]
    return tuple(job for job, why in whys if not why), tuple((job, why) for job, why in whys if why)


def obstacle(verb: JobVerb, jobs: Sequence[Job]) -> str:
    """Why it cannot be done to any of the jobs; empty where it can to one of them."""
    if not jobs:
        return "Select a job"
    change = JobChange(verb, (), _SOME_S)
    first = ""
    for job in jobs:
        why = why_not(change, job)
        if not why:
            return ""
        first = first or why
    return first if len(jobs) == 1 else f"Cannot {verb.value} any of the {len(jobs)} jobs: {first}"
