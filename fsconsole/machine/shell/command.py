"""A command: its description, its options, and its function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fsconsole.machine.machine import Machine
from fsconsole.machine.shell.options import Options, Parser
from fsconsole.machine.shell.reply import Misused
from fsconsole.machine.shell.session import Session
from fsconsole.text.nearest import nearest_or_all


def no_words(_: Machine) -> Iterable[str]:
    """Return no completions: the words of the command are only names of nodes and people."""
    return ()


def no_options(_: Parser) -> None:
    """Add no options to the parser."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the shell.

    Attributes:
        name: its name.
        usage: form of its arguments.
        about: description in a line.
        source: paper or manual page, and our deviations from it.
        do: returns the answer; raises Refused, LookupError or ValueError with the reason.
        options: adds its options.
        aliases: other names.
        below: subcommands, such as `nd kill` of `nd`; `do` is for none of them.
        words: further completions of its words.
        acts: whether it changes the machine: then it has the options `--dry-run` and `--reason`.
        effect: returns its effect, if its answer on a copy of the machine is not enough.
    """

    name: str
    usage: str
    about: str
    source: str
    do: Callable[[Session, Options], str]
    options: Callable[[Parser], None] = no_options
    aliases: tuple[str, ...] = ()
    below: tuple[Command, ...] = ()
    words: Callable[[Machine], Iterable[str]] = no_words
    acts: bool = False
    effect: Callable[[Session, Options], str] | None = None

    @property
    def last_name(self) -> str:
        """Word that selects it: `kill` of `nd kill`."""
        return self.name.rpartition(" ")[2]

    def chosen(self, words: list[str]) -> tuple[Command, list[str]]:
        """Return the command or subcommand that words select, and the remaining words.

        Raises:
            Misused: the subcommand is unknown.
        """
        if not self.below or not words or words[0].startswith("-"):
            return self, words
        found = next((command for command in self.below if command.last_name == words[0]), None)
        if found is None:
            names = [command.last_name for command in self.below]
            msg = f"unknown command {self.name} {words[0]}{nearest_or_all(words[0], names)}"
            raise Misused(msg)
        return found.chosen(words[1:])

    def help(self) -> str:
        """Return its description and usage, and one line for each subcommand."""
        help_text = self.parser().format_help().rstrip()
        if not self.below:
            return help_text
        width = max(len(command.name) for command in self.below)
        rows = [f"  {command.name:<{width}}  {command.about}" for command in self.below]
        return "\n".join([help_text, "", f"subcommands of {self.name} (each has --help):", *rows])

    def parser(self) -> Parser:
        """Return the parser of the command's options."""
        parser = Parser(self.name, self.usage, self.about, self.source)
        self.options(parser)
        if self.acts:
            parser.add_argument(
                "--dry-run", action="store_true", help="show what the command would do, and do nothing"
            )
            parser.add_argument(
                "--reason", metavar="TEXT", default="", help="reason for the journal and the audit log"
            )
        return parser
