"""The rows of the action table that belong to Operate on a real cluster."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fsconsole.console.actions import Action
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.operate.jobs.desk import NO_CLUSTER
from fsconsole.console.operate.jobs.verbs import ICONS, TITLES, asks
from fsconsole.slurm.job_change import JobVerb

if TYPE_CHECKING:
    from fsconsole.console.operate.jobs.workspace import ClusterOperateWorkspace

_MENU = "Target"
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


def action_id(verb: JobVerb) -> str:
    """What the action of a verb is called."""
    return f"cluster.{verb.value}"


def cluster_actions(workspace: ClusterOperateWorkspace) -> list[Action]:
    """What is done to jobs, what is looked for, what was done."""
    return [*(_verb(workspace, verb) for verb in _ORDER), *_looking(workspace)]


def _verb(workspace: ClusterOperateWorkspace, verb: JobVerb) -> Action:
    short = f"{TITLES[verb]}…" if asks(verb) else TITLES[verb]
    text = f"{_TEXTS[verb]}…" if asks(verb) else _TEXTS[verb]
    return Action(
        action_id(verb), text, partial(workspace.asking.ask, verb), _KEYS.get(verb, ()), ICONS[verb], _MENU,
        "jobs", _TIPS[verb], lambda: not workspace.why_not(verb), why_not=lambda: workspace.why_not(verb),
        words="job slurm scancel scontrol", short=short, needs=CLUSTER,
    )  # fmt: skip


def _looking(workspace: ClusterOperateWorkspace) -> list[Action]:
    desk = workspace.desk
    return [
        Action(
            "cluster.find_jobs", "&Find jobs", workspace.find_jobs, ("Ctrl+F",), "search", "Edit", "find",
            "Look for jobs by words and terms", lambda: desk.state is not None, why_not=lambda: NO_CLUSTER,
            words="filter search user partition", local=True, needs=CLUSTER,
        ),
        Action(
            "cluster.show_commands", "Show &commands of the last action…", workspace.results.show_details,
            menu="View", group="records", tip="What was run for each job, and what was said",
            enabled=lambda: bool(workspace.results.reports), why_not=lambda: "Nothing was done yet",
            needs=CLUSTER,
        ),
        Action(
            "cluster.export_audit", "Export audit log…", workspace.export_audit, ("Ctrl+E",), "export",
            "File", "exchange", "The audit log as text or CSV", lambda: desk.state is not None, local=True,
            why_not=lambda: NO_CLUSTER, words="audit record", needs=CLUSTER,
        ),
    ]  # fmt: skip
