"""`fsconsole run`: the commands about recorded runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.app.kinds import run_at
from fsconsole.cli.errors import print_problem
from fsconsole.cli.lazy import LazyGroup

if TYPE_CHECKING:
    from fsconsole.recording.run import RunReader

_COMMANDS = {
    "branch": ("fsconsole.cli.run_branch", "Branch a run at an instant, with changes."),
    "scenario": ("fsconsole.cli.run_scenario", "Print the scenario of a run."),
    "notes": ("fsconsole.cli.run_notes", "List, add and remove notes on a run."),
    "report": ("fsconsole.cli.run_report", "Write a report of a run as PDF or web page."),
    "diff": ("fsconsole.cli.run_diff", "Show where and by how much two runs differ."),
}


@click.group("run", cls=LazyGroup, lazy=_COMMANDS)
def command() -> None:
    """Branch, annotate, report on and compare recorded runs: the folders of `fsconsole simulate --out`."""


def run_of_any_number(path: Path, *, is_simulated: bool = False) -> RunReader:
    """Open a run folder; one of a newer format is reported, and read as far as possible."""
    run = run_at(path, is_simulated=is_simulated, is_any_number=True)
    if run.newer:
        print_problem(f"note: {run.newer}")
    return run
