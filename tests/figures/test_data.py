from __future__ import annotations

import csv
import io
import math

import numpy as np
import polars as pl
import pytest

from fsconsole.figures.data import columns_of, csv_blocks, parquet_bytes
from fsconsole.figures.spec import Axis, Curve, FigureSpec

HEADER = ["time_s", 'root/g,"1"/u1 cpu_rate [fraction]', "root/g2/u2 cpu_rate [fraction]"]


def test_csv_has_units_in_its_header_and_every_recorded_digit(spec: FigureSpec) -> None:
    rows = list(csv.reader(io.StringIO(b"".join(csv_blocks(columns_of(spec))).decode(), newline="")))
    assert rows[0] == HEADER
    assert len(rows) == 1 + len(spec.curves[0].x)
    values = [float(row[1]) if row[1] else math.nan for row in rows[1:]]
    np.testing.assert_array_equal(values, spec.curves[0].y)
    assert rows[4][1] == ""


def test_parquet_has_the_same_columns_and_metadata(spec: FigureSpec) -> None:
    data = parquet_bytes(columns_of(spec), {"fsconsole": "{}"})
    frame = pl.read_parquet(io.BytesIO(data))
    assert frame.columns == HEADER
    assert frame[HEADER[1]].null_count() == 1
    np.testing.assert_array_equal(frame[HEADER[2]].to_numpy(), spec.curves[1].y)
    assert pl.read_parquet_metadata(io.BytesIO(data))["fsconsole"] == "{}"


def test_a_range_takes_recorded_rows_and_makes_none_up(spec: FigureSpec) -> None:
    (_, times), *_ = columns_of(spec, (95.0, 131.0))
    assert times.tolist() == [100.0, 110.0, 120.0, 130.0]


def test_curves_with_other_times_share_one_time_column() -> None:
    curves = (
        Curve("a", np.array([0.0, 10.0]), np.array([1.0, 2.0])),
        Curve("b", np.array([5.0, 10.0]), np.array([3.0, 4.0])),
    )
    columns = columns_of(FigureSpec("x", "x", Axis("usage"), curves))
    assert columns[0][1].tolist() == [0.0, 5.0, 10.0]
    np.testing.assert_array_equal(columns[1][1], [1.0, np.nan, 2.0])
    np.testing.assert_array_equal(columns[2][1], [np.nan, 3.0, 4.0])


@pytest.mark.parametrize("count", [0, 2])
def test_names_that_occur_twice_are_told_apart(count: int) -> None:
    same = Curve("u1", np.array([0.0]), np.array([1.0]))
    names = [name for name, _ in columns_of(FigureSpec("x", "x", Axis("usage"), (same,) * count))]
    assert len(set(names)) == len(names) == 1 + count
