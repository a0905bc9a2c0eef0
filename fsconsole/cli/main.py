"""Entry of the program: `fsconsole` opens the console, `fsconsole COMMAND` does something and ends."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from pathlib import Path

import click

from fsconsole.cli.clean_streams import clean_streams
from fsconsole.cli.errors import INTERRUPTED, UNUSABLE, WRONG_USE, explain
from fsconsole.cli.interrupts import ended_as_by_ctrl_c
from fsconsole.cli.lazy import LazyGroup
from fsconsole.resources import this_program

_COMMANDS = {
    "open": ("fsconsole.cli.open_console", "Open the console, with a scenario."),
    "simulate": ("fsconsole.cli.simulate", "Run a scenario and print a summary."),
    "run": ("fsconsole.cli.run", "Branch, annotate and compare recorded runs."),
    "compare": ("fsconsole.cli.compare", "Run policies side by side on one scenario."),
    "machine": ("fsconsole.cli.machine", "Run a command of the simulated machine's shell."),
    "nd": ("fsconsole.cli.nd", "Show and control near-dedicated scheduling."),
    "tree": ("fsconsole.cli.tree", "Show, check, convert and compare share trees."),
    "why": ("fsconsole.cli.why", "Explain the order of two users."),
    "study": ("fsconsole.cli.study", "Compare policies over workloads, windows and seeds."),
    "reproduce": ("fsconsole.cli.reproduce", "Run an experiment of a paper and check its claims."),
    "export": ("fsconsole.cli.export", "Export a plot of a run, or its data."),
    "batch": ("fsconsole.cli.batch", "Schedule parallel jobs of a trace; convert traces."),
    "slurm": ("fsconsole.cli.slurm", "Compute Slurm's fairshare, and control real clusters."),
    "doctor": ("fsconsole.cli.doctor", "Find problems in a tree or on a cluster."),
    "linux": ("fsconsole.cli.linux", "Use a share tree as CPU weights of this machine."),
    "bench": ("fsconsole.cli.bench", "Measure the speed of the engine here."),
    "play": (
        "fsconsole.cli.open_console:play",
        "Run the default scenario without a window and keep figures.",
    ),
}


@click.group(
    cls=LazyGroup,
    lazy=_COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(this_program(), message="%(version)s")
@click.option("--slurm", is_flag=True, help="Open the console with a Slurm cluster, read-only at first.")
@click.option(
    "--via",
    metavar="COMMAND",
    help='With --slurm: command prefix for each of Slurm\'s tools, such as "ssh login1".',
)
@click.pass_context
def cli(ctx: click.Context, slurm: bool, via: str | None) -> None:
    """Open a console for fair-share schedulers: share trees, the machines that obey them, plots.

    Without a command, the console opens.

    \b
    Exit status:
      0    done, or nothing to change; no difference (diff, compare) and no error (check, doctor)
      1    not done, not all done or refused; a file cannot be used; a difference or an error found;
           in reproduce, a number of ours, an input or a discrepancy fails
      2    wrong use: an unknown option, policy or setting, or a value that is not allowed;
           in diff and doctor also input that cannot be read
      3    a claim of a paper fails in reproduce, on its own data or on others
      4    a change was sent to a cluster, and its result could not be read back
      70   a fault in the program; a report is kept
      130  interrupted, by Ctrl+C, SIGTERM or SIGHUP; what was recorded by then is readable

    `linux start` ends with the exit status of the command that it runs.
    """  # noqa: D301 (\b is click's mark for text that is not rewrapped)
    if ctx.invoked_subcommand is not None:
        if slurm or via is not None:
            raise click.UsageError(
                "--slurm and --via open the console. They cannot be combined with a command"
            )
        return
    from fsconsole.cli.open_console import open_console, prefix_for

    ctx.exit(open_console(None, prefix_for(slurm, via)))


def main(arguments: list[str] | None = None) -> None:
    """Run a command line and end with its exit status."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Names may contain characters that the terminal cannot show.
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def _open_closed_streams() -> None:
    """Put nothing in place of a stream that the caller closed, or the next file would take its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 (kept to the end)


def run(arguments: list[str]) -> int:
    """Run a command line; every failure becomes lines on stderr and an exit status, never a traceback."""
    with clean_streams():
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    try:
        with ended_as_by_ctrl_c():
            status = cli.main(arguments, prog_name="fsconsole", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help(), err=True)
        return WRONG_USE
    except (click.Abort, KeyboardInterrupt):
        with suppress(OSError):  # The terminal may have disappeared.
            click.echo(f"{_command_path(arguments)}: Interrupted.", err=True)
        return INTERRUPTED
    except BrokenPipeError:  # The reader of the output has closed it, as in `| head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNUSABLE
    except Exception as error:  # noqa: BLE001 (the last resort)
        if isinstance(error, OSError) and error.filename is None and _is_stdout_unwritable():
            error = OSError(error.errno, error.strerror or str(error), "stdout")
        lines, status = explain(error, _command_path(arguments))
        click.echo("\n".join(lines), err=True)
        return status


def _command_path(arguments: list[str]) -> str:
    """Return the command that a command line names, without its options: its context is gone once it has
    failed.
    """
    command: click.Command | None = cli
    path = ["fsconsole"]
    for word in arguments:
        if not isinstance(command, click.Group):
            break
        command = command.get_command(click.Context(command), word)
        path += [word] * (command is not None)
    return " ".join(path)


def _is_stdout_unwritable() -> bool:
    """Return True if stdout is on a full disk; its pending output is dropped then.

    A stream without a buffer has nothing left to flush, so a line end is tried.
    """
    try:
        number = sys.stdout.fileno()
    except (OSError, ValueError):  # stdout is not a file, for example in a test.
        return False
    try:
        sys.stdout.flush()
        os.write(number, b"\n")
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        return True
    return False
