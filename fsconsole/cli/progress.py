"""An optional progress bar on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TypeVar

import click

from fsconsole.cli.clean_streams import plain_stream
from fsconsole.cli.errors import INTERRUPTED, print_problem

progress_option = click.option(
    "--progress/--no-progress", default=None, help="Show a progress bar on stderr. Default: on a terminal."
)


@contextmanager
def bar(total: float, *, wanted: bool | None, text: str) -> Iterator[Callable[[float], None]]:
    """Yield a function that shows how much of `total` is done; `text` may contain rich markup.

    If `wanted` is None, the bar is shown only on a terminal.
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


Made = TypeVar("Made")
# Libraries that handle Ctrl+C too may have a lock wait on after it: so no wait is long.
_LOOK_EVERY_S = 0.1


def interruptible(work: Callable[[], Made]) -> Made:
    """Return what `work` returns or raises; Ctrl+C ends the program with its exit status, wherever the work
    is.

    Python hears of Ctrl+C only between its own steps, and a compiled loop is one step, however long. So the
    work has a thread of its own. Only for work that has nothing open and has written nothing yet.
    """
    made: list[Made] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            made.append(work())
        except BaseException as error:  # noqa: BLE001 (raised again below)
            failed.append(error)

    thread = Thread(target=run, daemon=True, name="work")
    try:
        thread.start()
        while thread.is_alive():
            thread.join(_LOOK_EVERY_S)
    except KeyboardInterrupt:
        print_problem("Interrupted.")
        sys.stdout.flush()
        os._exit(INTERRUPTED)  # an orderly end would wait for the compiled loop, or break off a compiler
    if failed:
        raise failed[0]
    return made[0]
