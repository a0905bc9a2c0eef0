"""`fsconsole tree convert`: a tree in another format."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from fsconsole.cli.values import input_file, refuse_existing
from fsconsole.shares import formats

_NAMES = ", ".join(form.name for form in formats.FORMATS)


@click.command("convert")
@click.argument("source", metavar="IN", type=input_file)
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--to", "name", metavar="NAME", help=f"Format of OUT ({_NAMES}); without it the suffix says.")
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
def command(source: Path, target: Path, name: str | None, force: bool) -> None:
    """Write the tree in IN to OUT (- for stdout) in another format.

    What the format has no place for, such as logins and events, is named on stderr.
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


def _form(target: Path, name: str | None) -> formats.Format:
    if name is not None:
        try:
            return formats.format_named(name)
        except LookupError as error:
            raise click.UsageError(str(error.args[0])) from None
    if (form := formats.format_by_suffix(target)) is not None:
        return form
    names = " or ".join(f"--to {form.name}" for form in formats.FORMATS)
    msg = f"the suffix of {target} does not tell the format; choose one with {names}"
    raise click.UsageError(msg)
