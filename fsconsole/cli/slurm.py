"""`fsconsole slurm`: Slurm's fairshare, computed, and real clusters."""

from __future__ import annotations

import click

from fsconsole.cli.lazy import LazyGroup

_COMMANDS = {
    "fairshare": ("fsconsole.cli.slurm_fairshare", "Recalculate fairshare from what sshare printed."),
    "forecast": ("fsconsole.cli.slurm_forecast", "What usage and fairshare will be, from planned jobs."),
    "control": ("fsconsole.cli.slurm_control", "Padding and dampening for target hours."),
    "status": ("fsconsole.cli.slurm_status", "Say whether a cluster answers, and with what."),
    "show": ("fsconsole.cli.slurm_show", "Show a cluster's share tree with usage and fairshare."),
    "diff": ("fsconsole.cli.slurm_diff", "Say what leads from a cluster to the tree in a file."),
    "apply": ("fsconsole.cli.slurm_apply", "Make a cluster's tree that of a file, and read it back."),
    "capture": ("fsconsole.cli.slurm_capture", "Keep what a cluster says, to look at it elsewhere."),
    "job": ("fsconsole.cli.slurm_job", "Kill, extend, suspend, hold or requeue jobs of a cluster."),
}


@click.group("slurm", cls=LazyGroup, lazy=_COMMANDS)
def command() -> None:
    """Slurm's fairshare, computed, and real clusters through Slurm's own tools."""
