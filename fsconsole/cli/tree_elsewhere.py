"""`fsconsole tree elsewhere`: the division of the machine under the rules of other schedulers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.errors import UserError
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.tree import from_option, named_format, with_option
from fsconsole.cli.tree_what_if import demand_options, demands_of, outlook_of
from fsconsole.cli.values import tree_source
from fsconsole.text.numbers import thousands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fsconsole.app.tree.elsewhere.rule import Division, Rule
    from fsconsole.app.tree.outlook import Outlook

_NAMES = ("share", "slurm-classic", "fair-tree", "sge", "kueue", "kai")


@click.command("elsewhere")
@click.argument("file", type=tree_source)
@from_option
@with_option
@demand_options
@click.option("--rule", "names", multiple=True, type=click.Choice(_NAMES), help="Rule to run. Default: all.")
@click.option(
    "--size",
    type=click.IntRange(1, 1_000_000),
    help="GPUs of KAI, workloads of Kueue. Default: from the quotas, else 10,000 or more.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object: rules and nodes.")
def command(
    file: Path, origin: str | None, more: tuple[Path, ...], demands: tuple[str, ...], report: str | None,
    names: tuple[str, ...], size: int | None, *, as_json: bool,
) -> None:  # fmt: skip
    """Divide the machine among the nodes of FILE by the rules of other schedulers.

    Each rule runs over the demands, which hold all the time; nodes without a demand are saturated. With one
    --rule, the table gives the reason of each part.
    """
    from fsconsole.app.tree.elsewhere.rule import CannotDivideError
    from fsconsole.app.tree.elsewhere.rules import rules_named
    from fsconsole.cli.reading import read_with_caveats

    scenario = read_with_caveats(file, named_format(origin), more)
    outlook = outlook_of(scenario.tree, demands_of(scenario, demands, report))
    asked, rules = outlook.asked(size), rules_named(names)
    found: list[tuple[Rule, Division | str]] = []
    for rule in rules:
        try:
            found.append((rule, rule.divide(asked)))
        except CannotDivideError as error:
            if len(rules) == 1:
                msg = f"{rule.title}: {str(error).rstrip('.')}."
                raise UserError(msg) from None
            found.append((rule, str(error).rstrip(".")))
    if as_json:
        print_json(_json(outlook, found))
    else:
        _print(outlook, found)


def _print(outlook: Outlook, found: Sequence[tuple[Rule, Division | str]]) -> None:
    from fsconsole.shares.demand_words import demand_text

    divided = [(rule, one) for rule, one in found if not isinstance(one, str)]
    alone = divided[0][1] if len(found) == 1 else None
    headers = ["Node", "Demand", "Entitled, %", *(f"{rule.title}, %" for rule, _ in divided)]
    table = []
    for row in outlook.table_rows:
        cells = [outlook.label(row), demand_text(outlook.demand(row))]
        cells += [_points(outlook.result.entitled[row]), *(_points(one.parts[row]) for _, one in divided)]
        table.append((*cells, alone.why.get(row, "")) if alone is not None else tuple(cells))
    print_table([*headers, "Why"] if alone is not None else headers, table)
    if not outlook.is_small:
        print(f"{len(table)} of {thousands(len(outlook.flat) - 1)} nodes. Use --json for all.")
    for rule, one in found:
        if isinstance(one, str):
            print(f"{rule.title}: {one}.")
            continue
        print(f"{rule.title}: {rule.source}.")
        for note in (*one.notes, f"Ours: {rule.ours}"):
            print(f"  {note}")


def _points(part: float) -> str:
    return f"{100 * part:.2f}"


def _json(outlook: Outlook, found: Sequence[tuple[Rule, Division | str]]) -> dict[str, Any]:
    """Return parts of the machine by rule, or the reason where a rule cannot divide."""
    rules = [
        {"name": rule.name, "title": rule.title, "source": rule.source, "ours": rule.ours}
        | ({"error": one} if isinstance(one, str) else {"notes": list(one.notes)})
        for rule, one in found
    ]
    divided = [(rule, one) for rule, one in found if not isinstance(one, str)]
    paths = outlook.tree.paths()
    nodes = [
        {
            "path": paths[node],
            "demand": float(outlook.result.demand[row]),
            "entitled": float(outlook.result.entitled[row]),
            "parts": {rule.name: float(one.parts[row]) for rule, one in divided},
            "why": {rule.name: one.why[row] for rule, one in divided if row in one.why},
        }
        for row, node in enumerate(outlook.flat.ids.tolist())
    ]
    return {"rules": rules, "nodes": nodes}
