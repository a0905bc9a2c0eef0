r"""Tables as CSV in which no cell is a formula, because spreadsheets run the formulas in names.

A text that a spreadsheet would take for a formula gets an apostrophe in front, as their guidance says. A text
that begins with such an apostrophe gets another one, so removing one always restores the text. Control
characters are written as \u001b. Numbers stay as they are.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fsconsole.text.visible_text import visible_line

if TYPE_CHECKING:
    import polars as pl

_FORMULA = re.compile(
    r"'*[=+\-@\t\r\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH COMMERCIAL AT}]"
)
_AMOUNT = re.compile(r"[+-][0-9][0-9A-Za-z.,:% ]*")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]|[+-]inf")


def csv_cell(text: str) -> str:
    """Return a text as a CSV cell that a spreadsheet does not run, with its control characters escaped."""
    is_formula = _FORMULA.match(text) and not _NUMBER.fullmatch(text)
    return visible_line(f"'{text}" if is_formula else text)


def tsv_cell(text: str) -> str:
    """Return a text as a cell for the clipboard, which is pasted into spreadsheets.

    An amount with a sign and a unit, such as +12 min, stays: nothing in it is called.
    """
    line = " ".join(text.split())
    return visible_line(line) if _AMOUNT.fullmatch(line) else csv_cell(line)


def csv_of_rows(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV; cells that are not text keep their form."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([csv_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return out.getvalue()


def csv_of_frame(frame: pl.DataFrame) -> str:
    """Return a frame as CSV, with the column names in the first line."""
    import polars as pl

    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    cells = [
        pl.Series(name, [None if text is None else csv_cell(text) for text in frame[name]], pl.String)
        for name in texts
    ]
    named = {name: csv_cell(name) for name in frame.columns}
    return frame.with_columns(cells).rename(named).write_csv()
