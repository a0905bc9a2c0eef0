"""`fsconsole run`: the commands about recorded runs."""

from __future__ import annotations

import click

from fsconsole.cli.lazy import LazyGroup

_COMMANDS = {
    "branch": ("fsconsole.cli.run_branch", "Branch a run at an instant, with changes."),
    "notes": ("fsconsole.cli.run_notes", "List, add and remove notes on a run."),
    "report": ("fsconsole.cli.run_report", "Write a report of a run as PDF or web page."),
    "diff": ("fsconsole.cli.run_diff", "Show where and by how much two runs differ."),
}


@click.group("run", cls=LazyGroup, lazy=_COMMANDS)
def command() -> None:
    """Branch, annotate, report on and compare recorded runs: the folders of `fsconsole simulate --out`."""
