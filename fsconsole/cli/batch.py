"""`fsconsole batch`: parallel jobs on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.lazy import LazyGroup
from fsconsole.cli.traces import check_outputs, print_report, read, trace_options, write_findings

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

    A TRACE is a file in the Standard Workload Format or what Slurm's `sacct -P` printed, gzipped or not; the
    name of one that comes with the program; or - for stdin.
    """


@click.command("convert")
@trace_options
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE.swf",
    help="File to write. Gzipped if its name ends in .gz.",
)
def convert(trace: Path, procs: int | None, counted: Counted | None, dropped: Path | None, out: Path) -> None:
    """Write the jobs of TRACE that can be simulated in the Standard Workload Format, in the order of arrival.

    Jobs larger than the machine, that never ran or have not ended are left out and reported.
    """
    check_outputs(trace, out, dropped)
    imported = read(trace, procs, counted)
    from dataclasses import replace

    from fsconsole.batch.traces import write_swf

    jobs = replace(imported.jobs, cluster_nodes=imported.cluster_nodes)
    write_swf(jobs, out, wait_s=imported.wait_s)
    if dropped is not None:
        write_findings(imported.report, dropped)
    print_report(imported.report, to_file=dropped is not None)
    print(f"Wrote {out}")
