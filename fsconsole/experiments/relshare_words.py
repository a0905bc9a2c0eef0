"""Meanings of the paper's words as numbers of cases, and tables in 80 columns.

The paper says "in each month", "for most months" and "fairly comparable" of ten months that are not public.
Their meaning on another trace is set here, from the paper's own tables. It was set before the first
measurement; COMPARABLE and SIMILAR were rounded after it, which moved one month of "over-shared users".

Deviation: the paper judges "most" by eye. Here a majority must also exceed chance (claims.py).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from fsconsole.experiments.claims import Claim, Kind
from fsconsole.experiments.origins import Origin

# The paper writes "Each month, except 7/03 and 1/04" and the like (sections IV and V-C): two of its ten
# months.
EXCEPTED = 0.2
# The paper's "fairly comparable" in Table V is up to 9.1 % under one policy, 5.2 % under another (10/03): 7
# and 4 of 77 users.
COMPARABLE = 1.75
# The paper's "Similar or larger" is of 19.2 % who benefit and 23.3 % who suffer (Table III, 8/03, no
# exception there).
SIMILAR = 0.82

WIDTH = 79


def in_nearly_all(text: str, holds: Sequence[bool], unit: str = "months", *, origin: Origin) -> Claim:
    """Return a claim that the paper makes of each month, or of each but two of its ten."""
    cases = len(holds)
    tolerance = float(int(EXCEPTED * cases))
    return Claim(
        text, float(cases), float(sum(holds)), tolerance, unit,
        is_retested=True, origin=origin, count="nearly all",
    )  # fmt: skip


def in_most(text: str, holds: Sequence[bool], unit: str = "months", *, origin: Origin) -> Claim:
    """Return a claim that the paper makes of most cases: more than half, and more than by chance."""
    tolerance = float(max(len(holds) - 1, 0) // 2)
    return Claim(
        text, float(len(holds)), float(sum(holds)), tolerance, unit,
        is_retested=True, origin=origin, count="most",
    )  # fmt: skip


def is_so(text: str, *, measured: bool, origin: Origin, kind: Kind = "claim") -> Claim:
    """Return a claim that is true or false; a claim of the paper is tested on other data."""
    return Claim(
        text, expected=True, measured=measured, is_retested=kind == "claim", origin=origin, kind=kind
    )


def are_comparable(*values: float) -> bool:
    """Return True if the largest of several values is at most COMPARABLE times the least."""
    return max(values) <= COMPARABLE * min(values)


def columns_text(
    title: str,
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    groups: Sequence[tuple[str, int]] = (),
) -> str:
    """Return a table in plain columns: the first one is text, the others are right-aligned.

    `groups` are headings above several columns each.
    """
    lines = [headers, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    above = [_groups_line(groups, widths)] if groups else []
    table = [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    return "\n".join([title, *above, *table])


def _groups_line(groups: Sequence[tuple[str, int]], widths: Sequence[int]) -> str:
    """Return each group's heading in dashes over its columns."""
    cells, first = [], 0
    for words, count in groups:
        width = sum(widths[first : first + count]) + 2 * (count - 1)
        cells.append(f" {words} ".center(width, "-") if words else " " * width)
        first += count
    return "  ".join(cells).rstrip()


def wrapped(text: str, indent: str = "") -> str:
    """Return a text in lines of at most WIDTH."""
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent)
