"""A progress bar on stderr, or none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from fsconsole.cli.clean_streams import plain_stream

progress_option = click.option(
    "--progress/--no-progress", default=None, help="Progress bar on stderr; by default on a terminal."
)


@contextmanager
def bar(total: float, *, wanted: bool | None, text: str) -> Iterator[Callable[[float], None]]:
    """What to call with how much of `total` is done; `text` may hold rich's fields, such as {task.total}.

    Where it is neither `wanted` nor refused (None), there is a bar on a terminal.
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(text), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=plain_stream(sys.stderr)), transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda done: progress.update(task, completed=done)
