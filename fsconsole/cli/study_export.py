"""`fsconsole study export`: all tables and all figures of a study as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.study import explained, folder_argument, opened
from fsconsole.shares.files import is_there

if TYPE_CHECKING:
    from fsconsole.app.study.export import StudyTable
    from fsconsole.app.study.state import StudyState

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
@click.option("--force", is_flag=True, help="Replace files that may hold more than this export.")
def command(
    folder: Path, to: Path | None, tables: tuple[Any, ...], figures: tuple[Any, ...], against: str | None,
    theme: Any, width_mm: float, height_mm: float, force: bool,
) -> None:  # fmt: skip
    """Write what is done of the study in DIR as files; those of the same names are replaced.

    Tables with more rows than the new ones are not replaced. While cells are not done, no other file is.

    Without options: results.csv, results.parquet, users.csv and users.parquet. A row of results is a cell, a
    row of users a user in a cell; units are in the names of the columns (_s seconds, _h hours, _nh
    node-hours). py is a short script for matplotlib, with its data as CSV.
    """
    stored = opened(folder)
    target = to or folder
    with explained():
        stored.check_results()
    target.mkdir(parents=True, exist_ok=True)
    if not tables and not figures:
        from fsconsole.batch.study.run import export_tables

        with explained():
            for path in export_tables(stored, target, replaces_fuller=force):
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
        drawn = study_figures(state) if figures else ()
        if not force:
            _check_there(state, target, found, tables, [spec.name for spec in drawn], figures)
        for form in dict.fromkeys(tables):
            for path in write_study_tables(found, target, form):
                print(f"Wrote {path}")
        style = FigureStyle(theme=theme, width_mm=width_mm, height_mm=height_mm)
        for form in dict.fromkeys(figures):
            for path in write_study_figures(drawn, target, form, style):
                print(f"Wrote {path}")


def _check_there(
    state: StudyState, target: Path, found: Sequence[StudyTable], tables: Sequence[str],
    drawn: Sequence[str], figures: Sequence[str],
) -> None:  # fmt: skip
    """Raise StudyError if a file there may hold more than the export: it has more rows, or it cannot be
    compared and the study is not complete.
    """
    from fsconsole.batch.study.spec import StudyError
    from fsconsole.batch.study.tables import check_fuller

    others = [target / f"{name}.{form}" for form in figures for name in drawn]
    for form in tables:
        if form in ("csv", "parquet"):
            for table in found:
                check_fuller(target / f"{table.name}.{form}", table.frame.height)
        else:
            others += [target / f"{name}.{form}" for name in ("tables", *(table.name for table in found))]
    done = state.count()["done"]
    if done < len(state.cells) and (there := next(filter(is_there, others), None)) is not None:
        msg = (
            f"{there} is not replaced: {done} of {len(state.cells)} cells are done. Choose another folder "
            "with --to, or use --force"
        )
        raise StudyError(msg)
