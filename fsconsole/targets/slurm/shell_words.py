"""Words quoted so that bash, dash, ksh, zsh, tcsh and fish all read them as they are.

The login shell behind a prefix is not known, and no shell's own quoting holds in all: in fish a
backslash escapes inside single quotes, in tcsh `!` is history there. Words arrive unchanged in bash 5.2, dash
0.5, ksh 93u+m, zsh 5.9, tcsh 6.24 and fish 3.6 (tests/targets/slurm/ssh).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# `%` and `=` are read as jobs and commands at the beginning of a word.
_BARE = re.compile(r"[\w@+:,./-][\w@%+=:,./-]*")
_PLAIN = re.compile(r"[\w@+:,./-]")
_NOT_IN_QUOTES = re.compile(r"[!'\\]")
_LINE_BREAK = re.compile(r"[\n\r\0]")


def quoted(word: str) -> str:
    """Return a word as a shell of any kind reads it; it must not hold a line break, see `unsendable`."""
    if not word:
        return "''"
    if _BARE.fullmatch(word):
        return word
    if not _NOT_IN_QUOTES.search(word):
        return f"'{word}'"
    return "".join(sign if _PLAIN.match(sign) else f"\\{sign}" for sign in word)


def line_of(words: Sequence[str]) -> str:
    """Return words as one line for a shell."""
    return " ".join(map(quoted, words))


def unsendable(words: Sequence[str]) -> str:
    """Return the first word with a sign that no quoting carries through every shell; empty without one.

    tcsh ends a command at a line break, whatever stands before it.
    """
    return next((word for word in words if _LINE_BREAK.search(word)), "")


def is_bare(word: str) -> bool:
    """Return True if a word means the same in every shell without any quoting."""
    return _BARE.fullmatch(word) is not None
