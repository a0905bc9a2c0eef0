"""Options of the commands: an argparse parser that returns errors and help as answers."""

from __future__ import annotations

import argparse
import math
import re
import textwrap
from typing import NoReturn

from fsconsole.machine.shell.reply import Misused, Refused
from fsconsole.machine.shell.text import WIDTH
from fsconsole.text import durations

Options = argparse.Namespace


class _Layout(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=20, width=WIDTH - 1)


class Parser(argparse.ArgumentParser):
    """Parser of the words after a command's name; it raises Misused for invalid ones."""

    def __init__(self, name: str, usage: str, about: str, source: str) -> None:
        super().__init__(
            prog=name,
            usage=f"{name} {usage}".rstrip().replace("%", "%%"),
            description=_filled(about),
            epilog=_filled(source),
            formatter_class=_Layout,
            add_help=False,
            allow_abbrev=False,
        )

    def option_names(self) -> list[str]:
        """Return all options, for completion."""
        return [name for action in self._actions for name in action.option_strings]

    def take_negative(self) -> None:
        """Read words such as `-10min` as values and not as options."""
        self._negative_number_matcher = re.compile(r"-\d")

    def error(self, message: str) -> NoReturn:
        """Raise Misused with the fault of the options, in the words of the shell."""
        unknown = re.match(r"unrecognized arguments: (.*)", message, re.DOTALL)
        missing = re.match(r"the following arguments are required: (.*)", message)
        lone = re.match(r"argument (.*): expected (?:one|at least one) argument", message)
        if unknown:
            message = f"{unknown[1]} is not an argument of this command"
        elif missing:
            message = f"{missing[1]} is missing"
        elif lone:
            message = f"{lone[1]} needs a value"
        msg = f"{message}. See {self.prog} --help"
        raise Misused(msg)


def _filled(words: str) -> str:
    return "\n".join(
        part if part[:1] == " " else textwrap.fill(part, WIDTH - 1) for part in words.split("\n")
    )


def number(field: str, text: str) -> float:
    """Return a typed number.

    Raises:
        Refused: the text is not a number.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        msg = f"{field} must be a number, not {text!r}"
        raise Refused(msg)
    return value


def whole(field: str, text: str, lowest: int, highest: int) -> int:
    """Return a typed whole number.

    Raises:
        Refused: the text is not a whole number in the range.
    """
    if not re.fullmatch(r"-?[0-9]{1,18}", text) or not lowest <= int(text) <= highest:
        msg = f"{field} must be a whole number from {lowest} to {highest}, not {text!r}"
        raise Refused(msg)
    return int(text)


def time_s(field: str, text: str) -> float:
    """Return seconds of a typed time, `600` or `8h`.

    Raises:
        Refused: the text is not a time.
    """
    try:
        return durations.seconds(text)
    except ValueError as error:
        msg = f"{field}: {error}"
        raise Refused(msg) from None
