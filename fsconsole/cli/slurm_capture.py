"""`fsconsole slurm capture`: what the tools of a cluster say, kept in a folder."""

from __future__ import annotations

from pathlib import Path

import click

from fsconsole.cli.cluster import via_option
from fsconsole.cli.failure import UNUSABLE, Unusable


@click.command("capture")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@via_option
@click.pass_context
def command(ctx: click.Context, folder: Path, via: tuple[str, ...]) -> None:
    """Keep in FOLDER what the tools of a Slurm cluster say now: settings, tree, usage, jobs, nodes.

    The console opens it as a cluster that can be looked at and not acted on: to study it elsewhere, to
    forecast and to try shares, or to show somebody what is wrong. It holds names of accounts, users and jobs.
    """
    from fsconsole.cli.cluster import in_thread
    from fsconsole.targets.slurm.capture import capture
    from fsconsole.targets.slurm.location import Location
    from fsconsole.targets.slurm.tools import ToolError, Tools

    tools = Tools(Location(via))
    try:
        kept = in_thread(lambda: capture(tools, folder), tools)
    except ToolError as error:
        raise Unusable(str(error)) from error
    for problem in kept.problems:
        click.echo(f"fsconsole: not kept, or not whole: {problem}", err=True)
    click.echo(f"Cluster {kept.cluster}: {len(kept.files)} answers in {folder}")
    click.echo(f"To look at it: fsconsole open {folder}")
    if kept.problems:
        ctx.exit(UNUSABLE)
