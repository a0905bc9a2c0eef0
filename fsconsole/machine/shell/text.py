"""Numbers, times and tables of the shell: plain ASCII digits, units, at most 80 columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest

from fsconsole.text import numbers
from fsconsole.text.durations import in_words

WIDTH = 80
UNKNOWN = "-"


def si(value: float) -> str:
    """Return a number with at most four significant digits and a letter from 10^6 on: `4.160 M`."""
    value = float(value)
    return _ascii(numbers.si(int(value) if value.is_integer() else value))


def percent(fraction: float | None, digits: int = 1, *, unit: bool = False) -> str:
    """Return a fraction as percent in ASCII: `40.2`, with its unit `40.2 %`, `-` if unknown."""
    return _ascii(numbers.percent(fraction, digits, unit=unit))


def _ascii(text: str) -> str:
    return (
        numbers.ungrouped(numbers.plain_percent(text))
        .replace(numbers.MINUS, "-")
        .replace(numbers.UNKNOWN, UNKNOWN)
    )


def full(value: float | str) -> str:
    """Return a number with all significant digits, for scripts."""
    if isinstance(value, str):
        return value
    return f"{float(value):.15g}" if math.isfinite(float(value)) else UNKNOWN


def seconds(time_s: float) -> str:
    """Return a length of time in seconds: `2.4 s`, `120 s`."""
    return f"{float(time_s):.6g} s"


def length(time_s: float) -> str:
    """Return a length of time in the largest unit that divides it: `8 h`, `120 s`."""
    return in_words(float(f"{float(time_s):.6g}"))


def clipped(name: str, width: int) -> str:
    """Return a name of at most `width` characters; unprintable ones become `?`."""
    shown = "".join(char if char.isprintable() else "?" for char in name)
    return shown if len(shown) <= width else f"{shown[: width - 3]}..."


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: str = "") -> list[str]:
    """Return aligned lines; columns named in `left` are left-aligned."""
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
    """Return lines for scripts, with tabs between values."""
    return ["\t".join(row) for row in (header, *rows)]


def paragraph(words: Sequence[str]) -> list[str]:
    """Join pieces into lines, each beginning with a blank."""
    lines = [""]
    for word in words:
        longer = f"{lines[-1]}   {word}" if lines[-1] else f" {word}"
        if len(longer) > WIDTH and lines[-1]:
            lines.append(f" {word}")
        else:
            lines[-1] = longer
    return lines
