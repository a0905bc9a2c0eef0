"""CSV that no spreadsheet runs, and that still says what the names are."""

from __future__ import annotations

import csv
import io
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.text.csv_text import csv_cell, csv_of_frame, csv_of_rows
from fsconsole.text.visible_text import visible_line

RUN = re.compile(r"[=+\-@\t\r]")
names = st.text(st.sampled_from("=+-@'1.e a\t\r\n,\"\x1b\x9bü"), max_size=8) | st.text(max_size=8)


FORMULAS = ["=cmd()", "+1+1", "@SUM(1)", "-2+3+cmd|' /C calc'!A0", "\t=1", "\r=1", "'=1"]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_gets_an_apostrophe(name: str) -> None:
    assert csv_cell(name) == visible_line(f"'{name}")


@pytest.mark.parametrize("text", ["anna", "1e3", "-2", "+1.5", "-.5e-7", "-", "", "'tis", "a=b", "u-1", "ü"])
def test_names_and_numbers_stay_as_they_are(text: str) -> None:
    assert csv_cell(text) == text


@given(names)
def test_no_cell_is_run_and_every_name_comes_back(name: str) -> None:
    cell = csv_cell(name)
    assert not RUN.match(cell) or re.fullmatch(r"[+-]?[0-9.eE+-]*|[+-]inf", cell)
    assert visible_line(cell) == cell
    if visible_line(name) == name:
        is_marked = re.match(r"'+[=+\-@\t\r]", cell)
        assert cell[bool(is_marked) :] == name


@given(st.lists(st.tuples(names, st.integers(), st.floats(allow_nan=False)), max_size=5))
def test_rows_and_frames_hold_the_same_cells(rows: list[tuple[str, int, float]]) -> None:
    read = [tuple(row) for row in csv.reader(io.StringIO(csv_of_rows(rows)))]
    assert read == [(csv_cell(name), str(count), repr(value)) for name, count, value in rows]


def test_a_frame_keeps_its_numbers_and_empty_cells() -> None:
    frame = pl.DataFrame({"=user": ["=1", None, "b\x1b"], "x": [-1, 2, None], "y": [-0.5, None, 1.0]})
    assert csv_of_frame(frame) == "'=user,x,y\n'=1,-1,-0.5\n,2,\nb\\u001b,,1.0\n"
