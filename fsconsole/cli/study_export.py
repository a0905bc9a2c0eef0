"""`fsconsole study export`: all tables and all figures of a study as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fsconsole.cli.study import explained, folder_argument, opened

_TABLES = ("csv", "parquet", "md", "tex", "xlsx")
_FIGURES = ("svg", "pdf", "png", "csv", "parquet", "py")
_SIZE = click.FloatRange(20, 1000)


@click.command("export")
@folder_argument
@click.option(
    "--to",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Folder to write to. Default: DIR.",
)
@click.option(
    "--tables",
    "tables",
    type=click.Choice(_TABLES),
    multiple=True,
    help="Form of all tables: means, differences, those of the paper; and results and users, which are too "
    "long for md and tex. May be repeated.",
)
@click.option(
    "--figures",
    type=click.Choice(_FIGURES),
    multiple=True,
    help="Form of all figures, or of their data. May be repeated.",
)
@click.option("--against", metavar="POLICY", help="Policy that differences refer to. Default: FCFS-backfill.")
@click.option("--theme", type=click.Choice(["light", "dark", "print"]), default="light", help="Of figures.")
@click.option(
    "--width", "width_mm", type=_SIZE, default=174.0, metavar="MM", help="Width of figures. Default: 174."
)
@click.option(
    "--height", "height_mm", type=_SIZE, default=112.0, metavar="MM", help="Height of figures. Default: 112."
)
def command(
    folder: Path, to: Path | None, tables: tuple[Any, ...], figures: tuple[Any, ...], against: str | None,
    theme: Any, width_mm: float, height_mm: float,
) -> None:  # fmt: skip
    """Write what is done of the study in DIR as files; those of the same names are replaced.

    Without options: results.csv, results.parquet, users.csv and users.parquet. A row of results is a cell, a
    row of users a user in a cell; units are in the names of the columns (_s seconds, _h hours, _nh
    node-hours). py is a short script for matplotlib, with its data as CSV.
    """
    stored = opened(folder)
    target = to or folder
    target.mkdir(parents=True, exist_ok=True)
    if not tables and not figures:
        from fsconsole.batch.study.run import export_tables

        with explained():
            for path in export_tables(stored, target):
                print(f"Wrote {path}")
        return
    from fsconsole.app.study.export import (
        study_figures,
        study_tables,
        write_study_figures,
        write_study_tables,
    )
    from fsconsole.app.study.reading import read_state
    from fsconsole.app.study.significance import UnknownPolicyError
    from fsconsole.figures.spec import FigureStyle

    with explained():
        state = read_state(stored, stored.spec.name, stored.spec.about)
        try:
            found = study_tables(state, against or "") if tables else ()
        except UnknownPolicyError as error:
            raise click.BadParameter(str(error), param_hint="--against") from None
        for form in dict.fromkeys(tables):
            for path in write_study_tables(found, target, form):
                print(f"Wrote {path}")
        style = FigureStyle(theme=theme, width_mm=width_mm, height_mm=height_mm)
        drawn = study_figures(state) if figures else ()
        for form in dict.fromkeys(figures):
            for path in write_study_figures(drawn, target, form, style):
                print(f"Wrote {path}")
