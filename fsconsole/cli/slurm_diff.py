"""`fsconsole slurm diff`: what leads from a cluster to the tree in a file."""

from __future__ import annotations

from pathlib import Path

import click

from fsconsole.cli.cluster import via_option
from fsconsole.cli.cluster_changes import remove_option
from fsconsole.cli.failure import WRONG_USE, Unusable, of_file, problem_lines
from fsconsole.cli.values import input_file


@click.command("diff")
@click.argument("file", type=input_file)
@via_option
@remove_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(ctx: click.Context, file: Path, via: tuple[str, ...], removes: bool, as_json: bool) -> None:
    """Say what leads from a Slurm cluster to the share tree in FILE, a scenario or a dump of sacctmgr.

    Accounts and users are matched by name. Shows the changes, the commands that would make them, and
    whose fairshare changes most at the usage of now; apart from these, what FILE does not name, which stays
    unless --remove is said. Nothing is changed.

    Exit status 0 if there is nothing to change, 1 if there is, 2 for trouble, as diff has it.
    """
    from fsconsole.cli.cluster_changes import plain, plan_of, say
    from fsconsole.cli.tables import print_json
    from fsconsole.shares.scenario.problems import ScenarioError

    try:
        plan = plan_of(file, via, removes=removes)
    except ScenarioError as error:
        click.echo("\n".join(problem_lines(error)), err=True)
        ctx.exit(WRONG_USE)
    except (Unusable, OSError) as error:
        told = of_file(error) if isinstance(error, OSError) else error
        click.echo(f"fsconsole: {told}", err=True)
        ctx.exit(WRONG_USE)
    is_same = not plan.changes.changes and not plan.changes.refusals
    if as_json:
        print_json(plain(plan))
    else:
        say(plan)
    ctx.exit(0 if is_same else 1)
