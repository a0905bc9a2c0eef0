"""`fsconsole nd`: operators' actions on near-dedicated scheduling, on a console, a scenario or a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from fsconsole.cli.errors import UserError
from fsconsole.cli.machine import act, at_option, connect_option, keep_options, print_answer
from fsconsole.cli.reports import is_report, write
from fsconsole.cli.values import change_options, refuse_existing
from fsconsole.shares.quoting import quoted

if TYPE_CHECKING:
    from fsconsole.targets.ipc.messages import Replied

_CONNECT = "--connect"
_WITH_VALUE = ("--at", "--out", "--reason", "--until")
_EARLIER = re.compile(r"-\d")
F = TypeVar("F", bound=Callable[..., Any])


class OnMachine(click.Command):
    """Command whose first word is a scenario or a run, unless it addresses a running console."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give a bare `--connect` an empty name, and keep `-10min` from being taken for options."""
        taken = [f"{_CONNECT}=" if word == _CONNECT else word for word in args]
        before = ["", *taken]
        is_earlier = [
            bool(_EARLIER.match(word)) and before[at] not in _WITH_VALUE for at, word in enumerate(taken)
        ]
        earlier = [word for word, is_it in zip(taken, is_earlier, strict=True) if is_it]
        if earlier and "--" not in taken:
            others = [word for word, is_it in zip(taken, is_earlier, strict=True) if not is_it]
            taken = [*others, "--", *earlier]
        return super().parse_args(ctx, taken)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Keep the lines of examples as they are."""
        if self.epilog:
            formatter.write_paragraph()
            formatter.write(self.epilog.rstrip() + "\n")


_SOURCE = "[SCENARIO-OR-RUN]"


def _looks(function: F) -> F:
    return connect_option(at_option("45min")(function))


def _acts(function: F) -> F:
    return _looks(change_options(place="journal and audit log")(keep_options(function)))


def _words(form: str) -> Callable[[F], F]:
    return click.argument("words", nargs=-1, metavar=f"{_SOURCE} {form}".rstrip())


@click.group("nd", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Show near-dedicated scheduling, and act on it.

    Each command goes to the machine of a scenario or of a run folder (at --at TIME; else a scenario's machine
    stands at 0 s and a run's at its end), or with --connect to a console that is open. What it does to a
    scenario or a run is kept in the run folder --out NEW.run, and nowhere else. The same commands are typed
    without `fsconsole` in the machine console.
    """


_EXAMPLES = {
    "status": "nd status --connect\nnd status near-dedicated-ymp.yaml --at 45min\nnd status night.run --json",
    "start": "nd start --connect --until 07:30\nnd start --connect --until +2h --reason 'machine is empty'",
    "stop": "nd stop --connect\nnd stop --connect --kill --reason 'maintenance'",
    "kill": "nd kill --connect 41877 --reason '12 % only'\nnd kill night.run --at 1h 41877 --out new.run",
    "extend": "nd extend --connect 30min\n"
    "nd extend --connect 41877 30min --dry-run\nnd extend --connect -10min",
    "queue": "nd queue --connect\nnd queue --connect move 41880 1\nnd queue --connect hold 41880\n"
    "nd queue --connect release 41880\nnd queue --connect order shortest",
    "report": "nd report night.run\nnd report night.run --csv --out jobs.csv\n"
    "nd report night.run --csv --table use --out use.csv\nnd report night.run --at 3h",
    "alerts": "nd alerts --connect",
    "ack": "nd ack --connect efficiency:41877",
    "note": "nd note --connect\nnd note --connect 'ccm-0219a may be killed after 3'",
}


def _sub(name: str) -> Callable[[Callable[..., Any]], click.Command]:
    lines = "".join(f"  fsconsole {line}\n" for line in _EXAMPLES[name].split("\n"))
    return command.command(name, cls=OnMachine, epilog=f"Examples:\n{lines}")


@_sub("status")
@_looks
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object, with times in s from the start of the machine.",
)
@_words("")
def status(words: tuple[str, ...], as_json: bool, **where: Any) -> None:
    """Show the state of window, jobs, memory, alerts and note."""
    _go(["status", *(["--json"] if as_json else [])], words, 0, **where)


@_sub("start")
@_acts
@click.option("--until", metavar="TIME", help="End of the window: 07:30, +2h. Default: as scheduled.")
@_words("")
def start(words: tuple[str, ...], until: str | None, **where: Any) -> None:
    """Open the near-dedicated window now.

    TIME is a time of day (the next one), +2h for two hours from now, or a time since the machine's start.
    """
    _go(["start", *([] if until is None else ["--until", until])], words, 0, **where)


@_sub("stop")
@_acts
@click.option("--kill", is_flag=True, help="Also kill the running job.")
@_words("")
def stop(words: tuple[str, ...], kill: bool, **where: Any) -> None:
    """Close the near-dedicated window.

    No more jobs are started, and the running job continues to its end.
    """
    _go(["stop", *["--kill"] * kill], words, 0, **where)


@_sub("kill")
@_acts
@click.option("--hold-others", is_flag=True, help="Also hold the user's other jobs.")
@_words("REQ")
def kill(words: tuple[str, ...], hold_others: bool, **where: Any) -> None:
    """Kill a job by its request number or name.

    The command does not ask for confirmation.
    """
    _go(["kill", *["--hold-others"] * hold_others], words, 1, **where)


@_sub("extend")
@_acts
@_words("[REQ] BY")
def extend(words: tuple[str, ...], **where: Any) -> None:
    """Extend or shorten the time limit of the running job."""
    _go(["extend"], words, 3, **where)


@_sub("queue")
@_acts
@_words("[move REQ PLACE | hold REQ | release REQ | order NAME]")
def queue(words: tuple[str, ...], **where: Any) -> None:
    """Show waiting jobs and whether they fit, or reorder them.

    Orders are arrival, shares, shortest, efficiency and by-hand.
    """
    if (where["reason"] or where["dry_run"]) and len(words) < (1 if where["connect"] is not None else 2):
        msg = "--reason and --dry-run need a change of the queue: move, hold, release or order"
        raise click.UsageError(msg, click.get_current_context())
    _go(["queue"], words, 3, **where)


@_sub("alerts")
@_looks
@_words("")
def alerts(words: tuple[str, ...], **where: Any) -> None:
    """Show what an operator should know."""
    _go(["alerts"], words, 0, **where)


@_sub("ack")
@_acts
@_words("KEY")
def ack(words: tuple[str, ...], **where: Any) -> None:
    """Acknowledge an alert by its key."""
    _go(["ack"], words, 1, **where)


@_sub("note")
@_acts
@click.option("--clear", is_flag=True, help="Clear the note.")
@_words("[TEXT…]")
def note(words: tuple[str, ...], clear: bool, **where: Any) -> None:
    """Show or write the note for the next operator."""
    _go(["note", *(["--clear"] * clear)], words, None, **where)


@_sub("report")
@_looks
@click.option("--csv", "as_csv", is_flag=True, help="Print one table as CSV.")
@click.option(
    "--table",
    type=click.Choice(["jobs", "use"]),
    help="Table for --csv: jobs that ended, or use. Default: jobs.",
)
@click.option("--last", is_flag=True, help="Report on the last complete night.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@_words("")
def report(
    words: tuple[str, ...], as_csv: bool, table: str | None, last: bool, out: Path | None, **where: Any
) -> None:
    """Print the performance report of the night, as the paper has it.

    Of a run folder it is that of its newest checkpoint, or of --at TIME. With --out night.pdf (or .html) it
    has findings, figures and tables.
    """
    from fsconsole.shares.files import write_atomic

    if table and not as_csv:
        msg = "--table needs --csv"
        raise click.UsageError(msg, click.get_current_context())
    if out is not None:
        refuse_existing(out, force=where["force"])
    source, _ = _parted(words, where["connect"], 0)
    if out is not None and is_report(out):
        _write_report(source, where["at_s"], out, last=last, as_csv=as_csv)
        return
    options = ["--csv"] * as_csv + ([f"--table={table}"] if table else []) + ["--last"] * last
    line = " ".join(["nd report", *options])
    answer = _asked(source, where["connect"], where["at_s"], line)
    if answer.status or out is None:
        print_answer(answer)
    else:
        write_atomic(out, f"{answer.text}\n")
    click.get_current_context().exit(answer.status)


def _write_report(source: Path | None, at_s: float | None, out: Path, *, last: bool, as_csv: bool) -> None:
    """Write the report of a scenario or run as PDF or HTML; wrong use for a console and with --csv."""
    if source is None or as_csv:
        what = "--connect" if source is None else "--csv"
        msg = f"cannot write {what} as {out.suffix}. Use a scenario or a run folder, without --csv"
        raise click.UsageError(msg, click.get_current_context())
    from fsconsole.app.reports.night_report import night_again, night_report
    from fsconsole.cli.machines import machine_at
    from fsconsole.neardedicated.view_of import night_view

    machine = machine_at(source, at_s, recorded=True)[0]
    view = night_view(machine)
    night = None if view is None else view.last_night if last else view.night
    if view is None or night is None:
        raise UserError(f"{source} has no near-dedicated window")
    made = night_report(
        night,
        machine.spec.start,
        required_efficiency=view.required_efficiency,
        scenario=machine.scenario.title,
        again=night_again(source.name, at_s, last=last),
    )
    write(made, out)


def _asked(source: Path | None, connect: str | None, at_s: float | None, line: str) -> Replied:
    """Return the answer to one line that changes nothing."""
    if source is None:
        from fsconsole.cli.running_console import chosen
        from fsconsole.targets.ipc.client import Line

        with Line(chosen(connect or "").path) as console:
            return console.ask(line)
    from fsconsole.cli.machines import machine_at, shell_of

    return shell_of(machine_at(source, at_s, recorded=True)[0])(line)


def _go(
    line: list[str],
    words: tuple[str, ...],
    most: int | None,
    *,
    connect: str | None,
    reason: str = "",
    dry_run: bool = False,
    **where: Any,
) -> NoReturn:
    """Send the command to its target; `most` is the number of words allowed besides the source."""
    source, rest = _parted(words, connect, most)
    written = [*line, *rest, *(["--reason", reason] if reason else []), *["--dry-run"] * dry_run]
    typed = " ".join(["nd", *map(quoted, written)])
    act(source, [typed], connect=connect, dry_run=dry_run, **where)


def _parted(words: Sequence[str], connect: str | None, most: int | None) -> tuple[Path | None, Sequence[str]]:
    """Return the scenario or run, None for a console, and the words of the command."""
    if connect is None and not words:
        msg = "give a scenario or a run folder, or --connect for a running console"
        raise click.UsageError(msg, click.get_current_context())
    rest = words if connect is not None else words[1:]
    if most is not None and len(rest) > most:
        msg = f"unexpected argument {rest[most]!r}"
        if connect is not None:
            msg += ". With --connect, give no scenario or run"
        raise click.UsageError(msg, click.get_current_context())
    return (None if connect is not None else Path(words[0])), rest
