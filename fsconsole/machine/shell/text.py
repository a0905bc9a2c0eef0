"""How the shell writes numbers, times and tables: plain ASCII digits, units, at most 80 columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest

from fsconsole.text import numbers
from fsconsole.text.durations import in_words

WIDTH = 80
UNKNOWN = "-"


def si(value: float) -> str:
    """At most four significant digits, with a letter from 10^6 on: `4.160 M`."""
    value = float(value)
    return _ascii(numbers.si(int(value) if value.is_integer() else value))


def percent(fraction: float | None, digits: int = 1, *, unit: bool = False) -> str:
    """Write a fraction as percent in ASCII: `40.2`, with its unit `40.2 %`, `-` if unknown."""
    return _ascii(numbers.percent(fraction, digits, unit=unit))


def _ascii(text: str) -> str:
    return (
        numbers.ungrouped(text.replace(numbers.PERCENT, " %"))
        .replace(numbers.MINUS, "-")
        .replace(numbers.UNKNOWN, UNKNOWN)
    )


def full(value: float | str) -> str:
    """Return all digits that count, for scripts."""
    if isinstance(value, str):
        return value
    return f"{float(value):.15g}" if math.isfinite(float(value)) else UNKNOWN


def seconds(time_s: float) -> str:
    """Return a length of time in seconds: `2.4 s`, `120 s`."""
    return f"{float(time_s):.6g} s"


def length(time_s: float) -> str:
    """Return a length of time in the largest unit that it is a whole number of: `8 h`, `120 s`."""
    return in_words(float(f"{float(time_s):.6g}"))


def clipped(name: str, width: int) -> str:
    """Return a name of at most that many characters; what cannot be shown on a line is left out."""
    shown = "".join(char if char.isprintable() else "?" for char in name)
    return shown if len(shown) <= width else f"{shown[: width - 3]}..."


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: str = "") -> list[str]:
    """Aligned lines; columns of the header that are named in `left` stand at the left."""
    every = [header, *rows]
    widths = [max(map(len, column)) for column in zip_longest(*every, fillvalue="")]
    sides = [name in left.split() for name in header]
    return [
        "  ".join(
            cell.ljust(width) if at_left else cell.rjust(width)
            for cell, width, at_left in zip(row, widths, sides, strict=True)
        ).rstrip()
        for row in every
    ]


def tabbed(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines for scripts: values between tabs."""
    return ["\t".join(row) for row in (header, *rows)]


def paragraph(words: Sequence[str], gap: str = "   ", width: int = WIDTH) -> list[str]:
    """Pieces on lines of at most `width` columns, each line begun with a blank."""
    lines = [""]
    for word in words:
        longer = f"{lines[-1]}{gap}{word}" if lines[-1] else f" {word}"
        if len(longer) > width and lines[-1]:
            lines.append(f" {word}")
        else:
            lines[-1] = longer
    return lines
