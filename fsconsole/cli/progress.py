"""Progress on stderr: a bar on a terminal, lines in a file, or none."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

import click

from fsconsole.cli.clean_streams import plain_stream
from fsconsole.cli.errors import INTERRUPTED, print_problem
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import percent
from fsconsole.text.visible_text import visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_LINE_EVERY = 0.05  # After this fraction of the work a new line is printed.

progress_option = click.option(
    "--progress/--no-progress",
    default=None,
    help="Show progress on stderr: a bar on a terminal, else lines. Default: only on a terminal.",
)


@contextmanager
def bar(total: float, *, wanted: bool | None, text: str) -> Iterator[Callable[[float], None]]:
    """Yield a function that shows how much of `total` is done; `text` may contain rich markup.

    If `wanted` is None, the bar is shown only on a terminal.
    """
    is_terminal = sys.stderr.isatty()
    if wanted is False or (wanted is None and not is_terminal):
        yield lambda _: None
        return
    if not is_terminal:
        with words_bar("", wanted=wanted) as lines:
            yield lambda done: lines.show(done, total, f"{percent(done / total, 0)} done", None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(text), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=plain_stream(sys.stderr)), transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda done: progress.update(task, completed=done)


@dataclass(slots=True)
class WordsBar:
    """A bar with words beside it, or lines of these words where stderr is not a terminal."""

    _progress: Progress
    _task: TaskID
    _has_lines: bool
    _next: float = 0.0

    def show(self, done: float, total: float, words: str, left_s: float | None) -> None:
        """Show the finished part, and the expected time left; None if it is unknown."""
        left = "" if left_s is None else f"{length_words(left_s)} left"
        self._progress.update(self._task, total=total, completed=done, description=words, left=left)
        if self._has_lines and done >= self._next * total:
            self._next = min(done / total + _LINE_EVERY, 1.0) if done < total else inf
            self.print(", ".join(filter(None, (words, left))))

    def print(self, text: str) -> None:
        """Print a line, above the bar if there is one."""
        self._progress.print(visible(text), markup=False, soft_wrap=True)


@contextmanager
def words_bar(words: str, *, wanted: bool | None) -> Iterator[WordsBar]:
    """Yield a bar that begins with `words`, shown only on a terminal; without one, lines if they are
    wanted.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(file=plain_stream(sys.stderr))
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[left]}"))
    is_shown = console.is_terminal and wanted is not False
    with Progress(*columns, console=console, transient=True, disable=not is_shown) as progress:
        task = progress.add_task(words, left="")
        yield WordsBar(progress, task, bool(wanted) and not is_shown)


Made = TypeVar("Made")
# A library with its own Ctrl+C handler may delay the signal until a wait ends, so all waits are short.
_LOOK_EVERY_S = 0.1


def interruptible(work: Callable[[], Made]) -> Made:
    """Return the result of `work`; Ctrl+C ends the program with its exit status, wherever the work
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
        os._exit(INTERRUPTED)  # A normal exit would wait for the compiled loop, or interrupt the compiler.
    if failed:
        raise failed[0]
    return made[0]
