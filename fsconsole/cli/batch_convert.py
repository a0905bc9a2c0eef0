"""`fsconsole batch convert`: traces as others want them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.traces import check_outputs, print_report, read, trace_options, write_findings

if TYPE_CHECKING:
    from fsconsole.batch.traces.sacct import Counted


@click.command("convert")
@trace_options
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE.swf",
    help="The file to write; gzipped where its name ends in .gz.",
)
def command(trace: Path, procs: int | None, counted: Counted | None, dropped: Path | None, out: Path) -> None:
    """Write the jobs of TRACE that can be simulated in the Standard Workload Format, in the order of arrival.

    Jobs larger than the machine, that never ran or have not ended are left out and told.
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
