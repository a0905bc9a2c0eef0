"""Tables on a terminal, and whole numbers of columns where there is none."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from fsconsole.cli.clean_streams import plain_stream
from fsconsole.text.visible_text import visible, visible_line

# Above so many rows a table is printed in plain columns: laying it out prettily takes minutes and gigabytes.
MANY_ROWS = 2000


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
    # Into a file or pipe nothing may be cut off.
    Console(file=plain_stream(sys.stdout), width=None if sys.stdout.isatty() else 10_000).print(table)


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
