"""Tables as files: CSV, Parquet, Markdown, LaTeX (booktabs), Excel; the same table gives the same bytes."""

from __future__ import annotations

import errno
import io
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from fsconsole.text.csv_text import csv_of_frame
from fsconsole.text.numbers import thousands
from fsconsole.text.visible_text import visible_line

if TYPE_CHECKING:
    import polars as pl

TableForm = Literal["csv", "parquet", "md", "tex", "xlsx"]
TABLE_FORMS: dict[TableForm, str] = {
    "csv": "CSV",
    "parquet": "Parquet",
    "md": "Markdown",
    "tex": "LaTeX",
    "xlsx": "Excel",
}
_TEX = re.compile(r"[\\{}$&#^_%~<>|]")
_TEX_NAMES = {
    "\\": "textbackslash{}", "^": "^{}", "~": "~{}", "<": "textless{}", ">": "textgreater{}",
    "|": "textbar{}",
}  # fmt: skip
_MARKDOWN = re.compile(r"[\\`*_\[\]<>|#]")
_SHEET = re.compile(r"[\[\]:*?/\\']")
_SHEET_LENGTH = 31
_EXCEL_ROWS, _EXCEL_COLUMNS, _EXCEL_CELL = 1_048_576, 16_384, 32_767
# With a fixed date, the same table gives the same bytes.
_MADE = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)


def table_bytes(frame: pl.DataFrame, form: TableForm, title: str = "", note: str = "") -> bytes:
    """Return a table as the bytes of a file.

    Args:
        frame: the table; its column names contain the units.
        form: CSV, Parquet and Excel keep all digits; Markdown and LaTeX write four significant digits, or
            whole numbers.
        title: heading above a table in Markdown or LaTeX; name of the sheet in Excel.
        note: text below a table in Markdown or LaTeX.
    """
    match form:
        case "csv":
            return csv_of_frame(frame).encode()
        case "parquet":
            buffer = io.BytesIO()
            frame.write_parquet(buffer)
            return buffer.getvalue()
        case "md":
            return _markdown(frame, title, note).encode()
        case "tex":
            return _latex(frame, title, note).encode()
    return workbook({title or "Table": frame})


def workbook(tables: Mapping[str, pl.DataFrame]) -> bytes:
    """Return several tables as the sheets of one Excel file; no cell is taken for a formula.

    Raises:
        OSError: a table or a cell is larger than Excel can hold.
    """
    import xlsxwriter  # type: ignore[import-untyped]

    for frame in tables.values():
        _check_size(frame)
    buffer = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "nan_inf_to_errors": True,
    }
    book = xlsxwriter.Workbook(buffer, options)
    book.set_properties({"created": _MADE, "comments": "Made by fsconsole"})
    head = book.add_format({"bold": True, "bottom": 1})
    used: set[str] = set()
    for name, frame in tables.items():
        sheet = book.add_worksheet(_sheet_name(name, used))
        sheet.freeze_panes(1, 0)
        for column, title in enumerate(frame.columns):
            sheet.write_string(0, column, visible_line(title), head)
            for row, value in enumerate(frame[title].to_list(), 1):
                _write(sheet, row, column, title, value)
        sheet.autofit()
    book.close()
    return buffer.getvalue()


def _check_size(frame: pl.DataFrame) -> None:
    if frame.height >= _EXCEL_ROWS:
        msg = (
            f"a sheet of Excel has at most {thousands(_EXCEL_ROWS - 1)} rows below its title, and this table "
            f"has {thousands(frame.height)}. Write CSV or Parquet"
        )
        raise OSError(errno.EFBIG, msg)
    if frame.width > _EXCEL_COLUMNS:
        msg = (
            f"a sheet of Excel has at most {thousands(_EXCEL_COLUMNS)} columns, and this table has "
            f"{thousands(frame.width)}. Write CSV or Parquet"
        )
        raise OSError(errno.EFBIG, msg)


def _write(sheet: Any, row: int, column: int, title: str, value: object) -> None:
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float):
        if value == value:
            sheet.write_number(row, column, value)
    elif value is not None:
        text = visible_line(str(value))
        if len(text.encode("utf-16-le")) // 2 > _EXCEL_CELL:
            msg = (
                f"a cell of Excel holds at most {thousands(_EXCEL_CELL)} characters, and {title} in row "
                f"{thousands(row)} has {thousands(len(text))}. Write CSV or Parquet"
            )
            raise OSError(errno.EFBIG, msg)
        sheet.write_string(row, column, text)


def _sheet_name(name: str, used: set[str]) -> str:
    """Return a sheet name that Excel accepts: at most 31 characters, none forbidden, not in `used`; add it to
    `used`.
    """
    wanted = _SHEET.sub(" ", visible_line(name)).strip()[:_SHEET_LENGTH] or "Table"
    made, number = wanted, 1
    while made.lower() in used:
        number += 1
        end = f" {number}"
        made = f"{wanted[: _SHEET_LENGTH - len(end)]}{end}"
    used.add(made.lower())
    return made


def _markdown(frame: pl.DataFrame, title: str, note: str) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    def safe(text: str) -> str:
        return _MARKDOWN.sub(lambda sign: f"\\{sign[0]}", visible_line(text))

    rules = ["---:" if kind.is_numeric() else "---" for kind in frame.dtypes]
    rows = [line([safe(_shown(value)) for value in row]) for row in frame.iter_rows()]
    lines = [*([f"### {safe(title)}", ""] if title else []), line([safe(name) for name in frame.columns])]
    lines += [line(rules), *rows, *(["", safe(note)] if note else [])]
    return "\n".join(lines) + "\n"


def _latex(frame: pl.DataFrame, title: str, note: str) -> str:
    """Return a table in LaTeX for the package booktabs."""

    def safe(text: str) -> str:
        shown = _TEX.sub(lambda sign: f"\\{_TEX_NAMES.get(sign[0], sign[0])}", visible_line(text))
        return shown.replace("−", "$-$").replace("≥", "$\\geq$").replace("≤", "$\\leq$")

    def line(cells: Sequence[str]) -> str:
        return f"  {' & '.join(cells)} \\\\"

    sides = "".join("r" if kind.is_numeric() else "l" for kind in frame.dtypes)
    lines = ["% needs \\usepackage{booktabs}", "\\begin{table}", "\\centering"]
    lines += [f"\\caption{{{safe(title)}}}"] if title else []
    lines += [f"\\begin{{tabular}}{{{sides}}}", "  \\toprule", line([safe(name) for name in frame.columns])]
    lines += ["  \\midrule", *(line([safe(_shown(value)) for value in row]) for row in frame.iter_rows())]
    lines += ["  \\bottomrule", "\\end{tabular}"]
    lines += [f"\\par\\smallskip\\footnotesize {safe(note)}"] if note else []
    return "\n".join([*lines, "\\end{table}"]) + "\n"


def _shown(value: object) -> str:
    """Return a value with four significant digits; empty for None."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) and abs(value) < 1e4 else _plain(value)


def _plain(value: object) -> str:
    return f"{value:.0f}" if isinstance(value, float) else str(value)
