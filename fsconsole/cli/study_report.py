"""`fsconsole study report`: the findings of a study, as PDF or HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fsconsole.cli.reports import report_file, write
from fsconsole.cli.study import explained, folder_argument, opened
from fsconsole.cli.values import refuse_existing


@click.command("report")
@folder_argument
@click.option("--out", type=report_file, required=True, help="File to write: .pdf or .html.")
@click.option("--against", metavar="POLICY", help="Policy to compare with. Default: FCFS-backfill.")
@click.option("--theme", type=click.Choice(["light", "print"]), default="light", help="Colours of figures.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def command(folder: Path, out: Path, against: str | None, theme: Any, force: bool) -> None:
    """Write what the study in DIR found as a report.

    It has the findings in sentences, then figures, tables, settings, and the commands to make it again. The
    same results give the same file, byte for byte.
    """
    from fsconsole.app.reports.study_report import study_report
    from fsconsole.app.study.significance import UnknownPolicyError
    from fsconsole.figures.spec import FigureStyle

    refuse_existing(out, force=force)
    with explained():
        try:
            made = study_report(opened(folder), against=against or "", style=FigureStyle(theme=theme))
        except UnknownPolicyError as error:
            raise click.BadParameter(str(error), param_hint="--against") from None
    write(made, out)
