"""The shell: it reads a line, finds its command and answers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from itertools import pairwise

from fsconsole.machine.checkpoint import copy_of
from fsconsole.machine.machine import Machine
from fsconsole.machine.shell import batch, entries, jobs, parameters, people, show, text
from fsconsole.machine.shell.command import Command, no_words
from fsconsole.machine.shell.options import Options
from fsconsole.machine.shell.reply import DONE, MISUSED, REFUSED, Misused, Refused, Reply
from fsconsole.machine.shell.session import Session
from fsconsole.shares.quoting import quoted, split
from fsconsole.shares.tree import ROOT_ID
from fsconsole.text.nearest import did_you_mean

COMMANDS: tuple[Command, ...] = (
    *show.COMMANDS,
    *parameters.COMMANDS,
    *entries.COMMANDS,
    *jobs.COMMANDS,
    *batch.COMMANDS,
    *people.COMMANDS,
)
_HELP = ("help", "?")
_MOST_NAMES = 500
_LONGEST_LINE = 1000


class Shell:
    """A shell on a machine; it keeps its user between lines."""

    def __init__(
        self,
        machine: Machine,
        who: str = "operator",
        read_file: Callable[[str], str] | None = None,
        more: tuple[Command, ...] = (),
    ) -> None:
        """Open a shell; `read_file` returns the text of a file for `sharecf < FILE`, by default none is read.

        `more` are commands of other rooms, such as those of near-dedicated scheduling.
        """
        self.session = Session(machine, who, read_file)
        self._more = more
        self._by_name = _by_name(more)

    def run(self, line: str) -> Reply:
        """Carry out a line; lines below it are the command's input. Input errors are answered, not raised."""
        answer, status = self._run(line)
        return Reply(answer, status, self.session.other_user())

    def _run(self, line: str) -> tuple[str, int]:
        first, below, given = line.partition("\n")
        self.session.given = given if below and given.strip() else None
        try:
            words = split(first.removesuffix("\r"))
            if piped := _behind_pipe(words):
                self.session.given, words = self._answer(words[: piped - 1]), words[piped:]
            return self._answer(words) if words else "", DONE
        except Misused as error:
            return _error_text(first, error), MISUSED
        except (Refused, LookupError, ValueError) as error:  # SettingError and TreeError are ValueErrors.
            return _error_text(first, error), REFUSED

    def _answer(self, words: list[str]) -> str:
        if not words:
            raise Misused("a command is missing before |")
        name, *rest = words
        if name in _HELP:
            return self._help_for(rest)
        command = self._by_name.get(name)
        if command is None:
            near = did_you_mean(name, command_names(self._more)) or "."
            msg = f"unknown command{near} Enter help to list all commands"
            raise Misused(msg)
        command, rest = command.chosen(rest)
        if "--help" in rest or rest == ["-h"]:
            return command.help()
        if self.session.given is not None and name != "sharecf":
            msg = "only sharecf takes lines below it. Give one command at a time"
            raise Misused(msg)
        options = command.parser().parse_args(rest)
        if command.acts and options.dry_run:
            return _dry_run(command, self.session, options)
        self.session.why = options.reason.strip() if command.acts else ""
        return command.do(self.session, options)

    def _help_for(self, names: list[str]) -> str:
        if not names:
            return help_text(self._more)
        first = self._by_name.get(names[0])
        if first is not None and first.below:
            return first.chosen(names[1:])[0].help()
        unknown = next((name for name in names if name not in self._by_name), None)
        if unknown is not None:
            msg = f"no command {unknown!r}{did_you_mean(unknown, command_names(self._more))}"
            raise Misused(msg)
        return "\n\n".join(self._by_name[name].help() for name in names)


def _by_name(more: tuple[Command, ...]) -> dict[str, Command]:
    return {name: command for command in (*COMMANDS, *more) for name in (command.name, *command.aliases)}


def _behind_pipe(words: list[str]) -> int:
    """Return the place of a `sharecf` that reads the answer of the command before the pipe; 0 for none."""
    return next((at for at, pair in enumerate(pairwise(words), 1) if pair == ("|", "sharecf")), 0)


def with_change_options(line: str, more: tuple[Command, ...], *, dry_run: bool, reason: str) -> str:
    """Return a line with `--dry-run` and `--reason` if its command changes the machine, else unchanged."""
    first, below, given = line.partition("\n")
    try:
        words = split(first)
        at = _behind_pipe(words)
        command, rest = _by_name(more)[words[at]].chosen(words[at + 1 :])
    except (Misused, LookupError, ValueError):  # The shell itself reports the fault.
        return line
    if not command.acts:
        return line
    end = len(words) - len(rest)
    options = ["--dry-run"] * dry_run + (["--reason", reason] if reason else [])
    return " ".join(map(quoted, [*words[:end], *options, *words[end:]])) + below + given


def _dry_run(command: Command, session: Session, options: Options) -> str:
    """Return the effect of a command, from a copy of the machine if the command cannot describe it."""
    if command.effect is not None:
        return command.effect(session, options)
    answer = command.do(session.on(copy_of(session.machine)), options)
    return f"Dry run: nothing was done. The command would answer:\n{answer}"


def _error_text(line: str, error: Exception) -> str:
    """Return an error with the command's name before it; lines that repeat long input are shortened."""
    name = next(iter(line.split(maxsplit=1)), "shell")
    message = str(error.args[0] if error.args else error)
    lines = [text.clipped(part, _LONGEST_LINE) for part in message.split("\n")]
    return "\n".join([f"{text.clipped(name, 24)}: {lines[0]}", *lines[1:]])


def command_names(more: tuple[Command, ...] = ()) -> tuple[str, ...]:
    """Return all commands and their other names."""
    return (*sorted((*_by_name(more), "help")),)


def help_text(more: tuple[Command, ...] = ()) -> str:
    """Return all commands, a line each."""
    rows = [f"{command.name:<9} {command.about}" for command in (*COMMANDS, *more)]
    return "\n".join([*rows, f"{'help':<9} Show this list; help COMMAND or COMMAND --help shows more."])


def complete(machine: Machine, line: str, more: tuple[Command, ...] = ()) -> tuple[str, ...]:
    """Return completions of a line's last word: commands, options, names, keys or flags."""
    head, _, start = line.rpartition(" ")
    words = head.split()
    if not words or words[0] == "help":
        known = list(command_names(more))
    else:
        known = _words_for(machine, _by_name(more).get(words[0]), words, start)
    return (*sorted({word for word in known if word.startswith(start)}),)


def _words_for(machine: Machine, command: Command | None, words: list[str], start: str) -> list[str]:
    """Return possible next words after a command's name and some words."""
    if command is not None:
        with contextlib.suppress(Misused):
            command, words = command.chosen(words[1:])
    if start.startswith("-"):
        return [] if command is None else _options(command)
    if command is not None and (command.below or command.words is not no_words):
        below = [] if words else [one.last_name for one in command.below]
        return [*below, *command.words(machine)]
    return [*_keys(command.name if command else ""), *_names(machine, start)]


def _options(command: Command) -> list[str]:
    return [*command.parser().option_names(), "--help"]


def _keys(name: str) -> list[str]:
    if name == "lim":
        return [f"{key}=" for key in entries.KEYS]
    return list(parameters.FLAGS) if name == "shradm" else []


def _names(machine: Machine, start: str) -> list[str]:
    """Return names of nodes and people with this start; paths if it has a slash."""
    tree = machine.tree
    if start.startswith("/"):
        above = len(tree.root.name)
        found = [quoted(path[above:]) for path in tree.paths().values() if path[above:].startswith(start)]
    else:
        found = [
            quoted(node.name) for node in tree.walk() if node.name.startswith(start) and node.id != ROOT_ID
        ]
        found += [quoted(name) for name in machine.people.workers if name.startswith(start)]
    return found[:_MOST_NAMES]
