"""Tables as files: read back by other libraries, equal bytes, and no cell that acts."""

from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from fsconsole.text.table_files import TABLE_FORMS, TableForm, table_bytes, workbook
from tests.texts import refuses

NASTY = '=HYPERLINK("http://x")|a_b & 50 % $x$ #1 {z} ~ ^ \\ <b>\nline'
FRAME = pl.DataFrame(
    {"user": [NASTY, "ben"], "wait_h": [1.23456789, None], "jobs": [3, 12345], "rises": [True, False]}
)


@pytest.mark.parametrize("form", list(TABLE_FORMS))
def test_the_same_table_gives_the_same_bytes(form: TableForm) -> None:
    first = table_bytes(FRAME, form, "Waits", "A note")
    assert first == table_bytes(FRAME.clone(), form, "Waits", "A note")
    assert first != table_bytes(FRAME.head(1), form, "Waits", "A note")


def test_parquet_has_the_frame() -> None:
    assert pl.read_parquet(io.BytesIO(table_bytes(FRAME, "parquet"))).equals(FRAME)


def test_markdown_has_one_line_a_row_and_no_markup_from_cells() -> None:
    lines = table_bytes(FRAME, "md", "A_b", "See *x*").decode().splitlines()
    expected = ["### A\\_b", "", "| user | wait\\_h | jobs | rises |", "| --- | ---: | ---: | --- |"]
    assert lines[:4] == expected
    assert lines[4].startswith(
        '| =HYPERLINK("http://x")\\|a\\_b & 50 % $x$ \\#1 {z} ~ ^ \\\\ \\<b\\>\\\\u000aline |'
    )
    assert lines[4].endswith("| 1.235 | 3 | yes |")
    wanted = "| ben |  | 12345 | no |"
    assert lines[5] == wanted
    assert lines[-1] == "See \\*x\\*"


def test_latex_escapes_what_latex_reads() -> None:
    text = table_bytes(FRAME, "tex", "50 % & more", "− ≥ ≤").decode()
    assert "\\caption{50 \\% \\& more}" in text
    assert "\\begin{tabular}{lrrl}" in text
    assert (
        "a\\_b \\& 50 \\% \\$x\\$ \\#1 \\{z\\} \\~{} \\^{} \\textbackslash{} \\textless{}b\\textgreater{}"
        in text
    )
    assert "$-$ $\\geq$ $\\leq$" in text
    # A header and two rows.
    assert text.count("\\\\\n") == 3


def _sheets(data: bytes) -> dict[str, str]:
    archive = zipfile.ZipFile(io.BytesIO(data))
    names = [name for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
    book = ET.fromstring(archive.read("xl/workbook.xml"))
    titles = [one.get("name", "") for one in book.iter() if one.tag.endswith("}sheet")]
    return dict(zip(titles, (archive.read(name).decode() for name in sorted(names)), strict=True))


def test_excel_has_numbers_as_numbers_and_no_formula() -> None:
    sheets = _sheets(table_bytes(FRAME, "xlsx", "Waits"))
    assert list(sheets) == ["Waits"]
    assert "<v>1.23456789</v>" in sheets["Waits"]
    assert "<f>" not in sheets["Waits"]


def test_sheets_have_names_that_excel_takes() -> None:
    long = "Table II(a): users whose maximum wait [h] grows"
    sheets = _sheets(workbook({long: FRAME, f"{long} most": FRAME, "": FRAME, "a/b": FRAME}))
    expected = [
        "Table II(a)  users whose maximu",
        "Table II(a)  users whose maxi 2",
        "Table",
        "a b",
    ]
    assert list(sheets) == expected


@pytest.mark.parametrize(
    ("frame", "key", "values"),
    [
        (pl.DataFrame({"a": pl.zeros(1_048_576, pl.Int8, eager=True)}), "text.sheet-of-excel-has-at", {}),
        (pl.DataFrame({str(number): [1] for number in range(16_385)}), "text.sheet-of-excel-has-at-2", {}),
        (pl.DataFrame({"why": ["x", "y" * 32_768]}), "text.cell-of-excel-holds-at", {"title": "why"}),
        (pl.DataFrame({"why": ["\U0001f600" * 20_000]}), "text.cell-of-excel-holds-at", {"title": "why"}),
    ],
    ids=["rows", "columns", "characters", "characters of two units"],
)
def test_what_excel_cannot_hold_is_refused_and_never_dropped(
    frame: pl.DataFrame, key: str, values: dict[str, object]
) -> None:
    with refuses(OSError, key, **values):
        table_bytes(frame, "xlsx")


def test_the_largest_cell_of_excel_is_whole() -> None:
    text = "y" * 32_767
    data = zipfile.ZipFile(io.BytesIO(table_bytes(pl.DataFrame({"why": [text]}), "xlsx")))
    assert text in data.read("xl/sharedStrings.xml").decode()
