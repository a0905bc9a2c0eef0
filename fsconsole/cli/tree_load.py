"""`fsconsole tree load`: working times of users on the machine of a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.errors import UserError
from fsconsole.cli.traces import print_report, read, trace_file
from fsconsole.cli.values import duration, moment, refuse_existing, tree_source
from fsconsole.shares.files import write_atomic
from fsconsole.shares.scenario.names import Names
from fsconsole.text.durations import in_words
from fsconsole.text.nearest import nearest_or_all

if TYPE_CHECKING:
    from fsconsole.app.load.plan import Session
    from fsconsole.batch.traces.sacct import Counted, Owners
    from fsconsole.shares.scenario.spec import Scenario

_PROFILES = ("always", "office", "day", "night")


def _from(text: str) -> float | None:
    """Read seconds of the trace; None for its busiest day."""
    return None if text == "busiest" else moment(text)


@click.command("load")
@click.argument("file", metavar="TREE", type=tree_source)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Scenario to write.")
@click.option(
    "--user",
    "users",
    multiple=True,
    metavar="PATH",
    help="User, or group for all users below it. May be repeated. Default: all.",
)
@click.option(
    "--each",
    type=click.IntRange(1, 100_000),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes of each user.",
)
@click.option(
    "--profile",
    type=click.Choice(_PROFILES),
    default="always",
    show_default=True,
    help="Hours in which users work.",
)
@click.option(
    "--hours", multiple=True, metavar="LINE", help="Other hours, such as 'mon-fri 08:00-18:00 0.5'."
)
@click.option("--report", metavar="TITLE", help="Report in TREE whose demands replace --profile.")
@click.option(
    "--from-trace",
    "trace",
    type=trace_file,
    metavar="TRACE",
    help="Trace (SWF, sacct -P) whose jobs replace --each.",
)
@click.option(
    "--from",
    "from_s",
    type=_from,
    default="busiest",
    show_default=True,
    metavar="TIME",
    help="Time of the trace at which the run begins, such as 3 d.",
)
@click.option(
    "--by",
    "owners",
    type=click.Choice(["users", "accounts"]),
    default="users",
    show_default=True,
    help="Names of the trace to match. SWF has only users.",
)
@click.option(
    "--map",
    "maps",
    multiple=True,
    metavar="NAME=PATH",
    help="Node for a name of the trace. NAME= leaves the name out.",
)
@click.option(
    "--unmatched",
    type=click.Choice(["leave-out", "deal"]),
    default="leave-out",
    show_default=True,
    help="Treatment of names without a node.",
)
@click.option(
    "--procs",
    type=click.IntRange(1, 10**9),
    metavar="N",
    help="Processors of the trace's machine. Default: from its header.",
)
@click.option(
    "--count",
    "counted",
    type=click.Choice(["cpus", "nodes"]),
    help="Unit of sacct that counts as a processor. Default: cpus.",
)
@click.option(
    "--until",
    "until_s",
    type=duration,
    metavar="TIME",
    help="Length of the run. Default: from TREE; 1 d with a trace.",
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
def command(file: Path, out: Path, force: bool, **options: Any) -> None:
    """Plan what the users in TREE run, and write it with the tree as a scenario.

    What the users had planned is replaced; people with several accounts keep theirs. A trace's job of N
    processors becomes N processes, fewer where the machine has fewer processors than the trace's. What is
    matched and what is left out is printed.
    """
    from fsconsole.app.load.proposal import leaves_of, propose
    from fsconsole.cli.reading import read
    from fsconsole.shares.scenario.write import write_text

    refuse_existing(out, force=force)
    scenario = read(file)
    leaves = leaves_of(scenario.tree, [_node(scenario, path, "--user") for path in options["users"]])
    if not leaves:
        msg = f"{file}: no users to plan for. Add users to the tree, or choose a group with users."
        raise UserError(msg)
    until_s = options["until_s"] or (86400.0 if options["trace"] is not None else scenario.plot.until_s)
    try:
        sessions = _sessions(scenario, leaves, until_s, options)
        proposal = propose(scenario, sessions, until_s)
    except ValueError as error:
        raise UserError(str(error)) from None
    for line in proposal.lines:
        print(line)
    write_atomic(out, write_text(proposal.scenario))


def _sessions(
    scenario: Scenario, leaves: Sequence[int], until_s: float, options: Mapping[str, Any]
) -> Mapping[int, Sequence[Session]]:
    if options["trace"] is not None and options["report"] is not None:
        msg = "--from-trace and --report exclude each other"
        raise click.UsageError(msg)
    if options["trace"] is not None:
        return _of_trace(scenario, leaves, until_s, options)
    if options["report"] is not None:
        return _of_report(scenario, leaves, options["report"], options["each"])
    from fsconsole.app.load.hours import PROFILES, parse_hours, same_for_each

    lines = parse_hours("\n".join(options["hours"]))
    lines = lines or next(one.lines for one in PROFILES if one.key == options["profile"])
    return same_for_each(leaves, options["each"], lines, scenario.machine.start, until_s)


def _of_report(
    scenario: Scenario, leaves: Sequence[int], title: str, each: int
) -> Mapping[int, Sequence[Session]]:
    from fsconsole.app.load.demands import sessions_of_demands
    from fsconsole.cli.tree_what_if import report_titled
    from fsconsole.shares.saturation import demands_of_report

    demands = demands_of_report(report_titled(scenario, title))
    return sessions_of_demands(scenario.tree, leaves, demands, scenario.machine.cpus, each)


def _of_trace(
    scenario: Scenario, leaves: Sequence[int], until_s: float, options: Mapping[str, Any]
) -> Mapping[int, Sequence[Session]]:
    from fsconsole.app.load.trace import (
        Extract,
        busiest_day,
        left_out_lines,
        match_lines,
        match_owners,
        sessions_of_trace,
    )

    tree = scenario.tree
    counted: Counted | None = options["counted"]
    owners: Owners = options["owners"]
    imported = read(options["trace"], options["procs"], counted, owners)
    print_report(imported.report, to_file=True)
    jobs = imported.jobs
    from_s = busiest_day(jobs) if options["from_s"] is None else options["from_s"]
    extract = Extract.of(jobs, from_s, until_s)
    given = _given(scenario, options["maps"], frozenset(jobs.users), leaves)
    matches = match_owners(tree, leaves, extract.owners, given, deal=options["unmatched"] == "deal")
    print(f"The run begins at {in_words(from_s)} into the trace.")
    for line in (*left_out_lines(extract), *match_lines(matches, owners=owners.removesuffix("s"))):
        print(line)
    if all(match.node is None for match in matches):
        msg = "no name of the trace matches a node. Use --map NAME=PATH, or --unmatched deal"
        raise UserError(msg)
    return sessions_of_trace(tree, leaves, extract, matches, scenario.machine.cpus, imported.cluster_nodes)


def _given(
    scenario: Scenario, maps: Sequence[str], known: frozenset[str], leaves: Sequence[int]
) -> dict[str, int | None]:
    from fsconsole.app.load.proposal import leaves_of

    found: dict[str, int | None] = {}
    for text in maps:
        name, sign, path = text.partition("=")
        if not sign:
            msg = f"{text!r} is not NAME=PATH. Example: anna=Physics/anna, or anna= to leave it out"
            raise click.BadParameter(msg, param_hint="--map")
        if name not in known:
            msg = f"the trace has no {name!r}{nearest_or_all(name, sorted(known))}"
            raise click.BadParameter(msg, param_hint="--map")
        found[name] = _node(scenario, path, "--map") if path else None
        if path and not {*leaves_of(scenario.tree, [found[name] or 0])} & {*leaves}:
            msg = f"{path} has none of the planned users"
            raise click.BadParameter(msg, param_hint="--map")
    return found


def _node(scenario: Scenario, path: str, option: str) -> int:
    try:
        return Names(scenario.tree).find(path).id
    except LookupError as error:
        raise click.BadParameter(str(error), param_hint=option) from None
