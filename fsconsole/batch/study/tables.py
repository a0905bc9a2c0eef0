"""The results of a study as tables, and as files for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

import polars as pl

from fsconsole.batch.measures.summary import Summary
from fsconsole.batch.measures.users import USER_COLUMNS
from fsconsole.batch.study.spec import Cell
from fsconsole.shares.files import write_atomic
from fsconsole.text.table_files import TableForm, table_bytes

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


def write_tables(folder: Path, tables: Mapping[str, pl.DataFrame]) -> list[Path]:
    """Write each table as CSV and as Parquet; return the files.

    Raises:
        OSError: a file cannot be written.
    """
    written = []
    for name, table in tables.items():
        for form in FORMS:
            path = folder / f"{name}.{form}"
            write_atomic(path, table_bytes(table, form))
            written.append(path)
    return written


def _of_cell(cell: Cell) -> dict[str, Any]:
    window_s = cell.policy.window_s if cell.policy.is_by_user else None
    return {"workload": cell.workload, "policy": cell.policy.label, "window_s": window_s, "seed": cell.seed}
