"""`fsconsole tree convert`: a tree in another format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.values import input_file, refuse_existing

if TYPE_CHECKING:
    from fsconsole.shares.formats import Format


@click.command("convert")
@click.argument("source", metavar="IN", type=input_file)
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--to", "name", metavar="NAME", help="Format of OUT (yaml, slurm, sharecf), else told by its suffix."
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
def command(source: Path, target: Path, name: str | None, force: bool) -> None:
    """Write the tree in IN to OUT (- for stdout) as a scenario, a Slurm dump or a share database.

    The last two hold the tree alone: what they have no place for is named on stderr.
    """
    from fsconsole.cli.reading import STDIN, read
    from fsconsole.shares.files import write_atomic

    form = _form(target, name)
    if target != STDIN:
        refuse_existing(target, force=force)
    scenario = read(source)
    text = form.write(scenario)
    lost = form.lost(scenario)
    if lost:
        click.echo(f"fsconsole: a {form.title} has no place for {', '.join(lost)}", err=True)
    if target == STDIN:
        sys.stdout.write(text)
    else:
        write_atomic(target, text)


def _form(target: Path, name: str | None) -> Format:
    from fsconsole.shares.formats import FORMATS, format_named

    if name is not None:
        try:
            return format_named(name)
        except LookupError as error:
            raise click.UsageError(str(error.args[0])) from None
    for form in FORMATS:
        if target.suffix.lower() in form.suffixes:
            return form
    names = " or ".join(f"--to {form.name}" for form in FORMATS)
    msg = f"the suffix of {target} does not tell the format; choose one with {names}"
    raise click.UsageError(msg)
