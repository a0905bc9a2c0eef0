"""A report as PDF by Typst: tagged (PDF/UA-1), with fonts of the program's own and without a date."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from fsconsole.app.reports.document import Report, Section
from fsconsole.resources import resource

_STANDARD = "ua-1"
_MISSING = re.compile(r'the text `"(.+?)"` could not be displayed')
_CODE_POINT = re.compile(r"\\u\{([0-9a-f]+)\}")


def pdf_of(report: Report, pictures: Sequence[bytes]) -> bytes:
    """Return the report as PDF; `pictures` are its figures as SVG, in order.

    PDF/UA wants a glyph for each character: those that no font has are written as U+65E5.
    """
    import typst

    facts, drawn, missing = facts_of(report), [picture.decode() for picture in pictures], ""
    while True:
        spelt = str.maketrans({sign: f"U+{ord(sign):04X} " for sign in missing})
        try:
            return _compiled(_translated(facts, spelt), _translated(drawn, spelt))
        except typst.TypstError as error:
            more = _missing_in_fonts(error.diagnostic or "")
            if set(more) <= set(missing):
                raise
            missing += more


def _compiled(facts: dict[str, Any], pictures: Sequence[str]) -> bytes:
    import typst

    files = {
        "main.typ": resource("report/report.typ").read_bytes(),
        "report.json": json.dumps(facts, ensure_ascii=False).encode(),
    }
    files |= {f"figure-{number}.svg": picture.encode() for number, picture in enumerate(pictures)}
    compile_files: Any = typst.compile  # its stubs do not know of files beside the main one
    made = compile_files(
        files,
        font_paths=[str(resource("fonts"))],
        ignore_system_fonts=True,
        format="pdf",
        pdf_standards=[_STANDARD],
        timestamp=0,
    )
    assert isinstance(made, bytes)  # noqa: S101 (a PDF is one file)
    return made


def _missing_in_fonts(diagnostic: str) -> str:
    """Return the characters that Typst could not display, from all that it reports."""
    texts = (_CODE_POINT.sub(lambda one: chr(int(one[1], 16)), text) for text in _MISSING.findall(diagnostic))
    return "".join(sorted({sign for text in texts for sign in text if not " " <= sign <= "~"}))


def _translated(value: Any, table: dict[int, str]) -> Any:
    """Return texts with characters replaced, in lists and dictionaries too."""
    if isinstance(value, str):
        return value.translate(table)
    if isinstance(value, dict):
        return {key: _translated(one, table) for key, one in value.items()}
    return [_translated(one, table) for one in value] if isinstance(value, list | tuple) else value


def facts_of(report: Report) -> dict[str, Any]:
    """Return the report as the template reads it; figures by the numbers of their files."""
    number = 0
    sections = []
    for section in report.sections:
        sections.append(_section(section, number))
        number += len(section.figures)
    return {
        "title": report.title,
        "kind": report.kind,
        "findings": report.findings,
        "sections": sections,
    }


def _section(section: Section, first: int) -> dict[str, Any]:
    return {
        "title": section.title,
        "text": section.text,
        "figures": [
            {"file": f"figure-{first + place}.svg", "title": figure.spec.title, "about": figure.about}
            for place, figure in enumerate(section.figures)
        ],
        "tables": [
            {
                "title": table.title,
                "headers": table.headers,
                "groups": list(table.spans()),
                "rows": table.rows,
                "note": table.note,
                "texts": table.texts,
            }
            for table in section.tables
        ],
        "commands": section.commands,
    }
