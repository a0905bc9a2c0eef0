"""What a command is: words about it, its options, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fsconsole.machine.machine import Machine
from fsconsole.machine.shell.options import Options, Parser
from fsconsole.machine.shell.reply import Misused
from fsconsole.machine.shell.session import Session
from fsconsole.text.nearest import nearest_or_all


def no_words(_: Machine) -> Iterable[str]:
    """Return a command whose words are names of nodes and people at most."""
    return ()


def no_options(_: Parser) -> None:
    """Stand for the options of a command that has none."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the shell.

    Attributes:
        name: what is typed.
        usage: the form of what follows.
        about: one line.
        source: which paper or manual page it is from, and what of it is ours.
        do: gives the answer's text; Refused, LookupError or ValueError say why not.
        options: adds its options.
        aliases: other names.
        below: commands that go on with another word, such as `nd kill` below `nd`; `do` is without one.
        words: what else its words may become, for completion.
        acts: whether it changes the machine: it has the options `--dry-run` and `--reason` then.
        effect: says what it would do, where its answer on a copy of the machine does not say enough.
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
        """The word that chooses it: `kill` of `nd kill`."""
        return self.name.rpartition(" ")[2]

    def chosen(self, words: list[str]) -> tuple[Command, list[str]]:
        """Itself or the command below that the words go on with, and what is left of them; else Misused."""
        if not self.below or not words or words[0].startswith("-"):
            return self, words
        found = next((command for command in self.below if command.last_name == words[0]), None)
        if found is None:
            names = [command.last_name for command in self.below]
            msg = f"unknown command {self.name} {words[0]}{nearest_or_all(words[0], names)}"
            raise Misused(msg)
        return found.chosen(words[1:])

    def help(self) -> str:
        """Return what it is and how it is used; the commands below it too, a line each."""
        told = self.parser().format_help().rstrip()
        if not self.below:
            return told
        width = max(len(command.name) for command in self.below)
        rows = [f"  {command.name:<{width}}  {command.about}" for command in self.below]
        return "\n".join([told, "", f"subcommands of {self.name} (each has --help):", *rows])

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
