"""`fsconsole open`: the console with a scenario."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from fsconsole.cli.failure import Unusable
from fsconsole.cli.values import input_file


def file_or_study(text: str) -> Path:
    """What can be opened; otherwise wrong use."""
    from fsconsole.console.analyse.study.known import is_study

    path = Path(text)
    return path if text and path.is_dir() and is_study(path) else input_file(text)


@click.command("open")
@click.argument("file", type=file_or_study)
@click.pass_context
def command(ctx: click.Context, file: Path) -> None:
    """Open the console with the scenario, share tree or study in FILE, or a study's folder of results."""
    ctx.exit(open_console(file))


def open_console(file: Path | None) -> int:
    """Run the console to its end; Unusable where there can be no window, which Qt would answer by dying."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in displays):
        msg = "no display found; `fsconsole play` works without one, and so does every other command"
        raise Unusable(msg)
    try:
        from fsconsole.console.app import main
    except ImportError as error:
        if not error.name or error.name.startswith("fsconsole"):
            raise
        msg = f"the console cannot be loaded: {error}"
        raise Unusable(msg) from error
    return main(file)
