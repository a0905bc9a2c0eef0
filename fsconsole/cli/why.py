"""`fsconsole why`: why a user goes before another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.values import input_file, moment

if TYPE_CHECKING:
    from fsconsole.machine.insight import Explanation, Level, Side
    from fsconsole.shares.scenario.names import Names

_WHOSE = {"common": "both", "first": "first", "other": "other"}


@click.command("why")
@click.argument("scenario", type=input_file)
@click.argument("user")
@click.argument("other", required=False)
@click.option("--at", "at_s", type=moment, default="0", metavar="TIME", help="Moment, such as 600s.")
@click.option("--policy", metavar="NAME", help="Policy in place of the scenario's.")
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting, such as policy.half_life_s=8h."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    scenario: Path,
    user: str,
    other: str | None,
    at_s: float,
    policy: str | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say why USER goes before OTHER, or after, on the machine of SCENARIO.

    Users are named as in scenario files, by name or by path; a group stands for a user below it. Without
    OTHER the factors of USER's increment alone are shown. At 0 s nothing has run: what shows follows from the
    tree and from usages in the file.
    """
    from fsconsole.cli.reading import read
    from fsconsole.cli.tables import print_json
    from fsconsole.machine.insight import why
    from fsconsole.machine.machine import machine_for
    from fsconsole.shares.scenario.names import Names
    from fsconsole.shares.scenario.settings import parse_setting

    given = read(scenario)
    names = Names(given.tree)
    nodes = [
        _find(names, name, hint) for name, hint in ((user, "USER"), (other, "OTHER")) if name is not None
    ]
    changes = dict(parse_setting(text) for text in settings)
    machine = machine_for(given, changes | ({"policy.name": policy} if policy is not None else {}))
    machine.advance_to(at_s)
    found = why(machine, *nodes)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)


def _find(names: Names, name: str, hint: str) -> int:
    try:
        return names.find(name).id
    except LookupError as error:
        raise click.BadParameter(str(error.args[0]), param_hint=hint) from None


def _print(found: Explanation) -> None:
    from fsconsole.cli.tables import print_table

    print(f"{found.policy_title} ({found.policy_source}), at {found.time_s:g} s")
    headers: tuple[str, ...] = (
        "Level",
        "Way",
        "Shares",
        "Machine, %",
        "Share, %",
        "Usage, %",
        "Usage / share",
    )
    is_feedback = found.policy == "feedback"
    if is_feedback:
        headers += ("Target", "Charged", "Actual", "Base")
    print_table(headers, [_level_cells(level, feedback=is_feedback) for level in found.levels])
    sides = [found.first] if found.other is None else [found.first, found.other]
    print_table(("Factor", *(side.name for side in sides), "Note"), _factor_rows(sides), numbers=False)
    if found.standing:
        print(found.standing)
    print(found.verdict)


def _level_cells(level: Level, *, feedback: bool) -> tuple[str, ...]:
    shares = f"{level.shares} of {level.of_counted}"
    parts = (level.machine_share, level.share, level.usage_part)
    cells = ["  " * (level.depth - 1) + level.name, _WHOSE[level.which], shares]
    cells += ["" if value != value else f"{100 * value:.3f}" for value in parts]
    cells.append(_figure(level.usage_over_share))
    if feedback:
        cells += [_figure(value) for value in (level.target, level.filtered, level.actual, level.base)]
    return tuple(cells)


def _factor_rows(sides: list[Side]) -> list[tuple[str, ...]]:
    """One row a factor, those of which the increment is the product with their sign."""
    rows: list[tuple[str, ...]] = []
    for factor in _all_factors(sides):
        own = [next((item for item in side.factors if item.key == factor.key), None) for side in sides]
        values = ["" if item is None else _figure(item.value) for item in own]
        notes = dict.fromkeys(item.note for item in own if item is not None and item.note)
        sign = "× " if factor.multiplies else "  "
        rows.append((sign + factor.label, *values, "; ".join(notes)))
    rows.append(("= increment", *(_figure(side.increment) for side in sides), "priority points a tick"))
    rows.append(("  nice", *(f"{side.nice}" for side in sides), ""))
    halves = [f"{side.priority_half_life_s:.3g} s" for side in sides]
    rows.append(("  priority half-life", *halves, ""))
    priorities = ["" if side.priority is None else _figure(side.priority) for side in sides]
    rows.append(("  priority now", *priorities, "of the next process to run; the lowest runs"))
    return rows


def _all_factors(sides: list[Side]) -> list[Any]:
    found = {factor.key: factor for side in reversed(sides) for factor in side.factors}
    order = dict.fromkeys(factor.key for side in sides for factor in side.factors)
    return [found[key] for key in order]


def _figure(value: float) -> str:
    return "" if value != value else f"{value:.6g}"
