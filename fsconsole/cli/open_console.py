"""`fsconsole open`: the console with a scenario."""

from __future__ import annotations

from pathlib import Path

import click

from fsconsole.cli.values import input_file


@click.command("open")
@click.argument("file", type=input_file)
@click.pass_context
def command(ctx: click.Context, file: Path) -> None:
    """Open the console with the scenario or share tree in FILE."""
    from fsconsole.console.app import main

    ctx.exit(main(file))
