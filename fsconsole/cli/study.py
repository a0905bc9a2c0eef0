"""`fsconsole study`: the commands about studies of parallel-job scheduling."""

from __future__ import annotations

import click

from fsconsole.cli.lazy import LazyGroup

_COMMANDS = {
    "run": ("fsconsole.cli.study_run", "Compute a study, or what is missing of it."),
    "show": ("fsconsole.cli.study_show", "Show what a study has come to."),
    "check": ("fsconsole.cli.study_check", "Say what a study would compute, and what is wrong with it."),
    "export": ("fsconsole.cli.study_export", "Write a study's results as CSV and Parquet."),
}


@click.group("study", cls=LazyGroup, lazy=_COMMANDS)
def command() -> None:
    """Workloads x policies x windows x seeds, each computed once, on all cores or on a cluster.

    A STUDY is a file (YAML), or one that comes with the program: kth-windows, kth-months, kth-october.
    DIR is the folder that a study was computed in.
    """
