"""`fsconsole export`: a plot of a run, or its data, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.errors import UserError, print_problem
from fsconsole.cli.run import run_of_any_number
from fsconsole.cli.values import refuse_existing
from fsconsole.recording.run_format import RunError
from fsconsole.shares.scenario.problems import ScenarioError

if TYPE_CHECKING:
    from fsconsole.recording.run import RunReader

_FORMATS = ("png", "svg", "pdf", "csv", "parquet", "py")


@click.command("export")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--plot", "quantity", required=True, metavar="NAME", help="Quantity, such as cpu_rate or charge."
)
@click.option(
    "--format", "form", type=click.Choice(_FORMATS), help="Format. Default: by the suffix of --out."
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="File to write.")
@click.option(
    "--node", "nodes", multiple=True, metavar="NAME", help="Node to plot. Default: the scenario's nodes."
)
@click.option("--theme", type=click.Choice(["light", "dark", "print"]), default="light", help="Colours.")
@click.option("--notes/--no-notes", default=False, help="Notes on the run as marks. Default: --no-notes.")
@click.option("--title", default="", help="Title of the plot. Default: the quantity.")
@click.option(
    "--leave-out-system/--with-system",
    default=None,
    help="Show or hide system groups. Default: from the scenario.",
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
def command(
    run: Path,
    quantity: str,
    form: str | None,
    out: Path,
    nodes: tuple[str, ...],
    theme: Any,
    notes: bool,
    title: str,
    leave_out_system: bool | None,
    force: bool,
) -> None:
    """Write a plot of the run folder RUN, or its data, to a file, and its origin beside it.

    py is a short script for matplotlib, with its data as CSV beside it.
    """
    refuse_existing(out, force=force)
    chosen: Any = form or out.suffix.removeprefix(".").lower()
    if chosen not in _FORMATS:
        msg = f"the suffix of {out} is not a known format. Choose one with --format"
        raise click.UsageError(msg)
    from fsconsole.figures.export import export_run
    from fsconsole.figures.spec import FigureStyle

    style = FigureStyle(theme=theme, notes=notes)
    try:
        reader = run_of_any_number(run)
        _must_hold_samples(reader)
        written = export_run(
            reader,
            quantity,
            chosen,
            out,
            style=style,
            nodes=nodes,
            leave_out_system=leave_out_system,
            title=title,
        )
    except (RunError, ScenarioError):
        raise
    except (ValueError, LookupError) as error:
        raise click.UsageError(str(error.args[0])) from None
    for gap in reader.gaps:
        print_problem(f"{run}: {gap.why}")
    for path in written:
        print(path)


def _must_hold_samples(reader: RunReader) -> None:
    """Refuse a folder without any sample that can be read, naming the files that are missing."""
    if any(len(frame) for frame in reader.frames(["time_s"])):
        return
    missing = "; ".join(gap.why for gap in reader.gaps)
    raise UserError(f"{reader.path} contains no samples{f': {missing}' if missing else ''}")
