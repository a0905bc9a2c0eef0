"""`fsconsole tree what-if`: the division of the machine if some cannot use their part."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fsconsole.cli.errors import UserError
from fsconsole.cli.reports import report_file, write
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.tree import from_option, named_format, with_option
from fsconsole.cli.values import refuse_existing, tree_source
from fsconsole.shares.scenario.names import Names
from fsconsole.text.nearest import nearest_or_all
from fsconsole.text.numbers import plain_signed

if TYPE_CHECKING:
    from fsconsole.app.tree.outlook import Outlook
    from fsconsole.shares.scenario.spec import DemandReport, Scenario
    from fsconsole.shares.tree import ShareTree

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Demands:
    """Demands by node id, inf where saturated, and the measured parts."""

    stated: dict[int, float]
    measured: dict[int, float]


def demand_options(function: F) -> F:
    """Add the options that state demands."""
    report = click.option(
        "--report", metavar="TITLE", help="Report in the scenario with demands. --demand is applied after it."
    )
    about = "Most that a node can use: saturated, idle, or percent of the machine, such as 2.08%."
    demand = click.option("--demand", "demands", multiple=True, metavar="PATH=DEMAND", help=about)
    return demand(report(function))


@click.command("what-if")
@click.argument("file", type=tree_source)
@from_option
@with_option
@demand_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: nodes and flows.")
@click.option("--out", type=report_file, metavar="FILE", help="File for a report: .pdf or .html.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def command(
    file: Path, origin: str | None, more: tuple[Path, ...], demands: tuple[str, ...], report: str | None,
    as_json: bool, out: Path | None, force: bool,
) -> None:  # fmt: skip
    """Divide the machine among the nodes of the tree in FILE.

    Nodes without a demand are saturated: they want all they can get. What a node leaves goes to its
    siblings that want more, in proportion to their shares, and down the tree.
    """
    from fsconsole.cli.reading import read_with_caveats

    if out is not None:
        refuse_existing(out, force=force)
    scenario = read_with_caveats(file, named_format(origin), more)
    asked = demands_of(scenario, demands, report)
    outlook = outlook_of(scenario.tree, asked)
    if as_json:
        print_json(_json(outlook, asked.measured))
    else:
        _print(outlook, asked.measured)
    if out is not None:
        from fsconsole.app.reports.tree_report import tree_report

        write(tree_report(scenario, outlook, file.stem), out)


def demands_of(scenario: Scenario, demands: tuple[str, ...], title: str | None) -> Demands:
    """Read demands of a report, and those given as PATH=DEMAND."""
    from fsconsole.shares.demand_words import demand_from
    from fsconsole.shares.saturation import demands_of_report, measured_in

    asked = Demands({}, {})
    if title is not None:
        report = report_titled(scenario, title)
        asked.stated.update(demands_of_report(report))
        asked.measured.update(measured_in(report))
    names = Names(scenario.tree)
    for text in demands:
        path, sign, value = text.rpartition("=")
        if not sign:
            msg = f"{text!r} is not PATH=DEMAND. Example: Army=4.19%"
            raise click.BadParameter(msg, param_hint="--demand")
        try:
            asked.stated[names.find(path).id] = demand_from(value)
        except (LookupError, ValueError) as error:
            raise click.BadParameter(str(error), param_hint="--demand") from None
    return asked


def report_titled(scenario: Scenario, title: str) -> DemandReport:
    """Return the report of demands with that title.

    Raises:
        UserError: there is none; the message has the nearest titles.
    """
    known = {report.title: report for report in scenario.reports}
    if title not in known:
        hint = nearest_or_all(title, known) if known else ". The scenario has no reports"
        msg = f"report {title!r} not found{hint}"
        raise UserError(msg)
    return known[title]


def outlook_of(tree: ShareTree, asked: Demands) -> Outlook:
    """Compute the division of the machine; groups with a demand below them are opened however wide
    they are.
    """
    import numpy as np

    from fsconsole.app.tree.outlook import Outlook
    from fsconsole.shares.flat import FlatTree
    from fsconsole.shares.saturation import saturated

    flat = FlatTree.of(tree)
    measured = np.full(len(flat), np.nan)
    for node, value in asked.measured.items():
        measured[flat.row_of[node]] = value
    return Outlook.of(tree, flat, saturated(flat), asked.stated, measured, widest=math.inf)


def _print(outlook: Outlook, measured: dict[int, float]) -> None:
    from fsconsole.shares.demand_words import demand_text
    from fsconsole.shares.saturation import SATURATED
    from fsconsole.shares.saturation_words import measured_sentence

    tree, flat, result = outlook.tree, outlook.flat, outlook.result
    table: list[tuple[str, ...]] = []
    differences: dict[int, float] = {}
    for row in outlook.rows.tolist():
        node, wants_more = int(flat.ids[row]), result.wants_more(row)
        demand = SATURATED if wants_more else float(result.demand[row])
        cells = [_points(value) for value in (result.entitled[row], result.what_if[row])]
        if measured:
            if node in measured:
                differences[node] = measured[node] - float(result.what_if[row])
            cells += [_points(measured.get(node)), _points(differences.get(node), signed=True)]
        table.append((tree.node(node).name, demand_text(demand), *cells))
    headers = ("Node", "Demand", "Entitled, %", "What if, %", "Measured, %", "Difference, points")
    print_table(headers[: len(table[0])] if table else headers[:4], table)
    for sentence in outlook.all_left:
        print(sentence)
    if differences:
        print(measured_sentence(tree, differences))


def _points(value: float | None, *, signed: bool = False) -> str:
    if value is None:
        return ""
    return plain_signed(100 * value, 2) if signed else f"{100 * value:.3f}"


def _json(outlook: Outlook, measured: dict[int, float]) -> dict[str, Any]:
    """Return fractions of the machine; flows are those among the rows of the table."""
    from fsconsole.shares.saturation import NOBODY

    flat, result = outlook.flat, outlook.result
    paths = outlook.tree.paths()
    names = {row: paths[node] for row, node in enumerate(flat.ids.tolist())}
    columns = (result.entitled, result.demand, result.what_if, result.left, result.received)
    keys = ("path", "entitled", "demand", "what_if", "left", "received")
    values = zip(names.values(), *(column.tolist() for column in columns), strict=True)
    nodes = [dict(zip(keys, row, strict=True)) for row in values]
    for row, node in enumerate(nodes):
        node["saturated"] = result.wants_more(row)
        node["measured"] = measured.get(int(flat.ids[row]))
    found = [
        {
            "from": names[flow.giver],
            "to": None if flow.taker == NOBODY else names[flow.taker],
            "amount": flow.amount,
        }
        for flow in outlook.flows
    ]
    return {"nodes": nodes, "flows": found}
