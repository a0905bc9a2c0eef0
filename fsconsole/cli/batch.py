"""`fsconsole batch`: parallel jobs on a cluster."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.lazy import LazyGroup
from fsconsole.cli.reading import STDIN
from fsconsole.cli.traces import check_outputs, print_report, read, trace_options, write_findings
from fsconsole.cli.values import refuse_existing

if TYPE_CHECKING:
    from fsconsole.batch.traces.sacct import Counted

_COMMANDS = {
    "simulate": ("fsconsole.cli.batch_simulate", "Schedule the jobs of a trace under a policy."),
    "policies": ("fsconsole.cli.batch_policies", "List the policies, with a line about each."),
    "why": ("fsconsole.cli.batch_why", "Explain why a job has not started at a time."),
    "compare": ("fsconsole.cli.batch_compare", "Compare two schedules job by job."),
    "convert": ("fsconsole.cli.batch:convert", "Write a trace in the Standard Workload Format."),
    "generate": ("fsconsole.cli.batch_generate", "Generate a workload: a month of the paper, or a model."),
}


@click.group("batch", cls=LazyGroup, lazy=_COMMANDS)
def command() -> None:
    """Schedule parallel jobs on a cluster of nodes that no two jobs share.

    A TRACE is a file in the Standard Workload Format or what Slurm's `sacct -P` printed, also packed by gzip,
    bzip2 or xz; the name of one that comes with the program; or - for stdin.
    """


@click.command("convert")
@trace_options
@click.argument("target", metavar="OUT", required=False, type=click.Path(path_type=Path))
@click.option(
    "--out", "named", type=click.Path(path_type=Path), hidden=True, help="Older form of the argument OUT."
)
@click.option("--force", is_flag=True, help="Replace an existing OUT.")
def convert(
    trace: Path, procs: int | None, counted: Counted | None, dropped: Path | None, target: Path | None,
    named: Path | None, force: bool,
) -> None:  # fmt: skip
    """Write the jobs of TRACE that can be simulated to OUT (- for stdout) in the Standard Workload Format.

    Jobs are in the order of arrival. Jobs larger than the machine, that never ran or have not ended are left
    out and reported. OUT is gzipped if its name ends in .gz.
    """
    out = target or named
    if out is None or (target and named):
        msg = "Name one file to write, such as `fsconsole batch convert TRACE july.swf`"
        raise click.UsageError(msg)
    check_outputs(trace, None if out == STDIN else out, dropped)
    if out != STDIN:
        refuse_existing(out, force=force)
    imported = read(trace, procs, counted)
    from fsconsole.batch.traces.write_swf import swf_text, write_swf

    jobs = replace(imported.jobs, cluster_nodes=imported.cluster_nodes)
    if dropped is not None:
        write_findings(imported.report, dropped)
    if out == STDIN:
        sys.stdout.write(swf_text(jobs, wait_s=imported.wait_s))
    else:
        write_swf(jobs, out, wait_s=imported.wait_s)
    with redirect_stdout(sys.stderr if out == STDIN else sys.stdout):
        print_report(imported.report, to_file=dropped is not None)
        print(f"Wrote {'stdout' if out == STDIN else out}")
