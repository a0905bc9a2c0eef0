"""Reports as PDF and HTML: the same bytes again, tagged, and no text that is taken for markup."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from fsconsole.app.reports.document import Figure, Report, Section, Table, provenance, to_redo
from fsconsole.app.reports.in_words import seen
from fsconsole.app.reports.typst_pdf import facts_of, pdf_of
from fsconsole.app.reports.writing import pictures_of, ready, write_report
from fsconsole.figures.spec import Axis, Curve, FigureSpec
from tests.texts import says

NASTY = '#panic("x") *b* $x^2$ <script>alert(1)</script> & @ref [a] \\ "q" ü ≥'


def _report(word: str = "Findings & more") -> Report:
    curve = Curve(word, np.array([0.0, 1.0, 2.0]), np.array([0.25, np.nan, 0.5]))
    spec = FigureSpec("f", word, Axis("part", "%", 100.0, "fraction"), (curve,))
    table = Table(word, ("Name", word), ((word, "1.0"), ("b", "2.0")), word)
    section = Section("Results", (word,), (Figure(spec, seen(spec)),), (table,), (word,))
    return Report(
        word, "Test", (word,), (section, provenance({word: word}), to_redo((word,), ((word, word),)))
    )


@pytest.mark.parametrize("suffix", [".pdf", ".html"])
def test_the_same_report_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    write_report(_report(), first)
    write_report(_report(), second)
    assert first.read_bytes() == second.read_bytes()
    write_report(_report("Other words"), second)
    assert first.read_bytes() != second.read_bytes()


def test_a_pdf_is_tagged_and_has_only_fonts_of_ours() -> None:
    report = _report()
    data = pdf_of(report, pictures_of(report))
    assert data.startswith(b"%PDF-")
    assert b"/StructTreeRoot" in data
    assert b"/MarkInfo" in data
    assert b"pdfuaid:part" in data
    fonts = set(re.findall(rb"/FontName\s*/(?:[A-Z]{6}\+)?([A-Za-z0-9-]+)", data))
    assert {name.split(b"-")[0] for name in fonts} <= {b"SourceSansPro", b"DejaVuSansMono"}
    assert b"SourceSansPro" in b"".join(fonts)


def test_a_pdf_spells_characters_that_no_font_has() -> None:
    report, spelt = _report("日本\U0001f389 Gerät"), _report("U+65E5 U+672C U+1F389  Gerät")
    assert pictures_of(ready(report, Path("r.pdf"))) == pictures_of(spelt)  # drawn with room for them
    assert ready(report, Path("r.html")) is report
    pictures = pictures_of(spelt)
    assert pdf_of(report, pictures) == pdf_of(spelt, pictures)
    assert pdf_of(report, pictures_of(report)).startswith(b"%PDF-")


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\ufffe"])
def test_a_character_that_xml_does_not_allow_ends_no_report(sign: str) -> None:
    report = _report(f"a{sign}b")
    pictures = pictures_of(report)
    ET.fromstring(pictures[0])
    assert pdf_of(report, pictures).startswith(b"%PDF-")


def test_text_is_text_whatever_signs_it_has(tmp_path: Path) -> None:
    report = _report(NASTY)
    assert pdf_of(report, pictures_of(report)).startswith(b"%PDF-")
    assert facts_of(report)["findings"] == (NASTY,)
    page = tmp_path / "page.html"
    write_report(report, page)
    text = page.read_text("utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_a_web_page_loads_nothing_and_its_pictures_are_whole(tmp_path: Path) -> None:
    page = tmp_path / "page.HTML"
    write_report(_report(), page)
    text = page.read_text("utf-8")
    assert not re.search(r"(?:src|href)\s*=\s*[\"']?(?:https?:|//)", text)
    picture = ET.fromstring(text[text.index("<svg ") : text.index("</svg>") + 6])
    assert picture.get("aria-label") == "Findings & more in %: Findings & more 25.0 to 50.0."
    assert says(text[text.index("<svg ") : text.index("</svg>")], "figures.source-sans-pro")


def test_groups_of_columns_stand_above_their_headings(tmp_path: Path) -> None:
    table = Table("t", ("Month", "A", "B"), (("May", "1", "2"),), groups=("", "Waits, h", "Waits, h"))
    plain = replace(table, groups=())
    reports = [Report("t", "Test", ("f",), (Section("s", tables=(one,)),)) for one in (table, plain)]
    page = tmp_path / "r.html"
    write_report(reports[0], page)
    expected = "<tr class=groups><th colspan=1></th><th colspan=2>Waits, h</th></tr>"
    assert expected in page.read_text("utf-8")
    assert pdf_of(reports[0], ()) != pdf_of(reports[1], ())


def test_figures_are_reported_in_words() -> None:
    curves = tuple(Curve(f"c{n}", np.array([0.0]), np.array([float(n)])) for n in range(14))
    spec = FigureSpec(
        "f", "Many", Axis("y"), (*curves[:1], replace(curves[1], y=np.array([np.nan])), *curves[2:])
    )
    title, _, ranges = seen(spec).partition(": ")
    assert title == "Many"
    assert [one.split() for one in ranges.split("; ")] == [
        *([f"c{n}", f"{n}.0", "to", f"{n}.0"] for n in (0, *range(2, 12))),
        ["and", "2", "more."],
    ]
