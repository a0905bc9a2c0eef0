"""What can be done to jobs, as buttons and sentences have it. No Qt."""

from __future__ import annotations

from fsconsole.slurm.job_change import JobVerb

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
    JobVerb.REQUEUE: "undo",
}
