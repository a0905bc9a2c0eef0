"""`fsconsole study export`: a study's results for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from fsconsole.cli.study_files import explained, folder_argument, opened


@click.command("export")
@folder_argument
@click.option(
    "--to", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER", help="Where; else into DIR."
)
def command(folder: Path, to: Path | None) -> None:
    """Write what is done of the study in DIR: results.csv, results.parquet, users.csv, users.parquet.

    A row of results is a cell, a row of users a user in a cell; units are in the names of the columns
    (_s seconds, _h hours, _nh node-hours).
    """
    from fsconsole.batch.study.run import export_tables

    stored = opened(folder)
    target = to or folder
    target.mkdir(parents=True, exist_ok=True)
    with explained():
        for path in export_tables(stored, target):
            print(f"Wrote {path}")
