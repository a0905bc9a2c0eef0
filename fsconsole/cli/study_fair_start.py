"""`fsconsole study fair-start`: fair start times of a study's runs."""

from __future__ import annotations

from pathlib import Path

import click

from fsconsole.cli.progress import bar, progress_option
from fsconsole.cli.study import explained, folder_argument, opened
from fsconsole.cli.study_run import executor_of, workers_option


@click.command("fair-start")
@folder_argument
@workers_option
@progress_option
def command(folder: Path, workers: int | None, progress: bool | None) -> None:
    """Compute fair start times of all runs done in DIR, and show the measures of fairness.

    The fair start time of a job is when it starts if no job arrives after it. Each job that waits is
    simulated once more, so that this takes longer than the study. What is there already stays; after Ctrl+C
    the same line goes on.
    """
    from fsconsole.batch.study.fair_starts import compute_fair_starts
    from fsconsole.cli.study_show import print_fairness

    stored = opened(folder)
    total = len(stored.finished())
    with (
        explained(),
        executor_of(workers, None) as executor,
        bar(total, wanted=progress, text="Runs") as show,
    ):
        compute_fair_starts(stored, executor, lambda done, _all: show(done))
    print_fairness(stored)
