"""The results of a study as tables, and as files for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

import polars as pl

from fsconsole.batch.measures.summary import Summary
from fsconsole.batch.measures.users import USER_COLUMNS
from fsconsole.batch.study.spec import Cell, StudyError
from fsconsole.shares.files import is_there_as_file, write_atomic
from fsconsole.shares.input_files import check_regular, read_limited
from fsconsole.text.numbers import thousands
from fsconsole.text.table_files import TableForm, table_bytes
from fsconsole.text.words import count_words

# These columns identify the rows of all tables of a study. window_s is in seconds, null without a window.
CELL_COLUMNS: dict[str, type[pl.DataType]] = {
    "workload": pl.String,
    "policy": pl.String,
    "window_s": pl.Int64,
    "seed": pl.UInt64,
}
_KINDS: dict[Any, type[pl.DataType]] = {int: pl.Int64, float: pl.Float64}
SUMMARY_COLUMNS: dict[str, type[pl.DataType]] = {
    name: _KINDS[(get_args(kind) or (kind,))[0]] for name, kind in get_type_hints(Summary).items()
}
# Columns of fair start times are null if they were not computed.
FAIR_START_COLUMNS: dict[str, type[pl.DataType]] = {
    "unfair_starts": pl.Float64,
    "fair_start_miss_h": pl.Float64,
}
FORMS: tuple[TableForm, ...] = ("csv", "parquet")


def summary_table(rows: Iterable[tuple[Cell, Mapping[str, Any]]]) -> pl.DataFrame:
    """Return a row for each cell: CELL_COLUMNS, the fields of `Summary`, FAIR_START_COLUMNS."""
    listed = [_of_cell(cell) | dict(summary) for cell, summary in rows]
    return pl.DataFrame(listed, schema=CELL_COLUMNS | SUMMARY_COLUMNS | FAIR_START_COLUMNS)


def user_rows(tables: Iterable[tuple[Cell, pl.DataFrame]]) -> pl.DataFrame:
    """Return a row for each user and cell: CELL_COLUMNS, then the columns of `user_table`."""
    none = pl.DataFrame(schema=CELL_COLUMNS | USER_COLUMNS)
    parts = [
        users.select(
            *(pl.lit(value, CELL_COLUMNS[name]).alias(name) for name, value in _of_cell(cell).items()),
            *USER_COLUMNS,
        )
        for cell, users in tables
    ]
    return pl.concat([none, *parts])


def write_tables(
    folder: Path, tables: Mapping[str, pl.DataFrame], *, replaces_fuller: bool = False
) -> list[Path]:
    """Write each table as CSV and as Parquet; return the files.

    Raises:
        FullerFileError: a file there has more rows, and `replaces_fuller` is not set; none is written.
        OSError: a file cannot be written.
    """
    written = {folder / f"{name}.{form}": (table, form) for name, table in tables.items() for form in FORMS}
    for path, (table, _) in written.items():
        if not replaces_fuller:
            check_fuller(path, table.height)
    for path, (table, form) in written.items():
        write_atomic(path, table_bytes(table, form))
    return list(written)


class FullerFileError(StudyError):
    """A file has more rows than the table that would replace it."""


def check_fuller(path: Path, rows: int) -> None:
    """Raise FullerFileError if a table in a file has more rows than this."""
    if is_there_as_file(path) and (there := _rows_in(path)) > rows:
        msg = (
            f"{path} is not replaced: it has {count_words(there, 'row')}, and the new table has "
            f"{thousands(rows)}. Choose another folder, or move the file away"
        )
        raise FullerFileError(msg)


def _rows_in(path: Path) -> int:
    """Return the rows of a table in a file; 0 where it cannot be read as one."""
    try:
        if path.suffix == ".parquet":
            check_regular(path)
            return int(pl.scan_parquet(path).select(pl.len()).collect().item())
        text = read_limited(path)
        rows = sum(1 for _ in csv.reader(io.StringIO(text.decode("utf-8", "replace"))))
        return rows - (path.suffix == ".csv")
    except (OSError, csv.Error, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return 0


def _of_cell(cell: Cell) -> dict[str, Any]:
    window_s = cell.policy.window_s if cell.policy.is_by_user else None
    return {"workload": cell.workload, "policy": cell.policy.label, "window_s": window_s, "seed": cell.seed}
