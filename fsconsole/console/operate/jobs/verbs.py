"""What can be done to jobs: in words, when, and with what to know before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsconsole.app.jobs.arrays import labels_of
from fsconsole.app.jobs.columns import JobColumns
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.slurm.job_change import JobChange, JobVerb, why_not
from fsconsole.slurm.job_warnings import JobWarning, Surroundings, dangers
from fsconsole.slurm.jobs import Job

_SOME_S = 3600.0  # Any length shows whether a limit can be changed at all.


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbText:
    """How a verb is shown.

    Attributes:
        label: in menus, with its accelerator.
        doing, done: `Killing`, and what a job is afterwards.
        below: whether it can be undone, for the dialog.
        always_asks: whether a dialog comes first also for a single job.
        is_grave: whether nothing brings back what is lost.
    """

    label: str
    doing: str
    done: str = ""
    icon: str
    tip: str
    below: str
    keys: tuple[str, ...] = ()
    always_asks: bool = False
    is_grave: bool = False


VERBS = {
    JobVerb.EXTEND: VerbText(
        label="&Extend", doing="Extending", icon="extend", keys=("Ctrl+Shift+E",), always_asks=True,
        tip="Change the time limit of the selected jobs", below="To undo, extend by a negative time.",
    ),
    JobVerb.SUSPEND: VerbText(
        label="&Suspend", doing="Suspending", done="suspended", icon="pause", below=(
            "You can resume "
            "it later."
        ),
        tip="Suspend the selected jobs. They keep their memory, but free their nodes",
    ),
    JobVerb.RESUME: VerbText(
        label="&Resume", doing="Resuming", done="resumed", icon="run",
        tip="Resume the selected suspended jobs", below="You can suspend it again.",
    ),
    JobVerb.HOLD: VerbText(
        label="&Hold", doing="Holding", done="held", icon="locked",
        tip="Hold the selected pending jobs", below="You can release it later.",
    ),
    JobVerb.RELEASE: VerbText(
        label="Re&lease", doing="Releasing", done="released", icon="armed",
        tip="Release the selected held jobs", below="You can hold it again.",
    ),
    JobVerb.REQUEUE: VerbText(
        label="Re&queue", doing="Requeueing", done="requeued", icon="requeue", always_asks=True,
        is_grave=True, below="Its results so far are lost.",
        tip="Stop the selected jobs and put them back into the queue. Their results so far are lost",
    ),
    JobVerb.KILL: VerbText(
        label="&Kill", doing="Killing", icon="kill", keys=("Ctrl+Shift+K",), always_asks=True, is_grave=True,
        tip="Kill the selected jobs. Their work is lost", below="This cannot be undone.",
    ),
}  # fmt: skip
TITLES = {verb: verb.value.capitalize() for verb in JobVerb}


def action_id(verb: JobVerb) -> str:
    """Return what the action of a verb is called."""
    return f"cluster.{verb.value}"


def change_of(
    verb: JobVerb,
    jobs: Sequence[Job],
    by_s: float = 0.0,
    *,
    is_insisted: bool = False,
    columns: JobColumns | None = None,
) -> JobChange:
    """Return the change for the target; complete arrays go by their number if `columns` has them."""
    return JobChange(verb, labels_of(jobs, columns), by_s, is_insisted)


def split_jobs(change: JobChange, jobs: Sequence[Job]) -> tuple[tuple[Job, ...], tuple[tuple[Job, str], ...]]:
    """Split jobs into those that it can be done to, and the others with why not."""
    whys = [(job, why_not(change, job)) for job in jobs]
    return tuple(job for job, why in whys if not why), tuple((job, why) for job, why in whys if why)


def obstacle(verb: JobVerb, jobs: Sequence[Job]) -> str:
    """Return why it cannot be done to any of the jobs; empty where it can to one of them."""
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


def dangers_now(controller: JobController, change: JobChange) -> tuple[JobWarning, ...]:
    """Return what is to be known before it is done, as the cluster was read last; nothing without a
    cluster.
    """
    state = controller.state
    if state is None:
        return ()
    around = Surroundings(
        jobs=state.jobs,
        now_s=controller.now_s,
        partitions=state.partitions,
        nodes=state.nodes,
        reservations=state.reservations,
        settings=state.settings,
    )
    return dangers(change, around)
