"""`fsconsole tree diff`: what leads from one tree to another."""

from __future__ import annotations

from pathlib import Path

import click

from fsconsole.cli.failure import WRONG_USE, of_file, problem_lines
from fsconsole.cli.values import input_file


@click.command("diff")
@click.argument("before", type=input_file)
@click.argument("after", type=input_file)
@click.option("--json", "as_json", is_flag=True, help='Print {"same": ..., "edits": [...]}.')
@click.pass_context
def command(ctx: click.Context, before: Path, after: Path, as_json: bool) -> None:
    """Say in words which edits turn the tree in BEFORE into the one in AFTER; nodes are matched by path.

    Exit status 0 if they are alike, 1 if they differ, 2 for trouble, as diff has it.
    """
    from fsconsole.app.edit_words import lines
    from fsconsole.cli.reading import STDIN, tree_of
    from fsconsole.cli.tables import print_json
    from fsconsole.shares.diff import diff
    from fsconsole.shares.edits import to_json
    from fsconsole.shares.scenario.problems import ScenarioError

    if before == after == STDIN:
        ctx.fail("only one of the two can be stdin")
    try:
        old, new = tree_of(before), tree_of(after)
    except ScenarioError as error:
        click.echo("\n".join(problem_lines(error)), err=True)
        ctx.exit(WRONG_USE)
    except OSError as error:
        click.echo(f"fsconsole: {of_file(error)}", err=True)
        ctx.exit(WRONG_USE)
    edits = diff(old, new, by_path=True)
    words = lines(old, edits)
    if as_json:
        told = [{"text": text, **to_json(edit)} for edit, text in words]
        print_json({"same": not edits, "edits": told})
    else:
        print("\n".join(text for _, text in words) if edits else "The trees are alike.")
    ctx.exit(1 if edits else 0)
