"""`fsconsole run diff`: where and how much two runs differ."""

from __future__ import annotations

from pathlib import Path

import click

from fsconsole.app.kinds import KindError, run_at
from fsconsole.cli.errors import WRONG_USE, print_error
from fsconsole.cli.tables import print_json, print_table
from fsconsole.recording.run_format import RunError
from fsconsole.shares.scenario.problems import ScenarioError

_DIFFERENT = 1


@click.command("diff")
@click.argument("a", metavar="A.run", type=click.Path(path_type=Path))
@click.argument("b", metavar="B.run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(ctx: click.Context, a: Path, b: Path, as_json: bool) -> None:
    """Compare two run folders wherever both have data: settings, trees, actions and all samples.

    Nodes are matched by path. The table has the largest difference of each quantity and node, with its time,
    by its part of the range of the quantity in both runs.
    """
    from fsconsole.app.runs.diff import runs_diff
    from fsconsole.app.runs.diff_words import HEADERS, rows, sentences

    try:
        found = runs_diff(run_at(a), run_at(b))
    except (KindError, RunError, ScenarioError, OSError) as error:
        print_error(error)
        ctx.exit(WRONG_USE)
    if as_json:
        print_json(found.to_json())
    else:
        print("\n".join(sentences(found)))
        table = rows(found.samples)
        if table:
            print_table(HEADERS, table)
    if not found.samples.instants:
        ctx.exit(WRONG_USE)
    ctx.exit(0 if found.is_same else _DIFFERENT)
