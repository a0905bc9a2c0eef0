"""Which of the consoles that are open is meant."""

from __future__ import annotations

from collections.abc import Sequence

import click

from fsconsole.cli.failure import Unusable
from fsconsole.targets.ipc.client import Console, consoles, named


def chosen(name: str) -> Console:
    """The console of a name, or the only one; otherwise words that say which there are."""
    running = consoles()
    if not running:
        msg = "no console is open that accepts commands; `fsconsole open SCENARIO` opens one"
        raise Unusable(msg)
    found = named(name, running) if name else running
    if len(found) == 1:
        return found[0]
    listed = _listed(found or running)
    if not found:
        msg = f"no console is called {name!r}; there {listed}"
        raise Unusable(msg)
    msg = f"several consoles are open, choose one with --connect=NAME or --connect=PID: there {listed}"
    raise click.UsageError(msg)


def _listed(among: Sequence[Console]) -> str:
    words = [f"{one.title or 'nothing open'} ({one.machine or 'no machine'}, {one.pid})" for one in among]
    return f"{'is' if len(words) == 1 else 'are'} {', '.join(words)}"
