"""`fsconsole machine`: a command of the machine's shell on a scenario, a run, or a running console."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from fsconsole.cli.command_lines import OwnOptions, lines_of, reads_stdin
from fsconsole.cli.errors import here, print_problem
from fsconsole.cli.values import change_options, moment, refuse_existing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fsconsole.targets.ipc.messages import Replied

    Ask = Callable[[str], Replied]

_EXCLUDED = "--connect excludes --at, --out and --force: it uses the console's machine at its current time"
F = TypeVar("F", bound=Callable[..., Any])
connect_option = click.option(
    "--connect", metavar="[NAME]", help="Act on a running console instead of a file. =NAME selects one."
)


def at_option(example: str) -> Callable[[F], F]:
    """Return the option of the time to which a machine is advanced."""
    about = f"Simulated time to advance to, such as {example}."
    return click.option("--at", "at_s", type=moment, metavar="TIME", help=about)


def keep_options(function: F) -> F:
    """Add the options of a run folder that keeps what was changed."""
    out = click.option("--out", type=click.Path(path_type=Path), help="Run folder for the changed machine.")
    return out(click.option("--force", is_flag=True, help="Replace an existing run folder.")(function))


@click.command(
    "machine",
    cls=OwnOptions,
    options_metavar="[--at TIME] [--out NEW.run] [--dry-run] [--reason TEXT]",
    epilog="Options of this command come before COMMAND. Everything after COMMAND belongs to it. `help` "
    "lists the commands.",
)
@at_option("970s")
@keep_options
@connect_option
@change_options(place="journal and audit log")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="SCENARIO-OR-RUN COMMAND…")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    words: tuple[str, ...],
    connect: str | None,
    dry_run: bool,
    reason: str,
    **where: Any,
) -> None:
    """Run a COMMAND of the machine's shell on the machine of a scenario or a run folder.

    Default time: 0 s in a scenario, the end of a run. Changes are kept only in the run folder --out;
    `fsconsole machine NEW.run COMMAND…` continues from it. Separate several commands by `;` in quotes; `-`
    reads them from stdin, one a line. `sharecf` alone reads its database from stdin, as in `fsconsole machine
    RUN sharecf < FILE`. With --connect the command acts on an open console. The user that `sl` selects is
    kept for one command line.

    --dry-run and --reason go to each COMMAND that changes the machine.
    """
    source = None
    if connect is None:
        if not words:
            _misuse(ctx, "give a scenario or a run folder, then a command. `help` lists the commands")
        source, words = Path(words[0]), words[1:]
        if str(source) == "-" and (words == ("-",) or reads_stdin(words)):
            _misuse(ctx, "the scenario and the commands cannot both be read from stdin")
    lines = _lines(ctx, words, dry_run=dry_run, reason=reason)
    act(source, lines, connect=connect, dry_run=dry_run, **where)


def act(
    source: Path | None,
    lines: Iterable[str],
    *,
    connect: str | None,
    at_s: float | None,
    out: Path | None = None,
    force: bool = False,
    dry_run: bool = False,
) -> NoReturn:
    """Run lines on the machine of a scenario or run, else on an open console; end with the worst status."""
    ctx = click.get_current_context()
    if out is not None and dry_run:
        _misuse(ctx, "--dry-run changes nothing, so --out has nothing to keep. Use only one of them")
    if source is None:
        if at_s is not None or out is not None or force:
            _misuse(ctx, _EXCLUDED)
        ctx.exit(_on_console(connect or "", lines))
    if out is not None:
        refuse_existing(out, force=force)
    ctx.exit(_on_file(source, at_s, out, lines, force=force))


def _lines(ctx: click.Context, words: tuple[str, ...], *, dry_run: bool, reason: str) -> Iterable[str]:
    if not words:
        _misuse(ctx, "the command is missing. `help` lists the commands")
    lines = _with_stdin(words[0]) if reads_stdin(words) else lines_of(words)
    if not (dry_run or reason):
        return lines
    from fsconsole.machine.shell import with_change_options
    from fsconsole.neardedicated.shell import COMMANDS

    return (with_change_options(line, COMMANDS, dry_run=dry_run, reason=reason) for line in lines)


def _with_stdin(command: str) -> Iterable[str]:
    from fsconsole.cli.reading import STDIN, read_text

    yield f"{command}\n{read_text(STDIN)}"


def _misuse(ctx: click.Context, text: str) -> NoReturn:
    raise click.UsageError(text, ctx)


def _on_console(name: str, lines: Iterable[str]) -> int:
    from fsconsole.cli.running_console import chosen
    from fsconsole.targets.ipc.client import Line

    with Line(chosen(name).path) as line:
        return _ask_all(line.ask, lines)


def _on_file(source: Path, at_s: float | None, out: Path | None, lines: Iterable[str], *, force: bool) -> int:
    from fsconsole.cli.machines import Kept, machine_at, shell_of

    machine, text = machine_at(source, at_s)
    with ExitStack() as stack:
        kept = stack.enter_context(Kept(machine, out, text, force=force)) if out is not None else None
        before = machine.tick, len(machine.journal)
        status = _ask_all(shell_of(machine), lines)
        if kept is None and len(machine.journal) > before[1]:
            print_problem("changes are lost without --out NEW.run")
        if kept is not None and status and before == (machine.tick, len(machine.journal)):
            kept.discard()
    return status


def print_answer(answer: Replied) -> None:
    """Print the answer of a machine's shell; a refusal goes to stderr, with the command's name once."""
    if not answer.status:
        click.echo(answer.text)
        return
    _, *above = here().split()
    name, sign, text = answer.text.partition(": ")
    print_problem(text if sign and name in above else answer.text)


def _ask_all(ask: Ask, lines: Iterable[str]) -> int:
    """Print all answers; the worst exit status."""
    worst, is_another = 0, False
    for line in lines:
        answer = ask(line)
        if answer.text:
            print_answer(answer)
        worst = max(worst, answer.status)
        is_another = line.split()[0] == "sl" and not answer.status
    if is_another:
        print_problem('su applies only to this command line. Add commands to it, as in "sl u21; pl"')
    return worst
