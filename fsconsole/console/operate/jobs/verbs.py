"""What can be done to jobs: in words, when, with what to know before, and as actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from fsconsole.console.actions import Action
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.operate.jobs.controller import JobController
from fsconsole.slurm.job_change import JobChange, JobVerb, only_insisted, why_not
from fsconsole.slurm.job_warnings import JobWarning, Surroundings, dangers
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
_KEYS = {JobVerb.KILL: ("Ctrl+Shift+K",), JobVerb.EXTEND: ("Ctrl+Shift+E",)}
_TEXTS = {
    JobVerb.KILL: "&Kill jobs",
    JobVerb.EXTEND: "&Extend jobs",
    JobVerb.SUSPEND: "&Suspend jobs",
    JobVerb.RESUME: "&Resume jobs",
    JobVerb.HOLD: "&Hold jobs",
    JobVerb.RELEASE: "Re&lease jobs",
    JobVerb.REQUEUE: "Re&queue jobs",
}
_TIPS = {
    JobVerb.KILL: "Kill the selected jobs; their work is lost",
    JobVerb.EXTEND: "Change the time limit of the selected jobs",
    JobVerb.SUSPEND: "Stop the selected jobs; they keep their memory, and their nodes are free for others",
    JobVerb.RESUME: "Resume the selected suspended jobs",
    JobVerb.HOLD: "Hold the selected pending jobs",
    JobVerb.RELEASE: "Release the selected held jobs",
    JobVerb.REQUEUE: "Stop the selected jobs and put them back into the queue; what they did is lost",
}
_ORDER = (
    JobVerb.EXTEND,
    JobVerb.SUSPEND,
    JobVerb.RESUME,
    JobVerb.HOLD,
    JobVerb.RELEASE,
    JobVerb.REQUEUE,
    JobVerb.KILL,
)
_ALWAYS_ASKS = (JobVerb.KILL, JobVerb.EXTEND, JobVerb.REQUEUE)
_SOME_S = 3600.0  # any length will do to ask whether a limit can be changed at all


def action_id(verb: JobVerb) -> str:
    """What the action of a verb is called."""
    return f"cluster.{verb.value}"


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


def dangers_now(controller: JobController, change: JobChange) -> tuple[JobWarning, ...]:
    """What is to be known before it is done, as the cluster was read last; nothing without a cluster."""
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


class JobVerbs:
    """Does things to the selected jobs, and gives the actions; `usual_s` is the length beside the button."""

    def __init__(self, controller: JobController, parent: QWidget, usual_s: Callable[[], float]) -> None:
        self._controller, self._parent, self._usual_s = controller, parent, usual_s

    def ask(self, verb: JobVerb, by_s: float = 0.0) -> None:
        """Of the selected jobs: kill, extend and requeue always ask, all others where they are several.

        Or where the person has to insist, or would resume a job whose CPUs are others' by now, which is a
        matter for a dialog too. While the console is read-only all of them ask: what would be run can be
        looked at there.
        """
        jobs = self._controller.jobs
        if self._controller.hindrance() or obstacle(verb, jobs):
            return
        change = change_of(verb, jobs, by_s or self._usual_s())
        must_insist = any(only_insisted(change, job, self._controller.now_s) for job in jobs)
        must_know = must_insist or (verb is JobVerb.RESUME and bool(dangers_now(self._controller, change)))
        if len(jobs) == 1 and not asks(verb) and not must_know and not self._controller.read_only:
            self._controller.act(change_of(verb, jobs))
            return
        from fsconsole.console.operate.jobs.dialogs import ExtendJobs, PlainJobDialog

        window = self._parent.window()
        if verb is JobVerb.EXTEND:
            ExtendJobs(self._controller, jobs, window, by_s or self._usual_s()).open()
        else:
            PlainJobDialog(self._controller, verb, jobs, window).open()

    def why_not(self, verb: JobVerb) -> str:
        """Why something cannot be done to the selected jobs; empty where it can."""
        return self._controller.hindrance() or obstacle(verb, self._controller.jobs)

    def actions(self) -> list[Action]:
        """Return one for each verb."""
        return [self._action(verb) for verb in _ORDER]

    def _action(self, verb: JobVerb) -> Action:
        more = "…" if asks(verb) else ""
        return Action(
            action_id(verb), f"{_TEXTS[verb]}{more}", partial(self.ask, verb), keys=_KEYS.get(verb, ()),
            icon=ICONS[verb], menu="Target", group="jobs", tip=_TIPS[verb],
            enabled=lambda: not self.why_not(verb), why_not=lambda: self.why_not(verb),
            words="job slurm scancel scontrol", short=f"{TITLES[verb]}{more}", needs=CLUSTER,
        )  # fmt: skip
