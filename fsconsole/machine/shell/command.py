"""What a command is: words about it, its options, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fsconsole.machine.shell.options import Options, Parser
from fsconsole.machine.shell.session import Session


def no_options(_: Parser) -> None:
    """A command without options."""


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
    """

    name: str
    usage: str
    about: str
    source: str
    do: Callable[[Session, Options], str]
    options: Callable[[Parser], None] = no_options
    aliases: tuple[str, ...] = ()

    def parser(self) -> Parser:
        """Its options."""
        parser = Parser(self.name, self.usage, self.about, self.source)
        self.options(parser)
        return parser
