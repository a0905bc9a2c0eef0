"""`fsconsole slurm`: Slurm's fairshare, worked out."""

from __future__ import annotations

import click

from fsconsole.cli.lazy import LazyGroup

_COMMANDS = {
    "fairshare": ("fsconsole.cli.slurm_fairshare", "Work out fairshare anew from what sshare printed."),
    "forecast": ("fsconsole.cli.slurm_forecast", "What usage and fairshare will be, from planned jobs."),
    "control": ("fsconsole.cli.slurm_control", "Padding and dampening for target hours."),
}


@click.group("slurm", cls=LazyGroup, lazy=_COMMANDS)
def command() -> None:
    """Slurm's fairshare, worked out."""
