"""Choice of a running console; imports little, so that a query is fast."""

from __future__ import annotations

from collections.abc import Sequence

import click

from fsconsole.cli.errors import UserError
from fsconsole.targets.ipc.client import Console, consoles, named
from fsconsole.text.words import plural


def chosen(name: str) -> Console:
    """Return the console of a name, or the only one.

    Raises:
        UserError: there is no console, or none has that name.
        click.UsageError: several are open, and `name` is empty or fits several.
    """
    running = consoles()
    if not running:
        msg = "no running console accepts commands. `fsconsole open SCENARIO` opens one"
        raise UserError(msg)
    found = named(name, running) if name else running
    if len(found) == 1:
        return found[0]
    listed = _listed(found or running)
    if not found:
        msg = f"no console has the name {name!r}; there {listed}"
        raise UserError(msg)
    msg = f"several consoles are running. Choose one with --connect=NAME or --connect=PID: there {listed}"
    raise click.UsageError(msg)


def _listed(among: Sequence[Console]) -> str:
    words = [f"{one.title or 'nothing open'} ({one.machine or 'no machine'}, {one.pid})" for one in among]
    return f"{plural(len(words), 'is', 'are')} {', '.join(words)}"
