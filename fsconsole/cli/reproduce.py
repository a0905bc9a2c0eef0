"""`fsconsole reproduce`: a paper's measurement, its figures and its claims."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.errors import REFUTED, UNUSABLE
from fsconsole.cli.progress import bar, progress_option
from fsconsole.cli.tables import print_json, print_table

if TYPE_CHECKING:
    from fsconsole.experiments.claims import Claim, Value
    from fsconsole.experiments.experiment import Result, Standing

_STATUS: dict[Standing, int] = {"nothing fails": 0, "paper fails": REFUTED, "ours fails": UNUSABLE}


@click.command("reproduce")
@click.argument("name", required=False)
@click.option("--list", "lists", is_flag=True, help="List all experiments.")
@click.option(
    "--by",
    "order",
    type=click.Choice(["paper", "question"]),
    default="paper",
    show_default=True,
    help="Group the list by paper or by question.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for figures and their data."
)
@click.option("--full", is_flag=True, help="Run as long as the paper did, where the default run is shorter.")
@click.option("--json", "as_json", is_flag=True, help="Print the claims as one JSON object.")
@progress_option
@click.pass_context
def command(
    ctx: click.Context,
    name: str | None,
    lists: bool,
    order: str,
    out: Path | None,
    full: bool,
    as_json: bool,
    progress: bool | None,
) -> None:
    """Repeat the experiment NAME and compare it with the paper's figures.

    A claim of "most" is not decided if a coin gives such a majority with a probability of 0.05 or more.
    Inputs repeat the settings of the run, and discrepancies are contradictions within a paper. Neither counts
    as a claim. If one of these or a number of ours fails, the program is at fault, and the exit status is 1.
    A claim of the paper that does not hold is a result: it is printed, and the exit status is 3.
    """
    from fsconsole.experiments.registry import UnknownExperiment, experiment_named

    if lists:
        _list(order, as_json=as_json)
        return
    if name is None:
        ctx.fail("give an experiment. --list shows all")
    try:
        experiment = experiment_named(name)
    except UnknownExperiment as error:
        raise click.UsageError(str(error)) from None
    with bar(1.0, wanted=progress, text="Running") as show:
        result = experiment.run(show, full=full)
    written = [] if out is None else _figures(result, out)
    _print(result, f"{experiment.title} ({experiment.paper})", written, as_json=as_json)
    ctx.exit(_STATUS[result.standing])


def _list(order: str, *, as_json: bool) -> None:
    from fsconsole.experiments.questions import by_paper, by_question, question_of
    from fsconsole.experiments.registry import experiments

    known = experiments()
    if as_json:
        print_json(
            [
                {"name": one.name, "title": one.title, "paper": one.paper, "question": question_of(one.name)}
                for one in known
            ]
        )
        return
    for title, items in (by_question if order == "question" else by_paper)(known):
        print_table(("Name", "Title"), [(item.name, item.title) for item in items], title, numbers=False)


def _figures(result: Result, out: Path) -> list[Path]:
    """Write each figure as PNG and SVG, and its data as CSV."""
    from fsconsole.figures.export import export_figure

    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    forms: tuple[Any, ...] = ("png", "svg", "csv")
    for figure in result.figures:
        for form in forms:
            written += export_figure(figure, out / f"{figure.name}.{form}", form)
    return list(dict.fromkeys(written))


def _print(result: Result, title: str, written: list[Path], *, as_json: bool) -> None:
    if as_json:
        print_json(result.to_json())
        return
    headers = ("Claim", "Expected", "Measured", "Tolerance", "Verdict", "From")
    print_table(headers, [_row(claim) for claim in result.claims], title)
    if result.text:
        print(result.text)
    for line in dict.fromkeys(line for claim in result.claims for line in _remarks(claim)):
        print(line)
    for note in result.notes:
        print(f"{'Ours' if note.kind == 'ours' else 'Paper'}: {note.text}")
    for claim in result.claims:
        if sentence := claim.explain():
            print(f"{claim.head()}: {sentence}")
    print(f"{result.tally()}.")
    if result.standing == "paper fails":
        print(f"Exit status {REFUTED}: claims of the paper do not hold here. This is a result, not a fault.")
    for path in written:
        print(f"Wrote {path}")


def _row(claim: Claim) -> tuple[str, ...]:
    unit = f" {claim.unit}" if claim.unit else ""
    tolerance = "" if claim.tolerance is None else f"{claim.tolerance:g}{unit}"
    expected, measured = (_value(claim, value, unit) for value in (claim.expected, claim.measured))
    return claim.text, expected, measured, tolerance, claim.describe_verdict(), claim.origin.describe()


def _remarks(claim: Claim) -> list[str]:
    """Return remarks on a claim's expected value and on its tolerance."""
    note = f"{claim.origin.describe()}: {claim.origin.note}" if claim.origin.note else ""
    why = f"tolerance of {claim.tolerance:g}: {claim.why_tolerance}" if claim.why_tolerance else ""
    return [f"Expected value, {note}"] * bool(note) + [f"{claim.text}, {why}"] * bool(why)


def _value(claim: Claim, value: Value, unit: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    many = value if isinstance(value, tuple) else (value,)
    return " / ".join(claim.shown(item) for item in many) + unit
