"""`fsconsole batch`: parallel jobs on a cluster."""

from __future__ import annotations

import click

from fsconsole.cli.lazy import LazyGroup

_COMMANDS = {
    "simulate": ("fsconsole.cli.batch_simulate", "Schedule the jobs of a trace under a policy."),
    "why": ("fsconsole.cli.batch_why", "Say why a job has not started at a moment."),
    "compare": ("fsconsole.cli.batch_compare", "Compare two schedules job by job."),
    "convert": ("fsconsole.cli.batch_convert", "Write a trace in the Standard Workload Format."),
    "generate": ("fsconsole.cli.batch_generate", "Make a workload: a month of the paper, or a model."),
}


@click.group("batch", cls=LazyGroup, lazy=_COMMANDS)
def command() -> None:
    """Schedule parallel jobs on a cluster of nodes that no two jobs share.

    A TRACE is a file in the Standard Workload Format or what Slurm's `sacct -P` printed, gzipped or not; the
    name of one that comes with the program; or - for stdin.
    """
