"""Lines of prose made as narrow as the console. No Qt here."""

from __future__ import annotations

import re
from textwrap import wrap

_LEAST = 30  # columns, below which nothing could be read
_FIRST_COLUMN = re.compile(r" *(?:[^ ]+ )*[^ ]+ {2,}")
# A line of prose that the shell has filled and broken. A row of a table has a gap between its columns.
_FILLED = re.compile(r"^((?!.*\S {2,}\S)\S.{65,})\n(?=\S)(?!.*\S {2,}\S)", re.MULTILINE)
_HELP = ("help", "?")


def is_prose(line: str, status: int) -> bool:
    """Whether the answer to a line is sentences: what is wrong, or help; all else is tables and data."""
    words = line.split()
    return bool(status) or words[:1] in ([word] for word in _HELP) or bool({"--help", "-h"} & set(words))


def wrapped(text: str, columns: int) -> str:
    """Text of lines of at most so many columns; what stands beside a first column stays beside it."""
    width = max(columns, _LEAST)
    whole = _FILLED.sub(r"\1 ", text)
    return "\n".join(part for line in whole.split("\n") for part in _parts(line, width))


def _parts(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = len(line) - len(line.lstrip())
    column = _FIRST_COLUMN.match(line)
    start = column[0] if column else line[:indent]
    hanging = len(start) if len(start) <= width // 2 else indent + 2
    parts = wrap(
        line[len(start) :],
        width,
        initial_indent=start,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return parts or [line]
