"""`fsconsole why`: the reasons why a user goes before another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.errors import UserError
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.values import input_file, moment
from fsconsole.text.visible_text import visible

if TYPE_CHECKING:
    from fsconsole.app.why_columns import LevelColumn
    from fsconsole.machine.insight import Explanation, FactorRow, Level
    from fsconsole.machine.machine import Machine
    from fsconsole.shares.scenario.names import Names

_WHOSE = {"common": "both", "first": "first", "other": "other"}


@click.command("why")
@click.argument("source", type=click.Path(path_type=Path), metavar="SCENARIO-OR-RUN")
@click.argument("user")
@click.argument("other", required=False)
@click.option("--at", "at_s", type=moment, metavar="TIME", help="Time, such as 600s.")
@click.option("--policy", metavar="NAME", help="Policy. Default: from the scenario.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Setting to change, such as policy.half_life_s=8h.",
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
    """Explain why USER goes before OTHER, or after, on the machine of a scenario or a run folder.

    Users are named as in scenario files, by name or by path; a group stands for a user below it. Without
    OTHER only the factors of USER's increment are shown. Default time: 0 s in a scenario, where only the tree
    and usages in the file count, and the end of a run.

    For a week of a cluster's diary it prints what `slurm why` prints. There --at counts from Monday.
    """
    from fsconsole.machine.insight import why

    users = [(name, hint) for name, hint in ((user, "USER"), (other, "OTHER")) if name is not None]
    if source.is_dir():
        from fsconsole.app.kinds import Kind, kind_of

        if policy is not None or settings:
            msg = "a run keeps its settings: --policy and --set are for scenarios"
            raise click.UsageError(msg)
        if kind_of(source) is Kind.DIARY:
            _of_diary(source, user, other, at_s, as_json=as_json)
            return
        machine, nodes = _of_run(source, users, at_s)
    else:
        machine, nodes = _of_scenario(source, users, at_s or 0.0, policy, settings)
    found = why(machine, *nodes)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found)


def _of_diary(source: Path, user: str, other: str | None, at_s: float | None, *, as_json: bool) -> None:
    """Print the reasons for the order of users of a cluster."""
    from fsconsole.app.slurm_why.answer import NoAnswer
    from fsconsole.app.slurm_why.associations import why_user, why_users
    from fsconsole.app.slurm_why.facts import facts_of_diary
    from fsconsole.targets.slurm.diary_instant import instant_of

    facts = facts_of_diary(instant_of(source, at_s))
    try:
        answer = why_user(facts, user) if other is None else why_users(facts, user, other)
    except NoAnswer as error:
        raise UserError(str(error)) from None
    if as_json:
        print_json(answer.as_json())
    else:
        print(visible(answer.as_text()), end="")


def _of_run(source: Path, users: list[tuple[str, str]], at_s: float | None) -> tuple[Machine, list[int]]:
    """Return the machine of a run folder, and its users, including those who came while it ran."""
    from fsconsole.cli.machines import machine_at
    from fsconsole.shares.scenario.names import Names

    machine, _text = machine_at(source, at_s)
    names = Names(machine.tree)
    return machine, [_find(names, name, hint) for name, hint in users]


def _of_scenario(
    source: Path, users: list[tuple[str, str]], at_s: float, policy: str | None, settings: tuple[str, ...]
) -> tuple[Machine, list[int]]:
    from fsconsole.cli.reading import read
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
    from fsconsole.app.why_columns import by_usage, columns_for

    print(f"{found.policy_title} ({found.policy_source}), at {found.time_s:.1f} s")
    out = found.leaves_out_system
    columns = dict.fromkeys((*by_usage(leaves_out=out), *columns_for(found.policy, leaves_out=out)))
    level, *others = (column.title for column in columns)
    headers = (level, "Way", *others)
    print_table(headers, [_level_cells(level, tuple(columns)) for level in found.levels])
    factors = [(_factor_label(row), *row.texts, row.note) for row in found.factors]
    print_table(("Factor", *found.compared, "Note"), factors, numbers=False)
    if found.standing:
        print(found.standing)
    print(found.verdict)


def _factor_label(row: FactorRow) -> str:
    """Return the label of a factor: factors and their product have their signs before all other names."""
    return row.label if row.is_factor or row.is_result else f"  {row.label}"


def _level_cells(level: Level, columns: Sequence[LevelColumn]) -> tuple[str, ...]:
    name, *others = (column.text(level) for column in columns)
    return ("  " * (level.depth - 1) + name, _WHOSE[level.which], *others)
