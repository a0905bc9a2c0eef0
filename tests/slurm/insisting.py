"""The operator who insists on all obstacles that are foreseen now."""

from __future__ import annotations

from fsconsole.slurm.change_set import ChangeSet, Verb
from fsconsole.slurm.obstacles import insisted, with_obstacles
from fsconsole.targets.slurm.readback import read_active_jobs, read_defaults, read_stored
from fsconsole.targets.slurm.tools import Run


def foreseen(run: Run, cluster: str, changes: ChangeSet) -> ChangeSet:
    """The changes with the obstacles of each, by what the cluster has now."""
    gone = [one.key for one in changes.changes if one.verb is Verb.REMOVE]
    jobs = read_active_jobs(run, {key[0] for key in gone}, limit_s=60)
    defaults = read_defaults(run, cluster, {key[1] for key in gone} - {""}, limit_s=60)
    return with_obstacles(cluster, changes, jobs, defaults, tuple(read_stored(run, cluster, limit_s=60)))


def insisting(run: Run, cluster: str, changes: ChangeSet) -> ChangeSet:
    """The changes, to be sent despite what is foreseen now."""
    return insisted(foreseen(run, cluster, changes))
