"""`fsconsole open`: the console with a scenario."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import click

from fsconsole.cli.errors import UserError
from fsconsole.cli.values import input_file


def file_or_study(text: str) -> Path:
    """Return a path that the console can open; it is wrong use to give another one."""
    from fsconsole.app.kinds import Kind, kind_of

    path = Path(text)
    is_known = bool(text) and path.is_dir() and kind_of(path) not in (Kind.FOLDER, Kind.UNFINISHED_CAPTURE)
    return path if is_known else input_file(text)


def slurm_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the options that open a real cluster."""
    via = click.option(
        "--via",
        metavar="COMMAND",
        help='With --slurm: command prefix for each of Slurm\'s tools, such as "ssh login1".',
    )
    slurm = click.option("--slurm", is_flag=True, help="Open a Slurm cluster, read-only at first.")
    return slurm(via(command))


def prefix_for(slurm: bool, via: str | None) -> tuple[str, ...] | None:
    """Return the argument list before each tool; None without a cluster. Refuse wrong use."""
    if not slurm:
        if via is not None:
            raise click.UsageError("--via needs --slurm")
        return None
    try:
        found = tuple(shlex.split(via or ""))
    except ValueError as error:
        msg = "--via: cannot read the command: a quote is not closed"
        raise click.UsageError(msg) from error
    if via is not None and (not found or found[0].startswith("-")):
        raise click.UsageError('--via needs a command, such as "ssh login1"')
    return found


@click.command("open")
@click.argument("file", type=file_or_study, required=False)
@slurm_options
@click.option(
    "--linux", "on_linux", is_flag=True, help="Open the tree in FILE on this machine's control groups."
)
@click.pass_context
def command(ctx: click.Context, file: Path | None, slurm: bool, via: str | None, on_linux: bool) -> None:
    """Open the console with the scenario, share tree, study or run in FILE, or a study's folder of results.

    Without FILE it opens what was open last, as `fsconsole` alone does.

    A run is a folder such as X.run, complete, cut short, or still being written.

    With --slurm it opens a real cluster, through Slurm's own tools. FILE may also be the folder of a capture
    of one (`fsconsole slurm capture`).

    With --linux the tree becomes control groups of this machine once you arm the console and apply it.
    """
    from fsconsole.app.kinds import A_TREE, Kind, KindError, kind_of, refusal, run_at
    from fsconsole.targets.slurm.location import capture_place, captured_s

    prefix = prefix_for(slurm, via)
    if on_linux and (file is None or prefix is not None):
        raise click.UsageError("--linux needs FILE, and excludes --slurm")
    kind = None if file is None else kind_of(file)
    # These report their faults before a window opens.
    if file is not None and prefix is None and kind is Kind.CAPTURE:
        place = capture_place(file)
        captured_s(place.prefix)
        ctx.exit(open_console(None, place.prefix))
    if file is not None and kind in (Kind.RUN, Kind.DIARY):
        run_at(file)
    if file is not None and kind in (Kind.SSHARE, Kind.TRACE, Kind.SCHEDULE, Kind.RESULTS):
        raise KindError(refusal(file, A_TREE, kind))
    if file is not None and prefix is not None:
        raise click.UsageError("FILE and --slurm exclude each other")
    ctx.exit(open_console(file, prefix, on_linux=on_linux))


def open_console(file: Path | None, prefix: tuple[str, ...] | None = None, *, on_linux: bool = False) -> int:
    """Run the console to its end; UserError where there can be no window, which Qt would answer by dying.

    `prefix`: the cluster to open, by the argument list before each tool. `on_linux`: the file's tree goes
    onto this machine's control groups.
    """
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in displays):
        msg = "no display found. `fsconsole play` and all other commands work without one"
        raise UserError(msg)
    try:
        from fsconsole.console.app import main
    except ImportError as error:
        if not error.name or error.name.startswith("fsconsole"):
            raise
        msg = f"cannot load the console: {error}"
        raise UserError(msg) from error
    return main(file, prefix, on_linux=on_linux)


@click.command("play")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("out"), help="Folder to write to. Default: out."
)
@click.pass_context
def play(ctx: click.Context, out: Path) -> None:
    """Play the default scenario off screen; keep its plots, screenshots and run in a folder."""
    from fsconsole.console.play import play as play_default

    ctx.exit(play_default(out))
