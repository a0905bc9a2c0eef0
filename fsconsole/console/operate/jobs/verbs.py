"""What can be done to jobs: in words, when, and with what to know before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsconsole.app.jobs.arrays import labels_of
from fsconsole.app.jobs.columns import JobColumns
from fsconsole.app.jobs.selection import JobSelection
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.slurm.job_change import JobChange, JobVerb, why_not
from fsconsole.slurm.job_warnings import JobWarning, Surroundings, dangers
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.node_change import NodeVerb
from fsconsole.text.numbers import thousands

STOP_TIP = "Leave the jobs that were not sent yet"
_SOME_S = 3600.0  # Any length shows whether a limit can be changed at all.


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbText:
    """How a verb is shown. Each text is a whole one, so that a translation can order its words.

    Attributes:
        title: on a button that has the job beside it.
        menu: in menus, with its accelerator.
        one, many, array: on the button of the dialog; `many` with the slot `count`.
        act: name of the action, with the slot `jobs`.
        question: heading of the dialog, with the slots `jobs` and `cluster`.
        insist: label of the additional confirmation.
        none: why nothing is possible, with the slot `count`.
        done: what a job is afterwards, with the slot `job`.
        below: whether it can be undone, for the dialog.
        always_asks: whether a dialog comes first also for a single job.
        is_grave: whether nothing brings back what is lost.
    """

    title: str
    menu: str
    one: str
    many: str
    array: str
    act: str
    question: str
    insist: str
    none: str
    done: str = ""
    icon: str
    tip: str
    below: str
    keys: tuple[str, ...] = ()
    always_asks: bool = False
    is_grave: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeVerbText:
    """How an action on nodes is shown; `act` has the slot `nodes`, `question` also `cluster`."""

    menu: str
    one: str
    many: str
    act: str
    question: str
    tip: str
    below: str


VERBS = {
    JobVerb.EXTEND: VerbText(
        title="Extend", menu="&Extend jobs…", one="&Extend job", many="&Extend {count} jobs",
        array="&Extend array", act="Extend {jobs}", question="Extend {jobs} on {cluster}?",
        insist="Extend anyway", none="Cannot extend any of the {count} jobs.",
        icon="extend", keys=("Ctrl+Shift+E",), always_asks=True,
        tip="Change the time limit of the selected jobs",
        below="To undo, extend by a negative time.",
    ),
    JobVerb.SUSPEND: VerbText(
        title="Suspend", menu="&Suspend jobs", one="&Suspend job", many="&Suspend {count} jobs",
        array="&Suspend array", act="Suspend {jobs}", question="Suspend {jobs} on {cluster}?",
        insist="Suspend anyway", none="Cannot suspend any of the {count} jobs.",
        icon="pause", done="Job {job} is suspended.",
        tip="Suspend the selected jobs. They keep their memory, but free their nodes",
        below="You can resume it later.",
    ),
    JobVerb.RESUME: VerbText(
        title="Resume", menu="&Resume jobs", one="&Resume job", many="&Resume {count} jobs",
        array="&Resume array", act="Resume {jobs}", question="Resume {jobs} on {cluster}?",
        insist="Resume anyway", none="Cannot resume any of the {count} jobs.",
        icon="run", done="Job {job} is resumed.",
        tip="Resume the selected suspended jobs",
        below="You can suspend it again.",
    ),
    JobVerb.HOLD: VerbText(
        title="Hold", menu="&Hold jobs", one="&Hold job", many="&Hold {count} jobs",
        array="&Hold array", act="Hold {jobs}", question="Hold {jobs} on {cluster}?",
        insist="Hold anyway", none="Cannot hold any of the {count} jobs.",
        icon="locked", done="Job {job} is held.",
        tip="Hold the selected pending jobs",
        below="You can release it later.",
    ),
    JobVerb.RELEASE: VerbText(
        title="Release", menu="Re&lease jobs", one="&Release job", many="&Release {count} jobs",
        array="&Release array", act="Release {jobs}", question="Release {jobs} on {cluster}?",
        insist="Release anyway", none="Cannot release any of the {count} jobs.",
        icon="armed", done="Job {job} is released.",
        tip="Release the selected held jobs",
        below="You can hold it again.",
    ),
    JobVerb.REQUEUE: VerbText(
        title="Requeue", menu="Re&queue jobs…", one="&Requeue job", many="&Requeue {count} jobs",
        array="&Requeue array", act="Requeue {jobs}", question="Requeue {jobs} on {cluster}?",
        insist="Requeue anyway", none="Cannot requeue any of the {count} jobs.",
        icon="requeue", always_asks=True, is_grave=True, done="Job {job} is requeued.",
        tip="Stop the selected jobs and put them back into the queue. Their results so far are lost",
        below="Its results so far are lost.",
    ),
    JobVerb.KILL: VerbText(
        title="Kill", menu="&Kill jobs…", one="&Kill job", many="&Kill {count} jobs",
        array="&Kill array", act="Kill {jobs}", question="Kill {jobs} on {cluster}?",
        insist="Kill anyway", none="Cannot kill any of the {count} jobs.",
        icon="kill", keys=("Ctrl+Shift+K",), always_asks=True, is_grave=True,
        tip="Kill the selected jobs. Their work is lost",
        below="This cannot be undone.",
    ),
}  # fmt: skip
NODE_VERBS = {
    NodeVerb.DRAIN: NodeVerbText(
        menu="Drain nodes…", one="&Drain node", many="&Drain nodes", act="Drain {nodes}",
        question="Drain {nodes} on {cluster}?",
        tip="Start no new jobs on the selected nodes. Running jobs continue",
        below="No new jobs start there, and running jobs continue. You can resume it later.",
    ),
    NodeVerb.RESUME: NodeVerbText(
        menu="Resume nodes…", one="&Resume node", many="&Resume nodes", act="Resume {nodes}",
        question="Resume {nodes} on {cluster}?",
        tip="Allow jobs to start again on the selected nodes that are drained or down",
        below="Jobs can start there again. You can drain it again.",
    ),
}  # fmt: skip


def action_id(verb: JobVerb) -> str:
    """Return the id of a verb's action."""
    return f"cluster.{verb.value}"


def change_of(
    verb: JobVerb,
    jobs: Sequence[Job],
    by_s: float = 0.0,
    *,
    columns: JobColumns | None = None,
) -> JobChange:
    """Return the change for the target; complete arrays go by their number if `columns` has them."""
    return JobChange(verb, labels_of(jobs, columns), by_s)


def split_jobs(change: JobChange, jobs: Sequence[Job]) -> tuple[tuple[Job, ...], tuple[tuple[Job, str], ...]]:
    """Split jobs into those that it can be done to, and the others with why not."""
    whys = [(job, why_not(change, job)) for job in jobs]
    return tuple(job for job, why in whys if not why), tuple((job, why) for job, why in whys if why)


def obstacle(verb: JobVerb, selection: JobSelection | None) -> str:
    """Return the reason why an action is not possible on any of the jobs; empty if it is on one of them."""
    if selection is None:
        return "Select a job"
    change = JobChange(verb, (), _SOME_S)
    whys = [why_not(change, job) for job in selection.examples]
    if not all(whys):
        return ""
    return whys[0] if len(selection.places) == 1 else f"{none_words(verb, selection.count)} {whys[0]}"


def obstacle_now(controller: JobController, verb: JobVerb) -> str:
    """Return the reason why an action is not possible on any of the selected jobs; empty if it is."""
    return controller.once(verb, lambda: obstacle(verb, controller.selection))


def none_words(verb: JobVerb, count: int) -> str:
    """Return the sentence that an action is possible on none of several jobs."""
    return VERBS[verb].none.format(count=thousands(count))


def dangers_now(controller: JobController, change: JobChange) -> tuple[JobWarning, ...]:
    """Return warnings before an action, as the cluster was read last; empty without a cluster."""
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
