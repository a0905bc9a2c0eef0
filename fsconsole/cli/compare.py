"""`fsconsole compare`: policies, settings and recorded runs side by side on one scenario."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.app.kinds import run_at
from fsconsole.cli.errors import UserError
from fsconsole.cli.progress import bar, progress_option
from fsconsole.cli.reading import scenario_of, warn_of_unstable
from fsconsole.cli.reports import report_file, write
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.values import duration, input_file, moment, refuse_existing
from fsconsole.shares.files import write_atomic
from fsconsole.shares.scenario.policy_spec import POLICY_NAMES
from fsconsole.shares.scenario.spec import digest
from fsconsole.text.csv_text import csv_of_rows
from fsconsole.text.numbers import fixed, plain_signed

if TYPE_CHECKING:
    from fsconsole.experiments.comparing import ComparedNode, Comparison, Variant
    from fsconsole.shares.scenario.spec import Scenario

_FORMS = ("svg", "png", "pdf", "csv", "parquet")


@click.command("compare")
@click.argument("scenario", type=input_file)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="NAME",
    help=f"Policy to run. May be repeated. Policies: {', '.join(POLICY_NAMES)}.",
)
@click.option(
    "--variant",
    "written",
    multiple=True,
    metavar="NAME:KEY=VALUE,…",
    help="Settings to run under a name, such as off:policy.adjgroups=off. NAME: alone runs the scenario "
    "unchanged.",
)
@click.option(
    "--run",
    "folders",
    multiple=True,
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Recorded run to show beside the variants. May be repeated.",
)
@click.option(
    "--seeds",
    type=click.IntRange(1, 200),
    default=1,
    metavar="N",
    help="Number of seeds for each variant, on all cores. Values are medians, with bands from the 5th "
    "to the 95th percentile. Default: 1.",
)
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", help="Processes for --seeds. Default: one per core."
)
@click.option("--until", type=duration, metavar="TIME", help="Simulated time. Default: from the scenario.")
@click.option(
    "--from",
    "since",
    type=moment,
    default="0",
    metavar="TIME",
    help="Time from which CPU time is counted. Default: the start.",
)
@click.option("--nodes", metavar="NAME,NAME", help=(
    "Nodes to show, by name or path. Default: all; in "
    "plots those of the scenario."
))  # fmt: skip
@click.option(
    "--quantity", default="cpu_rate", metavar="NAME", help="Quantity for --plot. Default: cpu_rate."
)
@click.option("--json", "as_json", is_flag=True, help="Print the table as one JSON object.")
@click.option("--csv", "table", type=click.Path(path_type=Path), help="File for the table.")
@click.option("--plot", type=click.Path(path_type=Path), help=f"File for the curves: {', '.join(_FORMS)}.")
@click.option("--report", type=report_file, metavar="FILE", help="File for a report: .pdf or .html.")
@click.option("--force", is_flag=True, help="Replace existing files.")
@progress_option
def command(
    scenario: Path,
    policies: tuple[str, ...],
    written: tuple[str, ...],
    folders: tuple[Path, ...],
    seeds: int,
    workers: int | None,
    until: float | None,
    since: float,
    nodes: str | None,
    quantity: str,
    as_json: bool,
    table: Path | None,
    plot: Path | None,
    report: Path | None,
    force: bool,
    progress: bool | None,
) -> None:
    """Run two to four variants of the scenario in a file (- for stdin) side by side.

    Policies come first (A, B …), then variants, then recorded runs; differences are against A.
    CPU is the part of all CPU time from --from to --until, usage and charge are those at the end.
    """
    from fsconsole.app.comparison import compare_sources
    from fsconsole.app.ensemble import EnsembleError

    _check_files(table, plot, report, force=force)
    _check_quantity(quantity)
    variants = [*map(_of_policy, policies), *map(_variant, written), *map(_of_run, folders)]
    found, text = scenario_of(scenario)
    until_s = found.plot.until_s if until is None else until
    if since >= until_s:
        msg = f"--from {since:g} s must be before the end, {until_s:g} s"
        raise click.UsageError(msg)
    chosen = _nodes(found, nodes)
    with bar(1.0, wanted=progress, text="Running") as show:
        try:
            comparison = compare_sources(
                found, variants, until_s, seeds=seeds, digest=digest(text), workers=workers, progress=show
            )
        except EnsembleError as error:
            raise UserError(str(error)) from error
    warn_of_unstable(found.with_settings(variant.settings).policy for variant in variants)
    rows = comparison.table(since, until_s, chosen, leave_out_system=found.plot.leave_out_system)
    _print(comparison, rows, comparison.range_s(since, until_s), as_json=as_json)
    if table is not None:
        _write_table(comparison, rows, table)
    if plot is not None:
        _write_plot(comparison, quantity, chosen, plot)
    if report is not None:
        from fsconsole.app.reports.comparison_report import comparison_report

        write(comparison_report(comparison, comparison.range_s(since, until_s), nodes=chosen), report)


def _check_files(table: Path | None, plot: Path | None, report: Path | None, *, force: bool) -> None:
    """Check the files before a long run, not after it."""
    for path in (table, plot, report):
        if path is not None:
            refuse_existing(path, force=force)
    if plot is not None and plot.suffix.removeprefix(".").lower() not in _FORMS:
        msg = f"the suffix of {plot} must be one of {', '.join(_FORMS)}"
        raise click.UsageError(msg)


def _check_quantity(name: str) -> None:
    from fsconsole.figures.quantities import quantity_named

    try:
        quantity_named(name)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _of_run(folder: Path) -> Variant:
    from fsconsole.app.comparison import named_run

    return named_run(run_at(folder, is_simulated=True).path)


def _of_policy(name: str) -> Variant:
    from fsconsole.experiments.comparing import Variant
    from fsconsole.policies.registry import policy_named

    policy_named(name)
    return Variant(name, {"policy.name": name})


def _variant(written: str) -> Variant:
    from fsconsole.experiments.comparing import Variant, parse_settings

    name, colon, settings = written.partition(":")
    if not colon or not name.strip() or "=" in name:
        msg = (
            f"{written!r} is not a variant. Write NAME:KEY=VALUE,KEY=VALUE. Example: off:policy.adjgroups=off"
        )
        raise click.UsageError(msg)
    return Variant(name.strip(), parse_settings(settings))


def _nodes(scenario: Scenario, written: str | None) -> tuple[int, ...] | None:
    if written is None:
        return None
    try:
        return tuple(scenario.tree.find(name.strip()).id for name in written.split(","))
    except LookupError as error:
        raise click.UsageError(str(error.args[0])) from None


def _print(
    comparison: Comparison, rows: tuple[ComparedNode, ...], span: tuple[float, float], *, as_json: bool
) -> None:
    if as_json:
        print_json(_plain(comparison, rows, span))
        return
    title = comparison.scenario.title
    without = ", without system groups" if comparison.scenario.plot.leave_out_system else ""
    heading = f"{title}: CPU from {span[0]:g} to {span[1]:g} s{without}, {_seeds_words(comparison)}"
    print_table(_headers(comparison), [_row(row, comparison.seeds) for row in rows], heading)
    for letter, variant in comparison.lettered():
        print(f"{letter} {variant.name}: {variant.settings_text or 'as the scenario is'}")
    for remark in comparison.remarks:
        print(remark)


def _seeds_words(comparison: Comparison) -> str:
    seed = comparison.scenario.seed
    if comparison.seeds == 1:
        return f"seed {seed}"
    last = seed + comparison.seeds - 1
    return f"medians of seeds {seed} to {last}, with 5th and 95th percentile"


def _headers(comparison: Comparison) -> tuple[str, ...]:
    lettered = comparison.lettered()
    parts = [
        f"{letter} {variant.name}\n{what}"
        for letter, variant in lettered
        for what in ("CPU, %", "5 to 95 %")[: 1 + (comparison.seeds > 1)]
    ]
    differences = [f"{letter} - A\npoints" for letter, _ in lettered[1:]]
    charges = [f"{letter} charge\nCPU s" for letter, _ in lettered]
    return ("Node", *parts, *differences, *charges)


def _row(row: ComparedNode, seeds: int) -> tuple[str, ...]:
    *above, name = row.path.split("/")
    parts = []
    for value, band in zip(row.cpu, row.cpu_bands, strict=True):
        parts.append(f"{100 * value:.2f}")
        if seeds > 1:
            parts.append("" if band is None else f"{100 * band[0]:.2f} to {100 * band[1]:.2f}")
    differences = [plain_signed(100 * value, 2) for value in row.differences()]
    return ("  " * len(above) + name, *parts, *differences, *(f"{fixed(value, 1)}" for value in row.charge))


def _plain(
    comparison: Comparison, rows: tuple[ComparedNode, ...], span: tuple[float, float]
) -> dict[str, Any]:
    variants = [
        {"letter": letter, "name": one.name, "settings": one.settings_text}
        for letter, one in comparison.lettered()
    ]
    nodes = [
        {
            "path": row.path,
            "cpu_fraction": row.cpu,
            "cpu_band": row.cpu_bands,
            "difference": row.differences(),
            "usage": row.usage,
            "charge": row.charge,
        }
        for row in rows
    ]
    scenario = comparison.scenario
    start, end = span
    return {
        "scenario": scenario.title,
        "seed": scenario.seed,
        "seeds": comparison.seeds,
        "remarks": comparison.remarks,
        "from_s": start,
        "until_s": end,
        "variants": variants,
        "nodes": nodes,
    }


def _write_table(comparison: Comparison, rows: tuple[ComparedNode, ...], path: Path) -> None:
    """Write one line per node, with all digits and units in the header."""
    called = [f"{letter} {variant.name}" for letter, variant in comparison.lettered()]
    units = (("cpu_fraction", ""), ("usage", " [cost units]"), ("charge", " [CPU s]"))
    titles = ["node", *(f"{name} {what}{unit}" for what, unit in units for name in called)]
    values: list[list[Any]] = [[row.path, *row.cpu, *row.usage, *row.charge] for row in rows]
    if comparison.seeds > 1:
        titles += [f"{name} cpu_fraction {end}" for name in called for end in ("5 %", "95 %")]
        for line, row in zip(values, rows, strict=True):
            line += [end for band in row.cpu_bands for end in band or ("", "")]
    write_atomic(path, csv_of_rows([titles, *values]))


def _write_plot(comparison: Comparison, quantity: str, nodes: tuple[int, ...] | None, path: Path) -> None:
    from fsconsole.figures.export import export_figure
    from fsconsole.figures.of_nodes import plotted_nodes

    scenario = comparison.scenario
    form: Any = path.suffix.removeprefix(".").lower()
    leave_out = scenario.plot.leave_out_system
    figure = comparison.figure(quantity, nodes or plotted_nodes(scenario), leave_out_system=leave_out)
    export_figure(figure, path, form)
