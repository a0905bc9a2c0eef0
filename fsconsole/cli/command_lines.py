"""Separation of the options of `fsconsole machine` from the command line after them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence

import click

_FLAGS = ("--force", "--dry-run", "-h", "--help")
_CONNECT = "--connect"


class OwnOptions(click.Command):
    """Command that parses its own options up to the first word of COMMAND, and keeps the rest unchanged."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Separate the options from the words after them, which are arguments whatever they look like."""
        own, rest = parted(args)
        return super().parse_args(ctx, [*own, "--", *rest] if rest else own)


def parted(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split words into options and file, and the command's words; a bare `--connect` gets an empty name."""
    own: list[str] = []
    files = 1
    left = list(words)
    while left:
        word = left[0]
        is_option = word.startswith("-") and word != "-"
        if not is_option and files == 0:
            break
        left.pop(0)
        if word == "--":
            break
        files -= 0 if is_option else 1
        own.append(f"{_CONNECT}=" if word == _CONNECT else word)
        if word.partition("=")[0] == _CONNECT:
            files = 0
        elif is_option and "=" not in word and word not in _FLAGS and left:
            own.append(left.pop(0))
    return own, left


def reads_stdin(words: Sequence[str]) -> bool:
    """Return True if a command without a file has one from stdin, as `sharecf < FILE` in a shell."""
    return list(words) == ["sharecf"] and sys.stdin is not None and not sys.stdin.isatty()


def lines_of(words: Sequence[str]) -> Iterator[str]:
    """Yield command lines from words, separated by `;`; `-` inserts the lines of stdin."""
    if list(words) == ["-"]:
        for line in sys.stdin:
            yield from _parts(line)
    else:
        yield from _parts(words[0] if len(words) == 1 else " ".join(map(_as_typed, words)))


def _as_typed(word: str) -> str:
    return word if word == ";" else shlex.quote(word)


def _parts(text: str) -> Iterator[str]:
    """Split text at semicolons outside quotes; comments and empty parts are left out."""
    part, quote, is_escaped = "", "", False
    for sign in text:
        if sign == ";" and not quote and not is_escaped:
            yield from _command_in(part)
            part = ""
            continue
        if is_escaped:
            is_escaped = False
        elif sign == "\\" and quote != "'":
            is_escaped = True
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        part += sign
    yield from _command_in(part)


def _command_in(part: str) -> Iterator[str]:
    part = part.strip()
    if part and not part.startswith("#"):
        yield part
