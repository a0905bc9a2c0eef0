"""Tables on a terminal, and plain columns for files and pipes."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from fsconsole.cli.clean_streams import plain_stream
from fsconsole.text.visible_text import visible, visible_line

# Tables with more rows are printed in plain columns: layout would take minutes and gigabytes.
MANY_ROWS = 2000


_ENDLESS = 10_000  # A file or pipe is so wide that nothing is cut off.
_BLANKS_BETWEEN_COLUMNS = 3


def fitting(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    goes: Sequence[str],
    cut: Mapping[str, int],
) -> tuple[list[str], list[list[str]], list[str]]:
    """Fit a table into a terminal: leave columns out, then cut the ends of others.

    Args:
        headers: of the columns; one for each cell of the `rows`.
        rows: their texts.
        goes: headers of columns that are left out, the first one first.
        cut: least width of columns whose ends are cut, the first one first.

    Returns:
        headers and rows that fit, where anything does, and the headers that were left out.
    """
    room = shutil.get_terminal_size((_ENDLESS, 0)).columns
    widths = {
        header: max(len(header), *(len(row[at]) for row in rows)) if rows else len(header)
        for at, header in enumerate(headers)
    }
    gone: list[str] = []

    def over(width_of: Mapping[str, int]) -> int:
        return sum(width_of.values()) + _BLANKS_BETWEEN_COLUMNS * (len(width_of) - 1) + 2 - room

    def least() -> dict[str, int]:
        return {one: min(widths[one], cut[one]) if one in cut else widths[one] for one in widths}

    for header in goes:
        if header in widths and over(least()) > 0:
            gone.append(header)
            del widths[header]
    for header in cut:
        if header in widths and (much := over(widths)) > 0:
            widths[header] = max(widths[header] - much, min(widths[header], cut[header]))
    places = [at for at, header in enumerate(headers) if header in widths]
    kept = [headers[at] for at in places]
    shown = [[_cut(row[at], widths[headers[at]]) for at in places] for row in rows]
    return kept, shown, gone


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}\N{HORIZONTAL ELLIPSIS}"


def print_table(
    headers: Sequence[str], rows: Iterable[Sequence[str]], title: str = "", *, numbers: bool = True
) -> None:
    """Print a table; the first column is text, the others are `numbers` or text too."""
    rows = list(rows)
    if len(rows) > MANY_ROWS:
        _print_plain([headers, *rows], title, numbers=numbers)
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=SIMPLE_HEAD,
        title=Text(visible(title)) if title else None,
        title_justify="left",
        pad_edge=False,
    )
    for index, header in enumerate(headers):
        side: Literal["left", "right"] = "right" if index and numbers else "left"
        table.add_column(Text(visible(header)), justify=side, overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible_line(cell)) for cell in row))
    width = None if sys.stdout.isatty() else _ENDLESS
    Console(file=plain_stream(sys.stdout), width=width).print(table)


def _print_plain(rows: Sequence[Sequence[str]], title: str, *, numbers: bool) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if title:
        print(title)
    for row in rows:
        cells = (
            cell.rjust(width) if index and numbers else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("   ".join(cells).rstrip())


def print_json(data: Any) -> None:
    """Print one JSON object (or list) and nothing else; numbers that are none do not occur."""
    print(json.dumps(data, ensure_ascii=False, allow_nan=False))
