"""`fsconsole why`: why a user goes before another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.values import moment
from fsconsole.text.numbers import percent

if TYPE_CHECKING:
    from fsconsole.app.why_columns import LevelColumn
    from fsconsole.machine.insight import Explanation, Factor, Level, Side
    from fsconsole.machine.machine import Machine
    from fsconsole.shares.scenario.names import Names

_WHOSE = {"common": "both", "first": "first", "other": "other"}


@click.command("why")
@click.argument("source", type=click.Path(path_type=Path), metavar="SCENARIO-OR-RUN")
@click.argument("user")
@click.argument("other", required=False)
@click.option("--at", "at_s", type=moment, metavar="TIME", help="Moment, such as 600s.")
@click.option("--policy", metavar="NAME", help="Policy in place of the scenario's.")
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting, such as policy.half_life_s=8h."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    source: Path,
    user: str,
    other: str | None,
    at_s: float | None,
    policy: str | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say why USER goes before OTHER, or after, on the machine of a scenario or a run folder.

    Users are named as in scenario files, by name or by path; a group stands for a user below it. Without
    OTHER the factors of USER's increment alone are shown. A scenario's machine stands at 0 s and a run's at
    its end, unless --at says otherwise; at 0 s what shows follows from the tree and from usages in the file.
    """
    from fsconsole.cli.tables import print_json
    from fsconsole.machine.insight import why

    users = [(name, hint) for name, hint in ((user, "USER"), (other, "OTHER")) if name is not None]
    if source.is_dir():
        if policy is not None or settings:
            msg = "a run keeps the settings it was made with: --policy and --set are for scenarios"
            raise click.UsageError(msg)
        machine, nodes = _of_run(source, users, at_s)
    else:
        machine, nodes = _of_scenario(source, users, at_s or 0.0, policy, settings)
    found = why(machine, *nodes)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)


def _of_run(source: Path, users: list[tuple[str, str]], at_s: float | None) -> tuple[Machine, list[int]]:
    """The machine of a run folder, and the users on it, who may have come while it ran."""
    from fsconsole.cli.machines import machine_at
    from fsconsole.shares.scenario.names import Names

    machine, _text = machine_at(source, at_s)
    names = Names(machine.tree)
    return machine, [_find(names, name, hint) for name, hint in users]


def _of_scenario(
    source: Path, users: list[tuple[str, str]], at_s: float, policy: str | None, settings: tuple[str, ...]
) -> tuple[Machine, list[int]]:
    from fsconsole.cli.reading import read
    from fsconsole.cli.values import input_file
    from fsconsole.machine.machine import machine_for
    from fsconsole.neardedicated.build import makers_of
    from fsconsole.shares.scenario.names import Names
    from fsconsole.shares.scenario.settings import parse_setting

    given = read(input_file(str(source)))
    names = Names(given.tree)
    nodes = [_find(names, name, hint) for name, hint in users]
    changes = dict(parse_setting(text) for text in settings)
    changes |= {"policy.name": policy} if policy is not None else {}
    machine = machine_for(given, changes, makers=makers_of(given))
    machine.advance_to(at_s)
    return machine, nodes


def _find(names: Names, name: str, hint: str) -> int:
    try:
        return names.find(name).id
    except LookupError as error:
        raise click.BadParameter(str(error.args[0]), param_hint=hint) from None


def _print(found: Explanation) -> None:
    from fsconsole.app.why_columns import BY_USAGE, columns_for
    from fsconsole.cli.tables import print_table

    print(f"{found.policy_title} ({found.policy_source}), at {found.time_s:.1f} s")
    columns = dict.fromkeys((*BY_USAGE, *columns_for(found.policy)))
    level, *others = (column.title for column in columns)
    headers = (level, "Way", *others)
    print_table(headers, [_level_cells(level, tuple(columns)) for level in found.levels])
    sides = found.sides
    print_table(("Factor", *(side.name for side in sides), "Note"), _factor_rows(sides), numbers=False)
    if found.standing:
        print(found.standing)
    print(found.verdict)


def _level_cells(level: Level, columns: Sequence[LevelColumn]) -> tuple[str, ...]:
    name, *others = (column.text(level) for column in columns)
    return ("  " * (level.depth - 1) + name, _WHOSE[level.which], *others)


def _factor_rows(sides: Sequence[Side]) -> list[tuple[str, ...]]:
    """One row a factor, those of which the increment is the product with their sign."""
    from fsconsole.machine.insight import factor_lines

    rows: list[tuple[str, ...]] = []
    for line in factor_lines(sides):
        values = ["" if item is None else _value(item) for item in line.own]
        notes = dict.fromkeys(item.note for item in line.own if item is not None and item.note)
        sign = "× " if line.multiplies else "  "
        rows.append((sign + line.label, *values, "; ".join(notes)))
    rows.append(("= increment", *(_figure(side.increment) for side in sides), "priority points a tick"))
    rows.append(("  nice", *(f"{side.nice}" for side in sides), ""))
    halves = [f"{side.priority_half_life_s:.3g} s" for side in sides]
    rows.append(("  priority half-life", *halves, ""))
    priorities = ["" if side.priority is None else _figure(side.priority) for side in sides]
    rows.append(("  priority now", *priorities, "of the next process to run; the lowest runs"))
    return rows


def _value(factor: Factor) -> str:
    return f"{_percent(factor.value)} %" if factor.is_part else _figure(factor.value)


def _percent(fraction: float) -> str:
    return "" if fraction != fraction else percent(fraction, 3, unit=False)


def _figure(value: float) -> str:
    """Four significant digits, with a letter from 10^6 on; --json has them all."""
    from fsconsole.machine.shell.text import si

    return "" if value != value else si(value)
