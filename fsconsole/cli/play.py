"""`fsconsole play`: what `make run` does where there is no display."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("play")
@click.option("--out", type=click.Path(path_type=Path), default=Path("out"), help="Folder; out by default.")
@click.pass_context
def command(ctx: click.Context, out: Path) -> None:
    """Play the default scenario off screen; keep its plots, screenshots and run in a folder."""
    from fsconsole.console.play import play

    ctx.exit(play(out))
