"""Traces on the command line: the intended file, its reading, dropped jobs, and its workload."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.app.kinds import Kind, kind_named
from fsconsole.cli.errors import UserError
from fsconsole.cli.reading import STDIN, name_of, tree_of
from fsconsole.cli.values import input_file
from fsconsole.shares.files import write_atomic
from fsconsole.shares.input_files import read_whole
from fsconsole.text.csv_text import csv_of_rows

if TYPE_CHECKING:
    from fsconsole.batch.job_table import Floats, JobTable
    from fsconsole.batch.traces import Imported, ImportReport
    from fsconsole.batch.traces.sacct import Counted, Owners

DROPPED_COLUMNS = ("job_id", "line", "what", "kind", "reason")


def trace_file(text: str) -> Path:
    """Return a file that is there, `-` for stdin, or a trace that comes with the program; otherwise wrong
    use.
    """
    path = Path(text)
    if path.name != text or path.exists():
        return input_file(text)
    from fsconsole.batch.study.bundled import bundled_traces

    known = bundled_traces()
    named = text.removesuffix(".gz").removesuffix(".swf")
    if named in known:
        return known[named]
    try:
        return input_file(text)
    except click.BadParameter as error:
        msg = f"{error.message}. The program has {', '.join(known)}"
        raise click.BadParameter(msg) from None


def trace_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the trace and the remarks about it."""
    options = (
        click.argument("trace", type=trace_file),
        click.option(
            "--procs",
            type=click.IntRange(1, 10**9),
            metavar="N",
            help="Processors (nodes) of the machine. Default: from the header of the trace.",
        ),
        click.option(
            "--count",
            "counted",
            type=click.Choice(["cpus", "nodes"]),
            help="For sacct: unit that one simulated processor stands for. Default: cpus.",
        ),
        click.option(
            "--dropped",
            type=click.Path(path_type=Path, dir_okay=False),
            metavar="FILE.csv",
            help="File for each job that was dropped or repaired, with its line and reason.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def read(path: Path, procs: int | None, counted: Counted | None, owners: Owners = "users") -> Imported:
    """Read a trace; UserError with the reason where it cannot be used."""
    from fsconsole.batch.traces import TraceError, parse_trace

    data = sys.stdin.buffer.read() if path == STDIN else read_whole(path)
    try:
        with kind_named(path, "a trace of jobs", Kind.TRACE):
            return parse_trace(data, name_of(path), cluster_nodes=procs, counted=counted, owners=owners)
    except TraceError as error:
        raise UserError(str(error)) from None


def print_report(report: ImportReport, *, to_file: bool) -> None:
    """Print in a few lines the result for the jobs of a trace, and the way to get all of it."""
    for line in report.lines():
        print(line)
    if not to_file and (report.dropped or report.repaired):
        print("(--dropped FILE.csv writes each of these jobs, its line and why)")


def write_findings(report: ImportReport, path: Path) -> None:
    """Write dropped and repaired jobs as CSV, whole or not at all."""
    rows: list[tuple[object, ...]] = [DROPPED_COLUMNS]
    for what, findings in (("dropped", report.dropped), ("repaired", report.repaired)):
        rows += [(one.job_id, one.line, what, one.kind, one.reason) for one in findings]
    write_atomic(path, csv_of_rows(rows))


def check_outputs(trace: Path, *outputs: Path | None) -> None:
    """Check, before any computation, that files can be written and do not replace one another.

    Raises:
        UserError: the folder of a file is not there.
        click.UsageError: a file is a folder, the trace, or named twice.
    """
    taken = {} if trace == STDIN else {trace.resolve(): "the trace itself"}
    for path in outputs:
        if path is None:
            continue
        if path.is_dir():  # An empty name is accepted by click; it is the current folder.
            msg = f"{path} is a folder. Give a file to write"
            raise click.UsageError(msg)
        if not path.parent.is_dir():
            msg = f"{path}: the folder {path.parent} does not exist"
            raise UserError(msg)
        if path.resolve() in taken:
            msg = f"{path} is {taken[path.resolve()]}. Choose another name for each file to write"
            raise click.UsageError(msg)
        taken[path.resolve()] = "written already"


def jobs_of(imported: Imported, limit: int | None = None) -> JobTable:
    """Return the first jobs of a trace, or all; a usage error where the size of the machine is unknown."""
    from fsconsole.batch.job_table import first_jobs

    if imported.cluster_nodes is None:
        msg = f"{imported.report.name} does not give the number of processors. Give it with --procs"
        raise click.UsageError(msg)
    return imported.jobs if limit is None else first_jobs(imported.jobs, limit)


@contextmanager
def simulated(trace: str) -> Iterator[None]:
    """Raise UserError with the message of a ValueError, what cannot be simulated, that is raised within."""
    try:
        yield
    except ValueError as error:
        msg = f"{trace}: {error}"
        raise UserError(msg) from None


def second_in(jobs: JobTable, text: str, option: str) -> int:
    """Return the second of a trace for a date or a number of seconds; otherwise wrong use."""
    from fsconsole.batch.months import second_of

    try:
        return second_of(jobs, text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=option) from None


def shares_for(path: Path | None, jobs: JobTable) -> Floats | None:
    """Return shares [users] from a share tree, None for equal ones.

    Raises:
        UserError: the tree lacks a user.
    """
    if path is None:
        return None
    from fsconsole.batch.user_shares import shares_of

    tree = tree_of(path)
    try:
        return shares_of(tree, jobs.users)
    except ValueError as error:
        msg = f"{name_of(path)}: {error}"
        raise UserError(msg) from None
