"""`fsconsole run report`: a recorded run as a report to read."""

from __future__ import annotations

from pathlib import Path

import click

from fsconsole.app.kinds import run_at
from fsconsole.cli.errors import UserError
from fsconsole.cli.reports import report_file, write
from fsconsole.cli.values import refuse_existing


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", type=report_file, required=True, metavar="FILE", help="File to write: .pdf or .html.")
@click.option(
    "--nodes", metavar="NAME,NAME", default="",
    help="Nodes in figures, by name or path. Default: those that the scenario plots.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace an existing FILE.")
def command(run: Path, out: Path, nodes: str, force: bool) -> None:
    """Write a report of the run folder RUN: findings, figures, what happened, settings.

    It ends with the commands that make it again. The same run gives the same bytes.
    """
    from fsconsole.app.reports.run_report import run_report

    refuse_existing(out, force=force)
    names = [name.strip() for name in nodes.split(",") if name.strip()]
    try:
        report = run_report(run_at(run), names)
    except LookupError as error:
        raise UserError(str(error.args[0])) from error
    write(report, out)
