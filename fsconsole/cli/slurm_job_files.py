"""`fsconsole slurm job script` and `output`: a job's batch script, and the end of its output."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from fsconsole.cli.cluster import in_thread, refuse_capture, tools_of, via_option
from fsconsole.cli.errors import UserError, print_problem
from fsconsole.text.visible_text import visible

if TYPE_CHECKING:
    from fsconsole.targets.slurm.tools import Run

T = TypeVar("T")


@click.command("script")
@click.argument("job", metavar="JOB")
@via_option
def script(job: str, via: tuple[str, ...]) -> None:
    """Print the batch script of a job."""
    from fsconsole.targets.slurm.job_files import read_script

    click.echo(visible(_asked(via, lambda run: read_script(run, job))).rstrip("\n"))


@click.command("output")
@click.argument("job", metavar="JOB")
@via_option
@click.option(
    "--bytes",
    "most",
    type=click.IntRange(1, 1 << 19),
    default=64 << 10,
    show_default=True,
    help="Length of its end to read.",
)
def output(job: str, via: tuple[str, ...], most: int) -> None:
    """Print the end of a job's output.

    The name of the output file is printed on stderr. Only a regular file that belongs to the user of the job
    is read.
    """
    from fsconsole.targets.slurm.job_files import read_output

    found = _asked(via, lambda run: read_output(run, job, most))
    print_problem(found.remark or (f"{found.path} (only the end)" if found.is_cut else found.path))
    if found.text:
        click.echo(visible(found.text).rstrip("\n"))


def _asked(via: tuple[str, ...], question: Callable[[Run], T]) -> T:
    from fsconsole.targets.slurm.tools import ToolError

    refuse_capture(via, "scripts and output of jobs")
    tools = tools_of(via)
    try:
        return in_thread(lambda: question(tools.run), tools)
    except ToolError as error:
        raise UserError(str(error)) from error
