"""A trace as a workload on the command line: its jobs, seconds in it, shares of its users."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.failure import Unusable

if TYPE_CHECKING:
    from fsconsole.batch.job_table import Floats, JobTable
    from fsconsole.batch.traces import Imported


def jobs_of(imported: Imported, limit: int | None = None) -> JobTable:
    """The first jobs of a trace, or all; wrong use where nobody says how large the machine is."""
    from fsconsole.batch.job_table import first_jobs

    if imported.cluster_nodes is None:
        msg = (
            f"{imported.report.name} does not say how many processors the machine has; give them with --procs"
        )
        raise click.UsageError(msg)
    return imported.jobs if limit is None else first_jobs(imported.jobs, limit)


@contextmanager
def simulated(trace: str) -> Iterator[None]:
    """Turn what cannot be simulated into an answer."""
    try:
        yield
    except ValueError as error:
        msg = f"{trace}: {error}"
        raise Unusable(msg) from None


def second_in(jobs: JobTable, text: str, option: str) -> int:
    """The second of a trace that a date or a number of seconds stands for; otherwise wrong use."""
    from fsconsole.batch.months import second_of

    try:
        return second_of(jobs, text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=option) from None


def shares_for(path: Path | None, jobs: JobTable) -> Floats | None:
    """Shares of users from a share tree, None for equal ones; Unusable where the tree lacks a user."""
    if path is None:
        return None
    from fsconsole.batch.user_shares import shares_of
    from fsconsole.cli.reading import name_of, tree_of

    tree = tree_of(path)
    try:
        return shares_of(tree, jobs.users)
    except ValueError as error:
        msg = f"{name_of(path)}: {error}"
        raise Unusable(msg) from None
